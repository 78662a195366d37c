// The page of a trained model: its parts as tabs, one of them in view.

import { explanation } from "seqloom/explanation.js";

export function walkthrough(data) {
  const tabs = [...document.querySelectorAll("#parts [role=tab]")];
  const panels = tabs.map((tab) => document.getElementById(tab.getAttribute("aria-controls")));
  const live = new Set(); // a part comes to life when it is first seen
  const show = (at) => {
    tabs.forEach((tab, number) => {
      tab.setAttribute("aria-selected", String(number === at));
      tab.tabIndex = number === at ? 0 : -1;
      panels[number].hidden = number !== at;
    });
    if (!live.has(at)) explanation(data.parts[at], panels[at]);
    live.add(at);
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
  show(tabs.length - 1);
}
