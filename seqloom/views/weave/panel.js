// A panel: a heading, a picture, a sentence that says in words what the picture shows, and a way to save both.

import { element } from "seqloom/dom.js";
import { said } from "seqloom/language.js";
import { saveMenu } from "seqloom/save.js";

/**
 * `set(sentence)` changes the sentence.
 *
 *   name     of the panel in the address of files, and its class
 *   title    the heading
 *   tools    elements beside it
 *   scene    () => a Scene, null where the picture is no drawing
 *   numbers  () => {columns, rows}, null where there are none
 */
let made = 0;

export function panel({ name, title, words, tools = [], body, scene = null, numbers = null, hint = "" }) {
  const sentence = element("p", { class: "sentence", role: "status" });
  const save = numbers && saveMenu({ says: words.saving, name: `seqloom-${name}`, scene, numbers });
  const id = `panel-${(made += 1)}`; // a page may have several of a kind
  const head = element("header", {}, element("h2", { id }, title),
    element("div", { class: "tools" }, ...tools), save);
  const root = element("section", { class: `panel ${name}`, "aria-labelledby": id }, head,
    hint ? element("p", { class: "hint" }, hint) : null, body, sentence);
  let last = null;
  const set = (text) => {
    if (text === last) return;
    last = text;
    sentence.replaceChildren(...said(text));
  };
  return { element: root, set };
}

/** A choice of a few: buttons in a row, one of them pressed. */
export function choice(label, options, chosen, choose) {
  const buttons = options.map(([value, text]) => element("button", {
    type: "button", "data-value": value, "aria-pressed": String(value === chosen), onclick: () => choose(value),
  }, text));
  const root = element("div", { class: "switch words", role: "group", "aria-label": label }, ...buttons);
  const set = (value) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.value === String(value)));
  };
  return { element: root, set };
}

/** The key of a scale: a bar with numbers at its ends. */
export function scaleKey(from, to, className, label) {
  return element("span", { class: `scale-key ${className}` }, element("span", { class: "of" }, label),
    element("span", {}, from), element("span", { class: "bar" }), element("span", {}, to));
}
