// The value of the chosen symbol: its name, its shape, what it means, its numbers now and over time.

import { element } from "seqloom/dom.js";
import { heat, scaleOf } from "seqloom/heat.js";

const HINT = "Point at any symbol in the figure, the formula or the code. A click keeps it here, Escape lets it go.";

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
 */
export function valuePanel(place, { record, labels, notes, views, state }) {
  const scales = new Map(); // one scale for all moments of an id, so that colours can be compared
  const scaleFor = (id) => {
    if (!scales.has(id)) scales.set(id, scaleOf(record.all(id).filter(Boolean)));
    return scales.get(id);
  };
  state.watch(() => {
    const id = state.chosen;
    place.replaceChildren(...(id === null ? [] : about(id)));
    if (state.now.pinned === null) place.append(element("p", { class: "hint" }, HINT));
    reveal(place);
  });

  function about(id) {
    const note = notes(id);
    const value = record.at(state.now.step, id);
    const opens = views.has(id) && id !== state.now.path;
    const open = { type: "button", class: "open", onclick: () => views.open(id) };
    return [
      heading(id, note, value, state),
      note.says && element("p", { class: "says" }, note.says),
      value && numbers(id, note, value),
      value?.note && element("p", { class: "part" }, value.note),
      opens && element("button", open, `Open ${views.nameOf(id)}`),
    ].filter(Boolean);
  }

  function numbers(id, note, value) {
    const scale = scaleFor(id);
    const isRow = value.shape.length < 2;
    return labels.length > 1 && isRow && record.changes(id)
      ? byToken(id, note, scale, value.columns)
      : heat(value, { scale, says: `The numbers of ${note.name}` });
  }

  /** A vector that changes: one below the other for all tokens, this moment's marked. */
  function byToken(id, note, scale, columns) {
    const moments = record.all(id).map((value) => value?.data ?? []);
    const width = Math.max(...moments.map((row) => row.length));
    const data = moments.flatMap((row) => Array.from({ length: width }, (_, at) => row[at]));
    const words = columns?.length === width ? columns : null;
    return heat({ shape: [moments.length, width], data, rows: labels, columns: words }, {
      scale,
      marked: state.now.step,
      pick: (step) => state.set({ step }),
      says: `The numbers of ${note.name}, token by token`,
    });
  }
}

function heading(id, note, value, state) {
  const shape = value && (value.of ?? value.shape);
  const sizes = shape && (shape.length ? shape.join(" × ") : "one number");
  const pinned = state.now.pinned === id;
  const close = {
    type: "button",
    class: pinned ? "close pinned" : "close",
    title: "Let go (Escape)",
    onclick: () => state.set({ pinned: null, pointed: null }),
  };
  return element("header", {},
    element("div", {},
      element("h2", { "data-kind": note.kind || null, "aria-label": note.name }, note.label ?? note.name),
      element("p", { class: "facts" },
        note.kind && element("span", { class: "kind", "data-kind": note.kind }, note.kind),
        note.shape && element("span", { class: "letters" }, note.shape),
        sizes && element("span", { class: "sizes" }, sizes))),
    element("button", close, pinned ? "pinned ×" : "×"));
}

/** Scroll a long table to the marked row, and nothing but the table. */
function reveal(place) {
  const row = place.querySelector("tr.marked");
  const window = row?.closest(".slices");
  if (window) window.scrollTop = row.offsetTop - (window.clientHeight - row.offsetHeight) / 2;
}
