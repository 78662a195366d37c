// The studio: one page for a live model. A text above, its answer beside it, and a view of what happened below.

import { element } from "seqloom/dom.js";
import { onTheme } from "seqloom/colour.js";
import { language, languageSwitch, said } from "seqloom/language.js";
import { State } from "seqloom/state.js";
import { words as wordsOf } from "seqloom/strings.js";
import { followAddress, readAddress } from "seqloom/studio/address.js";
import { answer } from "seqloom/studio/answer.js";
import { Api, Trouble } from "seqloom/studio/api.js";
import { modelOptions } from "seqloom/studio/model_options.js";
import { pictureInput } from "seqloom/studio/picture_input.js";
import { tour } from "seqloom/studio/tour.js";
import { VIEWS } from "seqloom/studio/views.js";
import { themeSwitch } from "seqloom/theme.js";
import { START } from "seqloom/weave/panels.js";

const KNOWN = { view: "weave", model: "", text: null, example: "", ...START, temperature: "", seed: "", beam: "", other: null, against: "", by: "", out: "", word: "", side: "", colour: "", sort: "", only: "", confused: "", hidden: "", sampled: "", part: "", path: "", step: "", symbol: "", language: "", tour: "" };
const EXAMPLES = 40; // after which they come again
const PAUSE = 180; // milliseconds after the last key, before the model is asked
for (const name of ["pointed", "cell"]) delete KNOWN[name];

export function studio() {
  const data = JSON.parse(document.getElementById("data").textContent);
  let models = data.models;
  let runs = []; // what /api/runs said last
  const start = { ...KNOWN, ...readAddress(KNOWN), pointed: null, cell: null };
  const state = new State({ ...start, language: language(start.language), model: start.model || models[0]?.name || "" });
  const place = (name) => document.querySelector(`[data-place="${name}"]`);
  const text = document.querySelector("textarea");
  const another = place("another");
  const api = new Api(reached);
  let words = wordsOf(state.now.language);
  let current = null; // the view that is open
  let seen = null; // the last run, which says what was read
  let plain = null; // the run of the same text with nothing changed
  let guide = null; // the tour

  const self = {
    state,
    api,
    tools: {},
    opened: data.opened, // tokens of a text whose gates are shown at most
    get words() {
      return words;
    },
    say,
    run: () => seen,
    models: () => models,
    /** Runs as they were at a step, which can be asked like models. */
    checkpoints: () => runs.flatMap((run) => run.checkpoints.map((step) => ({ name: `${run.model}@${step}`, of: run.model, step, task: run.task, model: run.architecture })).reverse()),
    /** The chosen one; undefined as long as nothing is trained. */
    model: () => [...models, ...self.checkpoints()].find((one) => one.name === state.now.model) ?? models[0],
    learned,
    choose: (model) => choose(model),
    input: () => state.now.text ?? (typeof seen?.input === "string" ? seen.input : ""),
    write,
    /** What the server is asked, as the state is now; null when there is nothing to ask. */
    question() {
      const { model, text, example, prefix, off, temperature, seed, beam } = state.now;
      if (text !== null && !text.trim()) {
        say(readsPicture() ? words.trouble.no_picture : words.trouble.empty);
        return null;
      }
      return {
        model: model || null, text,
        ...(text === null && example ? { example: Number(example) } : {}),
        ...(prefix ? { prefix: prefix.split(".").map(Number) } : {}),
        ...(off ? { off: off.split(",") } : {}),
        ...(temperature !== "" ? { temperature: Number(temperature) } : {}),
        ...(seed ? { seed: Number(seed) } : {}),
        ...(beam ? { beam: Number(beam) } : {}),
      };
    },
    /** Ask for a run, and show its answer; null if there is none. */
    async inspect(question) {
      document.body.classList.add("asking");
      try {
        const found = await api.post("api/inspect", question);
        if (!found) return null;
        say("");
        if (found.picture) found.input = found.picture.image;
        seen = found;
        self.tools.surprise = [temperature()];
        if (!question.prefix && !question.off) plain = found;
        else if (!plain) compare(question);
        picture.show(readsPicture(), found);
        if (!found.picture && text.value !== found.input && document.activeElement !== text && typeof found.input === "string") text.value = found.input;
        answered();
        return found;
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        say(error.message);
        return null;
      } finally {
        document.body.classList.remove("asking");
      }
    },
  };

  /** Take what /api/runs says: models that were trained meanwhile, checkpoints that came or went. */
  async function learned(found) {
    const before = JSON.stringify(self.checkpoints());
    runs = found;
    const known = models.map(({ name }) => name);
    if (runs.some((run) => run.ready && !known.includes(run.model))) models = (await api.get("api/models").catch(() => null)) ?? models;
    const names = [...models, ...self.checkpoints()].map(({ name }) => name);
    if (names.length && !names.includes(state.now.model)) { // nothing was trained before, or that checkpoint is gone
      const of = state.now.model.split("@")[0];
      state.set({ model: names.find((name) => name === of) ?? names.find((name) => name.startsWith(`${of}@`)) ?? names[0] });
    }
    if (models.length !== known.length || before !== JSON.stringify(self.checkpoints())) {
      dress();
      guide?.();
    }
  }

  /** What the model says with nothing changed, where a link began with a change. */
  async function compare({ prefix, off, ...question }) {
    plain = await api.post("api/inspect", question, "plain").catch(() => null);
    if (plain && seen) answered();
  }

  function answered() {
    answer(place("answer"), seen, plain, self);
    place("took").textContent = words.ask.took(Math.round(seen.milliseconds));
    if (seen.cut) say(words.ask.cut);
  }

  function say(message) {
    place("trouble").replaceChildren(...said(message));
    place("trouble").hidden = !message;
  }

  function reached(gone) {
    document.body.classList.toggle("gone", gone);
    say(gone ? words.trouble.gone : "");
    if (!gone) open();
  }

  // --- the page around the views -------------------------------------------------------------------

  function dress() {
    document.documentElement.lang = words.code;
    document.title = words.title;
    const model = self.model();
    place("models").replaceChildren(...modelOptions(models, self.checkpoints(), words));
    place("models").value = model?.name ?? "";
    place("models").hidden = !model;
    place("models").setAttribute("aria-label", words.ask.model);
    place("about").textContent = model ? [model.task, model.model, languages(model)].filter(Boolean).join(" · ") : "";
    text.hidden = readsPicture();
    picture.show(readsPicture(), seen);
    another.textContent = words.ask.another;
    another.hidden = !model || data.key;
    text.placeholder = words.ask.placeholder;
    text.setAttribute("aria-label", words.ask.text);
    place("key-label").textContent = words.ask.key;
    place("tour").textContent = words.tour.start;
    const tabs = VIEWS.filter((view) => view.there(model)).map((view) => element("button", {
      type: "button", title: words.views_say[view.id], "data-view": view.id,
      "aria-current": view.id === shownView().id ? "page" : null, onclick: () => state.set({ view: view.id, pointed: null }),
    }, words.views[view.id]));
    place("tabs").replaceChildren(...tabs);
    languageSwitch(place("language"), state.now.language, words.language, (code) => state.set({ language: code }));
    themeSwitch(place("theme"), words.theme);
  }

  const readsPicture = () => self.model()?.task === "caption";

  function temperature() {
    const now = Number(state.now.temperature === "" ? (seen?.temperature ?? 0) : state.now.temperature);
    const shown = element("output", {}, now ? now.toFixed(1) : words.ask.greedy);
    const slider = element("input", {
      type: "range", min: 0, max: 2, step: 0.1, value: now, "aria-label": words.ask.temperature,
      oninput: () => (shown.textContent = Number(slider.value) ? Number(slider.value).toFixed(1) : words.ask.greedy),
      onchange: () => state.set({ temperature: slider.value, prefix: "", at: "" }),
    });
    const again = element("button", { type: "button", class: "quiet", onclick: () => state.set({ seed: String(Number(state.now.seed || 0) + 1), prefix: "", at: "" }) }, words.ask.again);
    return element("span", { class: "temperature" }, element("label", {}, `${words.ask.temperature} `, slider), shown, now ? again : null);
  }

  /** The view that is asked for, or the first that there is anything to show in. */
  const shownView = () => {
    const there = VIEWS.filter((one) => one.there(self.model()));
    return there.find((one) => one.id === state.now.view) ?? there[0];
  };

  /** Which runs there are, and which checkpoints they keep: asked once, and again by the view of runs. */
  const know = () => api.get("api/runs", "know").then((found) => found && learned(found.runs), () => {});

  function open() {
    current?.close();
    const view = shownView();
    document.body.classList.toggle("no-text", !view.reads);
    current = view.open(place("view"), self);
  }

  // --- what the reader does ----------------------------------------------------------------------------

  let typing = 0;
  /** Another input: what was chosen for the one before does not hold for it. */
  function write(text, example = "") {
    plain = null;
    state.set({ text, example, prefix: "", off: "", at: "", other: null, out: "", pointed: null, cell: null });
  }
  text.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => write(text.value), PAUSE);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      clearTimeout(typing);
      write(text.value);
    }
  });
  function choose(model) {
    plain = seen = null;
    text.value = "";
    state.set({ ...START, model, text: null, example: "", other: null, against: "", out: "", temperature: "", seed: "", word: "", side: "", colour: "", sort: "", only: "", confused: "", part: "", path: "", step: "", symbol: "" });
  }
  place("models").addEventListener("change", (event) => choose(event.target.value));
  place("key").addEventListener("change", async (event) => {
    api.key = event.target.value;
    try {
      models = (await api.get("api/models")) ?? [];
      say("");
      state.set({ model: models[0]?.name ?? "" });
      dress();
      open();
      know();
    } catch (error) {
      say(error.message);
    }
  });
  // with nothing in focus the horizontal arrows step through the answer
  document.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || document.activeElement !== document.body || !seen?.steps.length || state.now.view !== "weave") return;
    const last = seen.rows[seen.stepped].tokens.length - 1;
    const at = state.now.at.startsWith("t") ? Number(state.now.at.slice(1)) + by : by > 0 ? 0 : last;
    event.preventDefault();
    state.set({ at: `t${Math.max(0, Math.min(last, at))}`, pointed: null });
  });

  another.addEventListener("click", () => {
    text.value = "";
    write(null, String((Number(state.now.example || 0) + 1) % EXAMPLES));
  });

  const picture = pictureInput(place("picture"), self);
  if (state.now.text !== null && !readsPicture()) text.value = state.now.text;
  place("key-field").hidden = !data.key;
  dress();
  if (!data.key) open();
  else say(words.trouble.key);
  if (!data.key) know();
  let ready = false;
  state.watch((now, before) => {
    if (!ready) return;
    if (now.text !== before.text && text.value !== now.text && now.text !== null && !readsPicture()) text.value = now.text;
    if (now.language !== before.language) {
      words = wordsOf(now.language);
      dress();
      if (seen) answered();
    }
    if (now.view !== before.view || now.model !== before.model || now.temperature !== before.temperature) dress();
    if (now.view !== before.view) open();
    else current?.changed(now, before);
  });
  ready = true;
  followAddress(state, { ...KNOWN, language: "" }, (found) => state.set({ ...found, language: language(found.language), model: found.model || models[0]?.name || "", pointed: null }));
  onTheme(() => requestAnimationFrame(() => current?.draw()));
  guide = tour(place("tour"), self);
}

function languages({ source_language: from, target_language: to }) {
  return [from, to].filter((code) => code && code !== "und").join(" → ");
}
