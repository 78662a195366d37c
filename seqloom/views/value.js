// The value of the chosen symbol: its name, its shape, what it means, its numbers now and over time.

import { Arithmetic } from "seqloom/arithmetic.js";
import { arithmeticView } from "seqloom/arithmetic_view.js";
import { element } from "seqloom/dom.js";
import { heat, scaleOf } from "seqloom/heat.js";
import { inWords } from "seqloom/inside_words.js";

/** Numbers by id and moment; what did not change since the moment before is not stored again. */
export class Record {
  #steps;
  #kinds;

  /**
   * A value is stored as [kind, numbers], or as the id of another one that is equal to it in this moment;
   * `kinds` says what a value has beside its numbers: its shape, the words along its axes.
   */
  constructor(steps, kinds) {
    this.#steps = steps.map(({ values }) => values);
    this.#kinds = kinds;
  }

  at(step, id) {
    for (let moment = step; moment >= 0; moment--) {
      const value = this.#steps[moment][id];
      if (typeof value === "string") return this.at(moment, value);
      if (value !== undefined) return value && { ...this.#kinds[value[0]], data: value[1] };
    }
    return null;
  }

  all(id) {
    return this.#steps.map((_, step) => this.at(step, id));
  }

  changes(id) {
    return this.#steps.slice(1).some((values) => values[id] !== undefined);
  }
}

/**
 * Build the panel into `place` and keep it up to date.
 *
 *   record  the numbers
 *   labels  the token of each moment
 *   notes   what is known of an id: {name, kind, shape, says, label}
 *   views   what can be opened: {has(path), nameOf(path), open(path)}
 *   recipes how each id is made of others
 *   says    the words of a language
 */
export function valuePanel(place, { record, labels, notes, views, state, recipes = {}, says }) {
  const scales = new Map(); // one scale for all moments of an id, so that colours can be compared
  const scaleFor = (id) => {
    if (!scales.has(id)) scales.set(id, scaleOf(record.all(id).filter(Boolean)));
    return scales.get(id);
  };
  state.watch(() => {
    const id = state.chosen;
    place.replaceChildren(...(id === null ? [] : about(id)));
    if (state.now.pinned === null) place.append(element("p", { class: "hint" }, says.hint));
    reveal(place);
  });

  function about(id) {
    const note = notes(id);
    const value = record.at(state.now.step, id);
    const opens = views.has(id) && id !== state.now.path;
    const open = { type: "button", class: "open", onclick: () => views.open(id) };
    const made = element("section", { class: "made", tabindex: 0, "aria-live": "polite", "aria-label": says.arithmetic });
    return [
      heading(id, note, value, state, says),
      note.says && element("p", { class: "says" }, note.says),
      value && numbers(id, note, value, made),
      value?.note && element("p", { class: "part" }, says.part(value.note)),
      value && made,
      opens && element("button", open, says.open(views.nameOf(id))),
    ].filter(Boolean);
  }

  function numbers(id, note, value, made) {
    const scale = scaleFor(id);
    const isRow = value.shape.length < 2;
    return labels.length > 1 && isRow && record.changes(id)
      ? byToken(id, note, scale, value.columns, made)
      : heat(value, { scale, says: says.numbers(note.name), chosen: strongest(value.data), point: (at) => explain(made, state.now.step, id, placeOf(at, value)) });
  }

  /** Write out the arithmetic behind one number; nothing where it was given, as a weight is. */
  function explain(made, step, id, index) {
    const lines = new Arithmetic((each) => record.at(step, each), recipes).lines(id, index);
    const name = (each, place) => {
      const { label, name: plain } = notes(each);
      const { rows, columns } = record.at(step, each) ?? {};
      const words = place.map((at, axis) => (axis === place.length - 1 && columns ? columns[at] : axis === place.length - 2 && rows && place.length > 1 ? rows[at] : at));
      return [label ?? plain, place.length ? element("sub", {}, `[${words.join(", ")}]`) : ""];
    };
    made.replaceChildren(...(lines.length ? [element("h3", {}, says.arithmetic), arithmeticView(lines, { name, words: says })] : []));
  }

  /** A vector that changes: one below the other for all tokens, this moment's marked. */
  function byToken(id, note, scale, columns, made) {
    const moments = record.all(id).map((value) => value?.data ?? []);
    const width = Math.max(...moments.map((row) => row.length));
    const data = moments.flatMap((row) => Array.from({ length: width }, (_, at) => row[at]));
    const words = columns?.length === width ? columns : null;
    return heat({ shape: [moments.length, width], data, rows: labels, columns: words }, {
      scale,
      marked: state.now.step,
      pick: (step) => state.set({ step }),
      says: says.by_token(note.name),
      chosen: state.now.step * width + strongest(moments[state.now.step] ?? []),
      point: (at) => explain(made, Math.floor(at / width), id, record.at(Math.floor(at / width), id)?.shape.length ? [at % width] : []),
    });
  }
}

/** Where the largest number stands. */
function strongest(data) {
  return data.reduce((best, number, at) => (Math.abs(number) > Math.abs(data[best]) || typeof data[best] !== "number" ? at : best), 0);
}

/** The indices of a number by its place in the flat list; tokens below each other count as a vector. */
function placeOf(at, { shape, of }) {
  if (of?.length === 1 && shape.length === 2) return [at];
  return shape.map((size, axis) => Math.floor(at / shape.slice(axis + 1).reduce((product, each) => product * each, 1)) % size);
}

function heading(id, note, value, state, says) {
  const shape = value && (value.of ?? value.shape);
  const sizes = shape && (shape.length ? shape.join(" × ") : says.one);
  const pinned = state.now.pinned === id;
  const close = {
    type: "button",
    class: pinned ? "close pinned" : "close",
    title: says.release,
    onclick: () => state.set({ pinned: null, pointed: null }),
  };
  return element("header", {},
    element("div", {},
      element("h2", { "data-kind": note.kind || null, "aria-label": note.name }, note.label ?? note.name),
      element("p", { class: "facts" },
        note.kind && element("span", { class: "kind", "data-kind": note.kind }, inWords(note.kind, says)),
        note.shape && element("span", { class: "letters" }, note.shape),
        sizes && element("span", { class: "sizes" }, sizes))),
    element("button", close, pinned ? `${says.pinned} ×` : "×"));
}

/** Scroll a long table to the marked row, and nothing but the table. */
function reveal(place) {
  const row = place.querySelector("tr.marked");
  const window = row?.closest(".slices");
  if (window) window.scrollTop = row.offsetTop - (window.clientHeight - row.offsetHeight) / 2;
}
