// The tour: five states of the page, each with a few sentences, for someone who has never seen attention.

import { element } from "seqloom/dom.js";
import { said } from "seqloom/language.js";

/** What each step shows: a change of the state, and the part of the page that it speaks of. */
const STEPS = [
  { panel: ".ask", state: () => ({ view: "weave", at: "", pointed: null }) },
  { panel: ".panel.weave", state: (run) => ({ view: "weave", at: `t${middle(run)}`, pointed: null }) },
  { panel: ".panel.matrix", state: (run) => ({ view: "weave", at: `t${middle(run)}`, pointed: null }) },
  { panel: ".panel.steps", state: (run) => ({ view: "weave", at: `t${middle(run)}`, pointed: null }) },
  { panel: ".stage-view", state: () => ({ view: "inside", at: "", pointed: null }) },
];

const middle = (run) => Math.max(0, Math.floor((run?.steps.length ?? 1) / 2));

export function tour(button, studio) {
  const { state } = studio;
  const card = element("aside", { class: "tour", role: "dialog", "aria-live": "polite", hidden: true });
  document.body.append(card);
  const go = (step) => state.set({ tour: String(step), ...(STEPS[step - 1]?.state(studio.run()) ?? {}) });
  button.addEventListener("click", () => go(1));
  card.addEventListener("keydown", (event) => {
    if (event.key === "Escape") go("");
    if (event.key === "ArrowRight" && number() < STEPS.length) go(number() + 1);
    if (event.key === "ArrowLeft" && number() > 1) go(number() - 1);
    if (/Escape|Arrow(Left|Right)/.test(event.key)) event.stopPropagation();
  });
  const number = () => Number(state.now.tour);

  state.watch((now, before) => {
    if (now.tour === before.tour && now.language === before.language && now.view === before.view) return;
    const at = number();
    for (const lit of document.querySelectorAll("[data-toured]")) lit.removeAttribute("data-toured");
    card.hidden = !(at >= 1 && at <= STEPS.length);
    if (card.hidden) return;
    const words = studio.words.tour;
    const [title, text] = words.steps[at - 1];
    const move = (to, label, kind) => element("button", { type: "button", class: kind, onclick: () => go(to) }, label);
    card.setAttribute("aria-label", title);
    card.replaceChildren(
      element("header", {}, element("h2", {}, title), element("span", { class: "count" }, words.step(at, STEPS.length))),
      element("p", {}, ...said(text)),
      element("footer", {}, move("", words.close, "quiet"), element("span", { class: "room" }),
        at > 1 ? move(at - 1, words.back, "") : null,
        at < STEPS.length ? move(at + 1, words.next, "strong") : move("", words.end, "strong")));
    card.querySelector(".strong").focus({ preventScroll: true });
    show(STEPS[at - 1].panel);
  });

  /** Light up what is spoken of, once it is there. */
  function show(name, tries = 40) {
    const found = document.querySelector(name);
    if (!found) return tries && setTimeout(() => number() && show(name, tries - 1), 100);
    found.setAttribute("data-toured", "");
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const tall = found.getBoundingClientRect().height > innerHeight * 0.7;
    found.scrollIntoView({ block: tall ? "start" : "center", behavior: calm ? "auto" : "smooth" });
  }
}
