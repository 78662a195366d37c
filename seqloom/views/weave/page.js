// The page of a file: runs that were recorded, one below the other. Each comes to life when it is first seen.

import { language, languageSwitch } from "seqloom/language.js";
import { State } from "seqloom/state.js";
import { words as wordsOf } from "seqloom/strings.js";
import { themeSwitch } from "seqloom/theme.js";
import { START, followTheme, panels } from "seqloom/weave/panels.js";

/** The page of a file: its runs, and the reader's choice of language and colours. */
export function weavePage() {
  const { runs } = JSON.parse(document.getElementById("data").textContent);
  const speak = showRuns(runs, language(""), dress);

  function dress(words) {
    document.documentElement.lang = words.code;
    languageSwitch(document.getElementById("language"), words.code, words.language, (code) => speak(code));
    themeSwitch(document.getElementById("theme"), words.theme);
  }
}

/** Draw runs into the places of a page that wait for them, in order; the function that is returned changes the language. */
export function showRuns(runs, code = language(""), dress = () => {}) {
  const places = [...document.querySelectorAll("[data-run]")];
  const states = runs.map(() => new State({ ...START }));
  const built = new Map(); // the panels of the runs that were seen, by number
  let words = wordsOf(code);

  function build(at) {
    built.set(at, panels(places[at], runs[at], { state: states[at], words }));
  }

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const at = places.indexOf(target);
      if (isIntersecting && !built.has(at)) build(at);
    }
  }, { rootMargin: "600px" });
  dress(words);
  places.forEach((place, at) => {
    states[at].watch((now, before) => {
      if (!built.has(at)) return;
      if (now.group !== before.group) build(at);
      else built.get(at).light();
    });
    seen.observe(place);
  });
  followTheme(() => ({ draw: () => built.forEach((made) => made.draw()) }));
  return (code) => {
    words = wordsOf(code);
    dress(words);
    for (const at of built.keys()) build(at);
  };
}
