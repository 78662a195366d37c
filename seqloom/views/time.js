// The moments of a run: one token read after the other. A slider, chips, buttons, arrow keys, and a way to play.

import { element, icon } from "seqloom/dom.js";

const PACE = 900; // milliseconds a token
const BACK = "M10 3L5 8l5 5";
const AHEAD = "M6 3l5 5-5 5";
const PLAY = "M5 3l8 5-8 5z";
const PAUSE = "M5.5 3v10M10.5 3v10";

/** Build the bar of moments into `place`; hidden when there is only one. */
export function timeBar(place, labels, state, says) {
  place.hidden = labels.length < 2;
  if (place.hidden) return;
  const last = labels.length - 1;
  const go = (step) => state.set({ step: Math.max(0, Math.min(last, step)) });
  const button = (says, path, act) =>
    element("button", { type: "button", class: "round", "aria-label": says, title: says, onclick: act }, icon(path));
  const chips = labels.map((label, step) =>
    element("button", { type: "button", role: "radio", class: "chip", onclick: () => go(step) }, label));
  const words = element("div", { class: "chips", role: "radiogroup", "aria-label": says.tokens }, ...chips);
  const count = element("output", { class: "count" });
  const slider = element("input", {
    type: "range", min: 0, max: last, value: 0, "aria-label": says.token, oninput: () => (stop(), go(Number(slider.value))),
  });
  const back = button(says.back, BACK, () => go(state.now.step - 1));
  const ahead = button(says.ahead, AHEAD, () => go(state.now.step + 1));
  const play = button(says.play, PLAY, () => (timer === null ? start() : stop()));
  place.replaceChildren(element("div", { class: "controls" }, back, play, ahead), slider, words, count);

  let timer = null;
  const start = () => {
    if (state.now.step === last) go(0);
    timer = setInterval(() => (state.now.step < last ? go(state.now.step + 1) : stop()), PACE);
    dress(play, says.pause, PAUSE);
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    dress(play, says.play, PLAY);
  };
  const turn = (event) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const to = { Home: 0, End: last }[event.key] ?? (by && state.now.step + by);
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    stop();
    go(to);
    if (words.contains(document.activeElement)) chips[state.now.step].focus();
  };
  place.addEventListener("keydown", turn);
  // with nothing in focus the horizontal arrows belong to time
  document.addEventListener("keydown", (event) => {
    const seen = place.isConnected && !place.closest("[data-part][hidden]");
    if (seen && document.activeElement === document.body && /Left|Right/.test(event.key)) turn(event);
  });
  state.watch(({ step }, before) => {
    if (step === before.step) return;
    chips.forEach((chip, at) => {
      chip.setAttribute("aria-checked", String(at === step));
      chip.tabIndex = at === step ? 0 : -1;
      chip.classList.toggle("past", at < step);
    });
    back.disabled = step === 0;
    ahead.disabled = step === last;
    slider.value = step;
    count.textContent = says.count(step + 1, labels.length);
    reveal(words, chips[step]);
  });
}

function dress(button, says, path) {
  button.setAttribute("aria-label", says);
  button.title = says;
  button.replaceChildren(icon(path));
}

/** Scroll the row of chips alone, never the page. */
function reveal(row, chip) {
  row.scrollTo({ left: chip.offsetLeft - row.offsetLeft - (row.clientWidth - chip.offsetWidth) / 2 });
}
