// The entry: read what Python recorded, and bring the page to life.

import { copyButtons } from "seqloom/copy.js";
import { experiment } from "seqloom/experiment.js";
import { explanation } from "seqloom/explanation.js";
import { translated, wordsOf } from "seqloom/inside_words.js";
import { language, languageSwitch } from "seqloom/language.js";
import { themeSwitch } from "seqloom/theme.js";
import { walkthrough } from "seqloom/walkthrough.js";

const data = JSON.parse(document.getElementById("data").textContent);
const written = [...document.body.children].filter((part) => part.tagName !== "SCRIPT"); // by Python, in English
const fresh = written.map((part) => part.cloneNode(true));
let shown = written;
let seen = {}; // what the reader looks at

if (data.page === "experiment") {
  themeSwitch(document.getElementById("theme"));
  experiment(data);
  copyButtons(document);
} else speak(language());

/** The page in a language: as it was written, its texts in other words. */
function speak(code) {
  const words = wordsOf(code, data.texts);
  document.documentElement.lang = words.code;
  if (shown !== written || code !== "en") {
    const made = fresh.map((part) => part.cloneNode(true));
    for (const part of made) translated(part, words);
    shown[0].before(...made);
    for (const part of shown) part.remove();
    shown = made;
  }
  languageSwitch(document.getElementById("language"), code, words.language, (chosen) => speak(chosen));
  themeSwitch(document.getElementById("theme"), words.theme);
  const options = { start: seen, changed: (now) => (seen = now), words };
  if (data.page === "walkthrough") walkthrough(data, options);
  else explanation(data, document.querySelector("[data-part]"), options);
  copyButtons(document, words.copied);
}
