// What if: a word left out or changed, or another model, beside the answer as it is; and which inputs each output came from.

import { pageColour, pageFont } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { Scene } from "seqloom/scene.js";
import { Trouble } from "seqloom/studio/api.js";
import { modelOptions } from "seqloom/studio/model_options.js";
import { headline, marked } from "seqloom/studio/answer.js";
import { METHODS, origin } from "seqloom/weave/origin.js";
import { panel } from "seqloom/weave/panel.js";
import { blankRegions } from "seqloom/weave/regions.js";
import { labels } from "seqloom/weave/salience.js";

const PAUSE = 250; // milliseconds after the last key
const scored = (run) => Boolean(run.answer.scores) && !Array.isArray(run.answer.scores); // labels with their probabilities
const short = (text) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
const CERTAIN = { temperature: 0 }; // what is drawn by chance cannot be compared, nor said where it came from
const MOST = 120; // words that can be clicked away one by one

export const whatif = {
  id: "whatif",
  there: (model) => Boolean(model),
  reads: true,

  open(place, studio) {
    const { state, api } = studio;
    const body = element("div", { class: "panels-grid" });
    place.replaceChildren(body);
    let open = true;
    let here = null; // the answer as it is
    let there = null; // with the change
    let from = null; // the attribution
    let waiting = false; // for it
    let parts = [];

    let blanks = null; // of a picture: its regions, which can be blanked
    const text = () => here?.input ?? "";
    const changed = () => state.now.other ?? text();
    const blanked = () => (state.now.other ?? "").split(".").filter(Boolean).map(Number);

    function toggle(region) {
      const now = blanked();
      const next = now.includes(region) ? now.filter((one) => one !== region) : [...now, region].sort((one, other) => one - other);
      state.set({ other: next.length ? next.join(".") : null });
    }

    async function ask() {
      const question = studio.question();
      if (question === null) return;
      const found = await studio.inspect({ ...question, ...CERTAIN });
      if (!found || !open) return;
      here = found;
      blanks = here.picture && blankRegions(here.picture, studio.words.whatif.blank, toggle);
      build();
      await Promise.all([compare(), attribute()]);
    }

    async function compare() {
      const { other, against } = state.now;
      there = null;
      if (other !== null || against) {
        const given = here.picture ? await blanks.blank(blanked()) : changed();
        if (given.trim()) {
          const { text: _, example: __, ...question } = studio.question();
          there = await asked("api/inspect", { ...question, ...CERTAIN, prefix: [], off: [], text: given, model: against || state.now.model }, "whatif");
        }
      }
      if (open) build();
    }

    async function attribute() {
      from = null;
      waiting = true;
      tellOrigin();
      const found = await asked("api/attribute", { model: state.now.model || null, text: here.input, method: METHODS.includes(state.now.by) ? state.now.by : "integrated" });
      if (!open) return;
      [from, waiting] = [found, false];
      tellOrigin();
    }

    async function asked(path, question, kind = path) {
      try {
        return await api.post(path, question, kind);
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        studio.say(error.message);
        return null;
      }
    }

    function build() {
      const { field: focus, focus: region } = document.activeElement?.dataset ?? {};
      const made = change();
      if (body.firstElementChild) body.firstElementChild.replaceWith(made);
      else body.append(made);
      if (focus) field.focus();
      else if (region) body.querySelector(`[data-focus="${region}"]`)?.focus();
    }

    /** Where the answer came from takes longer; what is above it stays as it is, and so does the focus. */
    function tellOrigin() {
      parts = [];
      for (const old of [...body.children].slice(1)) old.remove();
      if (from) body.append(came());
      else if (waiting) body.append(element("p", { class: "waiting", role: "status" }, studio.words.origin.wait));
    }

    // --- the change ------------------------------------------------------------------------------------

    let typing = 0;
    const field = element("textarea", { rows: 1, spellcheck: "false", dir: "auto", "data-field": "other" });
    field.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => state.set({ other: field.value === text() ? null : field.value }), PAUSE);
    });

    function change() {
      const { words } = studio;
      field.setAttribute("aria-label", words.whatif.edit);
      if (document.activeElement !== field) field.value = changed();
      const others = ({ name, task }) => task === studio.model().task && name !== studio.model().name;
      const [models, checkpoints] = [studio.models().filter(others), studio.checkpoints().filter(others)];
      const select = element("select", { "aria-label": words.whatif.against, onchange: () => state.set({ against: select.value }) },
        element("option", { value: "" }, words.whatif.same), ...modelOptions(models, checkpoints, words));
      select.value = state.now.against;
      const chips = here.picture ? null : element("p", { class: "drops", dir: "auto" }, ...pieces(text()).map(chip).flatMap((one) => [one, " "]));
      const sides = element("div", { class: "sides" },
        side(words.whatif.asItIs, here, null),
        there ? side(state.now.against ? words.whatif.by(nameOf(state.now.against)) : words.whatif.withChange, there, here) : element("p", { class: "side none" }, words.whatif.nothing));
      const undo = state.now.other === null && !state.now.against ? null
        : element("button", { type: "button", class: "quiet", onclick: () => state.set({ other: null, against: "" }) }, words.ask.back);
      const made = panel({
        name: "whatif", title: words.whatif.title, words, hint: hint(), scene,
        tools: [models.length + checkpoints.length ? select : null, undo].filter(Boolean), body: here.picture ? element("div", { class: "picture-sides" }, blanks.element, sides) : element("div", {}, chips, field, sides),
        numbers: () => ({ columns: ["text", "model", "answer"], rows: [here, there].filter(Boolean).map((run) => [run.picture ? state.now.other ?? "" : run.input, run.model, run.text]) }),
      });
      made.set(sentence());
      if (here.picture) blanks.draw(blanked());
      return made.element;
    }

    function hint() {
      const { whatif } = studio.words;
      if (here.picture) return whatif.picture;
      return here.task === "generate" ? `${whatif.hint} ${whatif.certain}` : whatif.hint;
    }

    /** Both answers below each other, as they are read. */
    function scene() {
      const { words } = studio;
      const sides = [[words.whatif.asItIs, here], ...(there ? [[state.now.against ? words.whatif.by(nameOf(state.now.against)) : words.whatif.withChange, there]] : [])];
      const made = new Scene(900, 84 * sides.length + 12);
      sides.forEach(([title, run], at) => {
        const y = 20 + 84 * at;
        made.text(16, y, title, { fill: pageColour("soft"), size: 13, font: pageFont("sans"), anchor: "start" });
        if (!run.picture) made.text(16, y + 24, short(run.input), { fill: pageColour("soft"), size: 15, font: pageFont("serif"), anchor: "start" });
        made.text(16, y + (run.picture ? 28 : 50), short(headline(run) || run.text), { fill: pageColour("ink"), size: 19, font: pageFont("serif"), weight: 600, anchor: "start" });
      });
      return made;
    }

    const nameOf = (name) => {
      const kept = studio.checkpoints().find((one) => one.name === name);
      return kept ? studio.words.ask.at_step(kept.of, kept.step.toLocaleString(studio.words.code)) : name;
    };

    function chip(word, at, all) {
      const gone = state.now.other !== null && without(all, at) === state.now.other;
      return element("button", {
        type: "button", class: "word", "aria-pressed": String(gone), title: studio.words.whatif.drop(word), "data-focus": `drop-${at}`,
        onclick: () => state.set({ other: gone ? null : without(all, at) }),
      }, element("bdi", {}, word));
    }

    const spaced = () => /\s/.test(text().trim());
    const pieces = (whole) => (spaced() ? whole.trim().split(/\s+/) : [...whole]).slice(0, MOST);
    const without = (all, at) => all.filter((_, place) => place !== at).join(spaced() ? " " : "");

    function side(title, run, before) {
      const text = headline(run) || run.text;
      const was = before ? headline(before) || before.text : text;
      const shown = scored(run) && text !== was ? [element("mark", {}, text)] : marked(text, was);
      return element("div", { class: "side" }, element("h3", {}, title), element("output", { dir: "auto" }, ...shown),
        scored(run) ? labels(run.answer.scores, 5).element : null);
    }

    function sentence() {
      const { words } = studio;
      if (!there) return here.picture ? words.whatif.start_picture : words.whatif.start;
      const [one, other] = [here, there].map((run) => quoted(headline(run) || run.text));
      if (scored(here) && scored(there) && here.answer.label === there.answer.label) {
        const [p, q] = [here, there].map((run) => run.answer.scores[here.answer.label].toFixed(2));
        return words.whatif.surer(one, p, q);
      }
      return one === other ? words.whatif.unchanged(one) : words.whatif.changed(one, other);
    }

    // --- where it came from --------------------------------------------------------------------------------

    function came() {
      const { words } = studio;
      const view = origin({ state, words }, from, here.picture);
      const made = panel({ name: "origin", title: words.origin.title, words, hint: words.origin.hint, tools: view.tools, body: view.element, scene: view.scene, numbers: view.numbers });
      const draw = () => made.set(view.draw());
      parts.push({ draw, light: draw });
      draw();
      return made.element;
    }

    ask();
    return {
      changed(now, before) {
        if (["model", "text", "example", "prefix", "off", "temperature", "seed", "beam"].some((name) => now[name] !== before[name])) ask();
        else if (now.other !== before.other || now.against !== before.against) compare();
        else if (now.by !== before.by) attribute();
        else if (now.language !== before.language) here && (build(), tellOrigin());
        else for (const part of parts) part.light();
      },
      draw: () => parts.forEach((part) => part.draw()),
      close: () => (open = false),
    };
  },
};
