// The tour: five states of the page, each with a few sentences, for someone who has never seen attention.

import { element } from "seqloom/dom.js";
import { said } from "seqloom/language.js";

/** What each step shows, by task: a change of the state, and the part of the page that it speaks of. */
const WEAVE = { view: "weave", pointed: null };
const ASK = { panel: ".ask", state: () => ({ ...WEAVE, at: "" }) };
const look = (panel) => ({ panel, state: (run) => ({ ...WEAVE, at: sharpest(run) }) });
const WHATIF = { panel: ".panel.whatif", state: () => ({ view: "whatif", pointed: null }) };
const INSIDE = { panel: ".stage-view", state: () => ({ view: "inside", at: "", pointed: null }) };
const ATTENTION = [ASK, look(".panel.weave"), look(".panel.matrix"), look(".panel.steps"), INSIDE];
const STEPS = {
  translate: ATTENTION,
  caption: ATTENTION,
  classify: [ASK, look(".panel.salience"), look(".panel.labels"), WHATIF, INSIDE],
  tag: [ASK, look(".panel.tags"), look(".panel.steps"), WHATIF, INSIDE],
  generate: [ASK, look(".panel.surprise"), look(".panel.steps"), WHATIF, INSIDE],
};
const COUNT = 5;
const NARROW = 700; // pixels of a page that has no room beside the card

/** The written token that looks most at a single one: it shows best what attention is; else one in the middle. */
function sharpest(run) {
  if (!run?.stepped) return "";
  const [seen] = run.attention;
  if (!seen || run.stepped !== seen.rows) return `t${Math.floor(run.steps.length / 2)}`;
  const { shape, data } = seen.matrices["mean.mean"];
  const best = data.reduce((top, weight, at) => (weight > data[top] ? at : top), 0);
  return `t${Math.floor(best / shape[1]) * Math.ceil(seen.shape[0] / shape[0])}`;
}

/** The function that is returned tells the step again, where more is known of the model than before. */
export function tour(button, studio) {
  const { state } = studio;
  const card = element("div", { class: "tour", role: "dialog", "aria-live": "polite", hidden: true });
  document.body.append(card);
  const task = () => (Object.hasOwn(STEPS, studio.model()?.task ?? "") ? studio.model().task : "translate");
  const go = (step) => state.set({ tour: String(step), ...(STEPS[task()][step - 1]?.state(studio.run()) ?? {}) });
  button.addEventListener("click", () => go(1));
  card.addEventListener("keydown", (event) => {
    if (event.key === "Escape") go("");
    if (event.key === "ArrowRight" && number() < COUNT) go(number() + 1);
    if (event.key === "ArrowLeft" && number() > 1) go(number() - 1);
    if (/Escape|Arrow(Left|Right)/.test(event.key)) event.stopPropagation();
  });
  const number = () => Number(state.now.tour);

  state.watch((now, before) => {
    if (["tour", "language", "view", "model"].some((name) => now[name] !== before[name])) tell();
  });

  function tell() {
    const at = number();
    for (const lit of document.querySelectorAll("[data-toured]")) lit.removeAttribute("data-toured");
    card.hidden = !(at >= 1 && at <= COUNT);
    if (card.hidden) return;
    const words = studio.words.tour;
    const [title, text] = words.steps[task()][at - 1];
    const move = (to, label, kind) => element("button", { type: "button", class: kind, onclick: () => go(to) }, label);
    card.setAttribute("aria-label", title);
    card.replaceChildren(
      element("div", { class: "tour-head" }, element("h2", {}, title), element("span", { class: "count" }, words.step(at, COUNT))),
      element("p", {}, ...said(text)),
      element("div", { class: "tour-foot" }, move("", words.close, "quiet"), element("span", { class: "room" }),
        at > 1 ? move(at - 1, words.back, "") : null,
        at < COUNT ? move(at + 1, words.next, "strong") : move("", words.end, "strong")));
    card.querySelector(".strong").focus({ preventScroll: true });
    show(STEPS[task()][at - 1].panel);
  }

  /** Light up what is spoken of, once it is there. */
  function show(name, tries = 40) {
    const found = document.querySelector(name);
    if (!found) return tries && setTimeout(() => number() && show(name, tries - 1), 100);
    found.setAttribute("data-toured", "");
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const covered = innerHeight - card.getBoundingClientRect().top; // where there is little width, the card lies over the page
    const tall = found.getBoundingClientRect().height > innerHeight * 0.7 - (innerWidth < NARROW ? covered : 0);
    found.scrollIntoView({ block: tall ? "start" : "center", behavior: calm ? "auto" : "smooth" });
  }

  return tell;
}
