// In which language a page speaks, and how the reader chooses it.

import { element } from "seqloom/dom.js";

const LANGUAGES = { en: "English", zh: "中文" };
const KEY = "seqloom-language";

/** The language by its code; without one, what was chosen before, or what the browser prefers. */
export function language(code) {
  const wanted = [code, recalled(), ...navigator.languages.map((one) => one.slice(0, 2)), "en"];
  return wanted.find((one) => Object.hasOwn(LANGUAGES, one ?? ""));
}

/** Build the switch into `place`: which language is spoken now, what the switch is called in it, who is told of another. */
export function languageSwitch(place, now, says, choose) {
  const buttons = Object.entries(LANGUAGES).map(([code, name]) => element("button", {
    type: "button", lang: code, "aria-pressed": String(code === now), onclick: () => (remember(code), choose(code)),
  }, name));
  place.replaceChildren(element("div", { class: "switch words", role: "group", "aria-label": says }, ...buttons));
}

function remember(code) {
  try {
    localStorage.setItem(KEY, code);
  } catch {} // a page in a frame may keep nothing
}

function recalled() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** A sentence with emphasis: words between asterisks stand out, and each keeps its own direction. */
export function said(text) {
  return text.split(/\*([^*]*)\*/).map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part);
    const strong = document.createElement("b");
    strong.append(Object.assign(document.createElement("bdi"), { textContent: part.replaceAll("\u0001", "*") }));
    return strong;
  });
}

/** A token inside such a sentence. */
export const quoted = (token) => `*${token.replaceAll("*", "\u0001")}*`;
