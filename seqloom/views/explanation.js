// The page of a definition: figure, formula, code and numbers, tied by one id for each symbol.

import { setFormula } from "seqloom/formula.js";
import { link, places } from "seqloom/link.js";
import { openViews } from "seqloom/open.js";
import { State } from "seqloom/state.js";
import { timeBar } from "seqloom/time.js";
import { Record, valuePanel } from "seqloom/value.js";

/** One definition: `root` holds everything that is said of it. */
export function explanation(data, root = document.querySelector("[data-part]")) {
  const main = root.querySelector(".stage");
  const part = (name) => root.querySelector(`[data-place="${name}"]`);
  const symbols = new Map(data.views.flatMap((view) => view.symbols.map((note) => [note.id, note])));
  const lines = new Map(data.views.flatMap((view) => view.lines.map((line) => [line.id, line])));
  const operations = Object.assign({}, ...data.views.map((view) => view.operations));
  const roomy = matchMedia("(width >= 800px)").matches; // else the value would cover what is yet to be read
  const state = new State({ pointed: roomy ? (data.views[0].lines.at(-1)?.id ?? null) : null });
  const dress = (section) => {
    colour(section, symbols);
    for (const title of section.querySelectorAll("svg title")) title.remove(); // the panel says it, and better
    for (const pane of section.querySelectorAll(".pane.formula")) setFormula(pane);
  };
  dress(main);
  const sections = openViews(main, part("trail"), state, data.views, dress);
  link(main, state);
  state.watch(({ path }) => {
    part("latex").textContent = data.views.find((view) => view.path === path).latex; // of what is open
  });
  const labels = data.steps.map((step) => step.label);
  timeBar(part("time"), labels, state);
  valuePanel(part("value"), {
    record: new Record(data.steps, data.kinds),
    labels,
    state,
    notes: (id) => noteOf(id, main, state, { symbols, lines, operations }),
    views: {
      has: (path) => data.views.some((view) => view.path === path),
      nameOf: (path) => data.views.find((view) => view.path === path).name.replaceAll("_", "-"),
      open: sections.open,
    },
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || root.hidden) return;
    if (state.now.pinned !== null) state.set({ pinned: null, pointed: null });
    else if (state.now.path !== "") sections.close();
    else state.set({ pointed: null });
  });
}

/** Symbols wear the colour of their kind in every pane. */
function colour(main, symbols) {
  for (const place of places(main)) {
    const kind = symbols.get(place.dataset.id)?.kind;
    if (kind && !place.querySelector("[data-id]")) place.dataset.kind = kind; // an operation of the same id stays plain
  }
}

/** What can be said of an id: from the legend, from the comment of its line, from the kind of operation. */
function noteOf(id, main, state, { symbols, lines, operations }) {
  const symbol = symbols.get(id);
  const line = lines.get(id);
  const view = main.querySelector(`[data-path="${CSS.escape(state.now.path)}"]`);
  const listed = find(main, ".symbols", id)?.querySelector("math > *");
  const written = listed ?? find(view, ".formula", id) ?? find(main, ".formula", id);
  const drawn = find(view, ".figure", id) ?? find(main, ".figure", id);
  return {
    name: drawn?.getAttribute("aria-label")?.replace(/^\w+ /, "") ?? id, // without its kind
    kind: symbol?.kind ?? "",
    shape: symbol?.shape ?? "",
    says: symbol?.sense || line?.caption || operations[id] || "",
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
