// The page of a trained model: its parts as tabs, one of them in view.

import { explanation } from "seqloom/explanation.js";
import { overview } from "seqloom/overview.js";

/** `options` as of `explanation`; `start.part` is the number of the part that is shown first, else the last. */
export function walkthrough(data, { start = {}, changed = null, ...options } = {}) {
  const tabs = [...document.querySelectorAll("#parts [role=tab]")];
  const panels = tabs.map((tab) => document.getElementById(tab.getAttribute("aria-controls")));
  const mark = overview(document.getElementById("whole"), tabs, data.joins, options.words);
  const first = start.part in tabs ? start.part : tabs.length - 1;
  const live = new Map(); // a part comes to life when it is first seen; what is looked at in each
  const show = (at) => {
    tabs.forEach((tab, number) => {
      tab.setAttribute("aria-selected", String(number === at));
      tab.tabIndex = number === at ? 0 : -1;
      panels[number].hidden = number !== at;
    });
    mark(at);
    if (live.has(at)) changed?.({ part: at, ...live.get(at) });
    else {
      const seen = (now) => (live.set(at, now), changed?.({ part: at, ...now }));
      live.set(at, {});
      explanation(data.parts[at], panels[at], { start: at === first ? start : {}, changed: seen, ...options });
    }
  };
  tabs.forEach((tab, at) => tab.addEventListener("click", () => show(at)));
  document.getElementById("parts").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = tabs.indexOf(document.activeElement) + by;
    if (!by || !tabs[to]) return;
    event.preventDefault();
    tabs[to].focus();
    show(to);
  });
  show(first);
}
