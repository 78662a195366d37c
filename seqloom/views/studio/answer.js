// The answer, in the largest letters of the page; and what it was before something was changed.

import { element } from "seqloom/dom.js";

export function answer(place, run, plain, { words, state }) {
  const text = headline(run);
  const changed = plain && plain !== run && JSON.stringify(plain.input) === JSON.stringify(run.input) && (state.now.off || state.now.prefix);
  place.parentElement.classList.toggle("silent", text === "" && !changed);
  const before = changed ? headline(plain) : text;
  place.replaceChildren(
    element("output", { class: text.length > 60 ? "text long" : "text", dir: "auto" }, ...(changed ? marked(text, before) : [text])),
    ...(changed ? [element("p", { class: "before" }, text === before ? words.ask.same : words.ask.was(before), " ",
      element("button", { type: "button", class: "quiet", onclick: () => state.set({ off: "", prefix: "" }) }, words.ask.back))] : []));
}

/** What is answered, in a line; a text that goes on is read below, token by token. */
export function headline(run) {
  const { answer } = run;
  if (answer.tags) return (answer.spans ?? []).map(({ text, type }) => `${text} ${type}`).join(" · ");
  if (answer.label !== undefined || answer.labels) return run.text;
  if (answer.continuation !== undefined) return answer.continuation.trim().split("\n")[0].slice(0, 80);
  return run.text;
}

/** The words that are new stand out. */
export function marked(text, before) {
  const cut = /\s/.test(text) ? /(\s+)/ : /(?:)/u;
  const old = before.split(cut);
  return text.split(cut).map((word, at) => (word === old[at] ? word : element("mark", {}, word)));
}
