// The page of a definition: figure, formula, code and numbers, tied by one id for each symbol.

import { setFormula } from "seqloom/formula.js";
import { inWords, translated, wordsOf } from "seqloom/inside_words.js";
import { link, places } from "seqloom/link.js";
import { openViews } from "seqloom/open.js";
import { saveMenu } from "seqloom/save.js";
import { State } from "seqloom/state.js";
import { svgPicture } from "seqloom/svg_picture.js";
import { timeBar } from "seqloom/time.js";
import { Record, valuePanel } from "seqloom/value.js";

/**
 * One definition: `root` holds everything that is said of it.
 *
 *   start    what is looked at: {path, step, pinned}
 *   changed  is told of it whenever it changes
 *   words    see inside_words.js
 */
export function explanation(data, root = document.querySelector("[data-part]"), { start = {}, changed = null, words = wordsOf("en") } = {}) {
  const main = root.querySelector(".stage");
  const part = (name) => root.querySelector(`[data-place="${name}"]`);
  const symbols = new Map(data.views.flatMap((view) => view.symbols.map((note) => [note.id, note])));
  const lines = new Map(data.views.flatMap((view) => view.lines.map((line) => [line.id, line])));
  const operations = Object.assign({}, ...data.views.map((view) => view.operations));
  const roomy = matchMedia("(width >= 800px)").matches; // else the value would cover what is yet to be read
  const path = data.views.some((view) => view.path === start.path) ? start.path : "";
  const view = data.views.find((one) => one.path === path);
  const state = new State({
    path, step: start.step in data.steps ? start.step : 0, pinned: start.pinned ?? null, pointed: start.pinned ?? (roomy ? (view.lines.at(-1)?.id ?? null) : null),
  });
  const dress = (section) => {
    colour(section, symbols);
    for (const title of section.querySelectorAll("svg title")) title.remove(); // the panel says it, and better
    for (const pane of section.querySelectorAll(".pane.formula")) setFormula(pane);
    translated(section, words);
  };
  dress(main);
  const sections = openViews(main, part("trail"), state, data.views, dress, words.boxes);
  link(main, state);
  state.watch(({ path }) => {
    part("latex").textContent = data.views.find((view) => view.path === path).latex; // of what is open
  });
  const labels = data.steps.map((step) => step.label);
  timeBar(part("time"), labels, state, words.time);
  const record = new Record(data.steps, data.kinds);
  valuePanel(part("value"), {
    record,
    labels,
    state,
    says: words,
    recipes: Object.assign({}, ...data.views.map((view) => view.recipes)),
    notes: (id) => noteOf(id, main, state, { symbols, lines, operations, words }),
    views: {
      has: (path) => data.views.some((view) => view.path === path),
      nameOf: (path) => data.views.find((view) => view.path === path).name.replaceAll("_", "-"),
      open: sections.open,
    },
  });
  const open = () => main.querySelector(`[data-path="${CSS.escape(state.now.path)}"]`);
  const menu = saveMenu({
    says: words.saving, name: `seqloom-${view.name}`, scene: () => svgPicture(open().querySelector(".figure svg")),
    numbers: () => numbersOf(state.chosen ?? view.lines.at(-1)?.id, record, labels),
  });
  main.querySelector(".views").prepend(menu);
  state.watch((now, before) => {
    if (["path", "step", "pinned"].some((name) => now[name] !== before[name])) changed?.(now);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || root.hidden || !root.isConnected) return;
    if (state.now.pinned !== null) state.set({ pinned: null, pointed: null });
    else if (state.now.path !== "") sections.close();
    else state.set({ pointed: null });
  });
}

/** The numbers of a symbol at every moment, a line for each. */
function numbersOf(id, record, labels) {
  const rows = labels.flatMap((label, step) => {
    const value = record.at(step, id);
    if (!value) return [];
    const below = (axis) => value.shape.slice(axis + 1).reduce((product, size) => product * size, 1);
    return value.data.map((number, at) => [id, step + 1, label, value.shape.map((size, axis) => Math.floor(at / below(axis)) % size).join(","), number]);
  });
  return { columns: ["symbol", "step", "token", "index", "value"], rows };
}

/** Symbols wear the colour of their kind in every pane. */
function colour(main, symbols) {
  for (const place of places(main)) {
    const kind = symbols.get(place.dataset.id)?.kind;
    if (kind && !place.querySelector("[data-id]")) place.dataset.kind = kind; // an operation of the same id stays plain
  }
}

/** What can be said of an id: from the legend, from the comment of its line, from the kind of operation. */
function noteOf(id, main, state, { symbols, lines, operations, words }) {
  const symbol = symbols.get(id);
  const line = lines.get(id);
  const view = main.querySelector(`[data-path="${CSS.escape(state.now.path)}"]`);
  const listed = find(main, ".symbols", id)?.querySelector("math > *");
  const written = listed ?? find(view, ".formula", id) ?? find(main, ".formula", id);
  const drawn = find(view, ".figure", id) ?? find(main, ".figure", id);
  const says = symbol?.sense || line?.caption || operations[id] || "";
  return {
    name: drawn?.getAttribute("aria-label")?.replace(/^\S+ /, "") ?? id, // without its kind
    kind: symbol?.kind ?? "",
    shape: symbol?.shape ?? "",
    says: inWords(says, words),
    label: written ? inMath(written) : null,
  };
}

const find = (root, pane, id) => root.querySelector(`${pane} [data-id="${CSS.escape(id)}"]`);

/** A copy of a piece of formula that can stand alone. */
function inMath(piece) {
  const math = document.createElementNS("http://www.w3.org/1998/Math/MathML", "math");
  const copy = piece.cloneNode(true);
  for (const node of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["data-id", "tabindex", "data-lit", "data-pinned"]) node.removeAttribute(name);
  }
  math.append(copy);
  return math;
}
