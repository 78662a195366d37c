// Light, dark, or as the reader's system has it. Colours live in page.css; this only says which.

import { element, icon } from "seqloom/dom.js";

const SAYS = { label: "Colours", auto: "as the system", light: "light", dark: "dark" };
const CHOICES = {
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  light: "M8 5a3 3 0 1 0 0 6a3 3 0 0 0 0-6M8 1v1M8 14v1M1 8h1M14 8h1M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  dark: "M13.5 9.8A5.8 5.8 0 0 1 6.2 2.5a5.8 5.8 0 1 0 7.3 7.3z",
};
const KEY = "seqloom-theme";

/** Build the switch into `place`, in the words of a language. */
export function themeSwitch(place, words = SAYS) {
  const buttons = Object.entries(CHOICES).map(([name, path]) => {
    const says = `${words.label}: ${words[name]}`;
    const attributes = { type: "button", title: says, "aria-label": says, "data-choice": name };
    return element("button", { ...attributes, onclick: () => choose(name) }, icon(path));
  });
  const choose = (name) => {
    document.documentElement.dataset.theme = name;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.choice === name));
    remember(name);
  };
  place.replaceChildren(element("div", { class: "switch", role: "group", "aria-label": words.label }, ...buttons));
  choose(recall());
}

// A page in a notebook's frame may keep nothing; then the choice lasts as long as the page.
function remember(name) {
  try {
    localStorage.setItem(KEY, name);
  } catch {}
}

function recall() {
  try {
    const name = localStorage.getItem(KEY);
    return name in CHOICES ? name : "auto";
  } catch {
    return "auto";
  }
}
