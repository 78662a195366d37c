// The steps of an answer: at each the tokens that could stand there. Another one is a click away, and the rest follows.

import { scale } from "seqloom/colour.js";
import { element, icon } from "seqloom/dom.js";
import { barScene } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";

const BACK = "M10 3L5 8l5 5";
const AHEAD = "M6 3l5 5-5 5";

/** `offset` is how far the steps stand behind the tokens of their row. */
export function steps(context, run, { offset = 0 } = {}) {
  const { state, words, change } = context;
  const list = element("ol", { class: "candidates" });
  const before = element("p", { class: "before" });
  const button = (says, path, by) => element("button", {
    type: "button", class: "round", "aria-label": says, title: says, onclick: () => go(now() + by),
  }, icon(path));
  const back = button(words.steps.previous, BACK, -1);
  const ahead = button(words.steps.next, AHEAD, 1);
  const count = element("output", { class: "count" });
  const undo = change && element("button", { type: "button", class: "quiet", hidden: true, onclick: () => change({ prefix: "" }) }, words.steps.undo);
  const last = run.steps.length - 1;
  const go = (step) => state.set({ at: `t${Math.max(0, Math.min(last, step)) + offset}`, pointed: null });

  /** The step that is looked at: that of the token pointed at or stepped to, else the first that was open to doubt. */
  function now() {
    const name = state.now.pointed?.startsWith("t") ? state.now.pointed : state.now.at;
    if (name?.startsWith("t")) return Math.max(0, Math.min(last, Number(name.slice(1)) - offset));
    return doubtful();
  }

  function doubtful() {
    const open = run.steps.some((step) => !step.given);
    const p = run.steps.map((step) => (open && step.given ? 2 : step.p));
    return p.indexOf(Math.min(...p));
  }

  let drawn = -1; // the step that is listed

  function draw() {
    const at = (drawn = now());
    const step = run.steps[at];
    const free = change && !step.given;
    const written = run.steps.slice(Math.max(0, at - 12), at).map((one) => shown(one.token));
    before.replaceChildren(at > 12 ? "… " : "", element("bdi", {}, written.join(run.spaced ? " " : "")), element("span", { class: "caret" }, "▸"));
    list.replaceChildren(...listed(step).map((one) => {
      const chosen = one.id === step.id;
      const bar = element("span", { class: "bar", "--w": `${100 * one.p}%`, "--c": scale().at(one.p) });
      const inside = [element("bdi", { class: "what" }, shown(one.token)), bar, element("span", { class: "p" }, probability(one.p))];
      const attributes = { class: chosen ? "candidate chosen" : "candidate" };
      return element("li", {}, free && !chosen
        ? element("button", { ...attributes, type: "button", title: words.steps.instead(shown(one.token)), onclick: () => take(at, one) }, ...inside)
        : element("span", { ...attributes, "aria-current": chosen ? "true" : null }, ...inside));
    }));
    back.disabled = at === 0;
    ahead.disabled = at === last;
    count.textContent = words.steps.count(at + 1, run.steps.length);
    if (undo) undo.hidden = !state.now.prefix;
    return sentence(step);
  }

  function take(at, candidate) {
    const own = run.steps.slice(0, at).filter((step) => !step.given);
    change({ prefix: [...own.map((step) => step.id), candidate.id].join("."), at: `t${at + offset}`, pointed: null });
  }

  function sentence(step) {
    const next = step.candidates.find((one) => one.id !== step.id);
    const says = next?.p > step.p ? words.steps.behind : words.steps.says;
    return says(shown(step.token), probability(step.p), next && shown(next.token), next && probability(next.p));
  }

  return {
    element: element("div", { class: "steps-body" }, before, list),
    tools: [undo, back, count, ahead].filter(Boolean),
    draw,
    light: () => (now() === drawn ? sentence(run.steps[drawn]) : draw()),
    scene() {
      return barScene(listed(run.steps[now()]).map((one) => [one.token, one.p]), { name: shown, part: probability });
    },
    numbers: () => ({
      columns: ["step", "token", "probability", "chosen"],
      rows: run.steps.flatMap((step, at) => listed(step).map((one) => [at + 1, one.token, one.p, one.id === step.id])),
    }),
  };
}

/** The candidates, and what was chosen if it is not among them. */
const listed = (step) => (step.candidates.some((one) => one.id === step.id) ? step.candidates : [...step.candidates, step]);

/** A probability as it is read: small ones are not nothing. */
export function probability(p) {
  if (p >= 0.9995) return p === 1 ? "1" : "0.999+";
  return p >= 0.001 ? p.toFixed(3) : "< 0.001";
}
