// What if: a word left out or changed, or another model, beside the answer as it is; and which inputs each output came from.

import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { Trouble } from "seqloom/studio/api.js";
import { headline, marked } from "seqloom/studio/answer.js";
import { origin } from "seqloom/weave/origin.js";
import { panel } from "seqloom/weave/panel.js";
import { labels } from "seqloom/weave/salience.js";

const PAUSE = 250; // milliseconds after the last key
const MOST = 120; // words that can be clicked away one by one

export const whatif = {
  id: "whatif",
  there: () => true,
  reads: true,

  open(place, studio) {
    const { state, api } = studio;
    const body = element("div", { class: "panels-grid" });
    place.replaceChildren(body);
    let open = true;
    let here = null; // the answer as it is
    let there = null; // with the change
    let from = null; // the attribution
    let parts = [];

    const text = () => here?.input ?? "";
    const changed = () => state.now.other ?? text();

    async function ask() {
      const question = studio.question();
      if (question === null) return;
      const found = await studio.inspect(question);
      if (!found || !open) return;
      here = found;
      build();
      await Promise.all([compare(), attribute()]);
    }

    async function compare() {
      const { other, against } = state.now;
      there = null;
      if (typeof text() === "string" && (other !== null || against)) {
        if (changed().trim()) {
          const { text: _, ...question } = studio.question();
          there = await asked("api/inspect", { ...question, prefix: [], off: [], text: changed(), model: against || state.now.model }, "whatif");
        }
      }
      if (open) build();
    }

    async function attribute() {
      from = null;
      const found = await asked("api/attribute", { model: state.now.model || null, text: here.input, method: state.now.by || "integrated" });
      if (!found || !open) return;
      from = found;
      build();
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
      const focus = document.activeElement?.dataset?.field;
      parts = [];
      body.replaceChildren(...(typeof text() === "string" ? [change()] : []), ...(from ? [came()] : []));
      if (focus) field.focus();
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
      const models = studio.models().filter(({ task }) => task === studio.model().task);
      const select = element("select", { "aria-label": words.whatif.against, onchange: () => state.set({ against: select.value }) },
        element("option", { value: "" }, words.whatif.same), ...models.filter(({ name }) => name !== studio.model().name).map(({ name }) => element("option", { value: name }, name)));
      select.value = state.now.against;
      const chips = element("p", { class: "drops", dir: "auto" }, ...pieces(text()).map(chip).flatMap((one) => [one, " "]));
      const sides = element("div", { class: "sides" },
        side(words.whatif.asItIs, here, null),
        there ? side(state.now.against ? words.whatif.by(state.now.against) : words.whatif.withChange, there, here) : element("p", { class: "side none" }, words.whatif.nothing));
      const undo = state.now.other === null && !state.now.against ? null
        : element("button", { type: "button", class: "quiet", onclick: () => state.set({ other: null, against: "" }) }, words.ask.back);
      const made = panel({
        name: "whatif", title: words.whatif.title, words, hint: words.whatif.hint,
        tools: [models.length > 1 ? select : null, undo].filter(Boolean), body: element("div", {}, chips, field, sides),
        numbers: () => ({ columns: ["text", "model", "answer"], rows: [here, there].filter(Boolean).map((run) => [run.input, run.model, run.text]) }),
      });
      made.set(sentence());
      return made.element;
    }

    function chip(word, at, all) {
      const gone = state.now.other !== null && without(all, at) === state.now.other;
      return element("button", {
        type: "button", class: "word", "aria-pressed": String(gone), title: studio.words.whatif.drop(word),
        onclick: () => state.set({ other: gone ? null : without(all, at) }),
      }, element("bdi", {}, word));
    }

    const spaced = () => /\s/.test(text().trim());
    const pieces = (whole) => (spaced() ? whole.trim().split(/\s+/) : [...whole]).slice(0, MOST);
    const without = (all, at) => all.filter((_, place) => place !== at).join(spaced() ? " " : "");

    function side(title, run, before) {
      const text = headline(run) || run.text;
      const was = before ? headline(before) || before.text : text;
      const shown = run.answer.scores && text !== was ? [element("mark", {}, text)] : marked(text, was);
      return element("div", { class: "side" }, element("h3", {}, title), element("output", { dir: "auto" }, ...shown),
        run.answer.scores ? labels(run.answer.scores, 5).element : null);
    }

    function sentence() {
      const { words } = studio;
      if (!there) return words.whatif.start;
      const [one, other] = [here, there].map((run) => quoted(headline(run) || run.text));
      if (here.answer.scores && there.answer.scores && here.answer.label === there.answer.label) {
        const [p, q] = [here, there].map((run) => run.answer.scores[here.answer.label].toFixed(2));
        return words.whatif.surer(one, p, q);
      }
      return one === other ? words.whatif.unchanged(one) : words.whatif.changed(one, other);
    }

    // --- where it came from --------------------------------------------------------------------------------

    function came() {
      const { words } = studio;
      const view = origin({ state, words }, from);
      const made = panel({ name: "origin", title: words.origin.title, words, hint: words.origin.hint, tools: view.tools, body: view.element, scene: view.scene, numbers: view.numbers });
      const draw = () => made.set(view.draw());
      parts.push({ draw, light: draw });
      draw();
      return made.element;
    }

    ask();
    return {
      changed(now, before) {
        if (["model", "text", "prefix", "off", "temperature", "seed", "beam"].some((name) => now[name] !== before[name])) ask();
        else if (now.other !== before.other || now.against !== before.against) compare();
        else if (now.by !== before.by) attribute();
        else if (now.language !== before.language) here && build();
        else for (const part of parts) part.light();
      },
      draw: () => parts.forEach((part) => part.draw()),
      close: () => (open = false),
    };
  },
};
