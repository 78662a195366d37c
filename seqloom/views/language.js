// The words of a page, in the reader's language. Each language is one file with the same names.

import english from "seqloom/strings-en.js";
import chinese from "seqloom/strings-zh.js";

export const LANGUAGES = { en: ["English", english], zh: ["中文", chinese] };
const KEY = "seqloom-language";

/** The language by its code; without one, what was chosen before, or what the browser prefers. */
export function language(code) {
  const wanted = [code, recalled(), ...navigator.languages.map((one) => one.slice(0, 2)), "en"];
  return wanted.find((one) => Object.hasOwn(LANGUAGES, one ?? ""));
}

/** The words of a language. */
export const words = (code) => LANGUAGES[code][1];

export function remember(code) {
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
