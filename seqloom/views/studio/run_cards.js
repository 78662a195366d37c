// The runs in a row: how far each is, how fast, how large. One that trains can be told to stop; any can be hidden.

import { drawing, element } from "seqloom/dom.js";

/** `stop(name)` asks the server; `show(runs, others, may_stop)` leaves the focus where it is. */
export function runCards(studio, stop) {
  const list = element("ul", { class: "run-cards" });
  const rest = element("p", { class: "other-runs" });
  const cards = new Map(); // by name
  const { state } = studio;

  const hidden = () => new Set(state.now.hidden.split(",").filter(Boolean).map(decodeURIComponent));

  function toggle(name) {
    const now = hidden();
    if (!now.delete(name)) now.add(name);
    state.set({ hidden: [...now].map(encodeURIComponent).join(",") });
  }

  function card(name, look) {
    const sample = drawing("svg", { class: "sample", viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" },
      drawing("path", { class: `curve look-${look % 9}`, d: "M0 6h28" }));
    const parts = {
      name: element("button", { type: "button", class: "run-name", onclick: () => toggle(name) }, sample, element("bdi", {}, name)),
      kind: element("span", { class: "kind" }),
      status: element("span", { class: "status" }),
      progress: element("div", { class: "run-bar", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }),
      far: element("p", { class: "far" }),
      facts: element("dl", { class: "run-facts" }),
      stop: element("button", { type: "button", class: "stop", onclick: () => ((parts.stop.disabled = true), stop(name)) }),
    };
    const root = element("li", { class: "run-card" },
      element("header", {}, parts.name, parts.kind, parts.status), parts.progress, element("div", { class: "going" }, parts.far, parts.stop), parts.facts);
    return { root, ...parts };
  }

  /** Runs of other tasks, a click away. */
  function offer(others) {
    const names = others.map(({ model, status }) => `${model} ${status}`).join("\n");
    if (rest.dataset.names === names + studio.words.code) return;
    rest.dataset.names = names + studio.words.code;
    rest.hidden = !others.length;
    rest.replaceChildren(studio.words.runs.others, ...others.flatMap((run) => [" ", element("button", {
      type: "button", "data-status": run.status, onclick: () => studio.choose(run.ready ? run.model : run.checkpoints.length ? `${run.model}@${run.checkpoints.at(-1)}` : ""),
    }, `${run.model} · ${run.task}`)]));
  }

  function show(runs, others, may_stop) {
    const { words } = studio;
    offer(others);
    const several = runs.length > 1;
    runs.forEach((run, look) => {
      if (!cards.has(run.model)) cards.set(run.model, card(run.model, look));
      const one = cards.get(run.model);
      const off = hidden().has(run.model);
      const trains = run.status === "running";
      one.root.dataset.status = run.status;
      one.root.toggleAttribute("data-hidden", off);
      one.name.disabled = !several;
      one.name.setAttribute("aria-pressed", String(!off));
      one.name.title = several ? words.runs.toggle(run.model) : "";
      one.kind.textContent = [run.task, run.architecture].filter(Boolean).join(" · ");
      one.status.textContent = run.stopping && trains ? words.runs.stopping : words.runs.status[run.status];
      const part = run.status === "finished" ? 1 : run.steps ? Math.min(1, run.step / run.steps) : 0;
      one.progress.style.setProperty("--done", `${100 * part}%`);
      one.progress.setAttribute("aria-valuenow", Math.round(100 * part));
      one.progress.setAttribute("aria-label", words.runs.far(run.model));
      one.far.textContent = words.runs.progress(run);
      const facts = words.runs.facts(run);
      one.facts.replaceChildren(...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
      one.stop.hidden = !(trains && may_stop);
      one.stop.disabled = run.stopping;
      one.stop.textContent = words.runs.stop;
      one.stop.title = words.runs.stop_says;
    });
    for (const [name, { root }] of cards) if (!runs.some(({ model }) => model === name)) root.remove(), cards.delete(name);
    const order = runs.map(({ model }) => cards.get(model).root);
    order.forEach((root, at) => list.children[at] !== root && list.insertBefore(root, list.children[at] ?? null));
    list.classList.toggle("alone", !several);
  }

  return { element: element("div", {}, list, rest), show };
}
