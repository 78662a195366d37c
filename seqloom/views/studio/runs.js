// Runs: how the models were trained, or are being trained now. Curves over each other, samples over time, a way to stop.

import { liveLineChart } from "seqloom/chart.js";
import { element } from "seqloom/dom.js";
import { Trouble } from "seqloom/studio/api.js";
import { runCards } from "seqloom/studio/run_cards.js";
import { samples } from "seqloom/studio/run_samples.js";
import { panel } from "seqloom/weave/panel.js";

const FALLS = /loss|perplexity/; // from large to tiny: drawn on a scale of powers
const EVERY = 1500; // milliseconds between looks at a run that trains
const FIRST = ["loss", "valid_loss"]; // the order of charts; the others follow as they come

export const runs = {
  id: "runs",
  there: () => true,
  reads: false,

  open(place, studio) {
    const { state, api } = studio;
    let open = true;
    let found = null; // what /api/runs says
    let timer = 0;
    const cards = runCards(studio, stop);
    const grid = element("div", { class: "panels-grid halves" });
    const charts = new Map(); // by metric: {made, chart}
    let told = null; // the panel of samples
    place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.runs.wait));

    async function ask() {
      clearTimeout(timer);
      try {
        const next = await api.get("api/runs");
        if (!next || !open) return;
        found = next;
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        if (open) place.replaceChildren(element("p", { class: "waiting", role: "alert" }, error.message));
        return;
      }
      studio.learned(found.runs);
      build();
      if (found.runs.some(({ status }) => status === "running" || status === "waiting")) timer = setTimeout(ask, document.hidden ? 4 * EVERY : EVERY);
    }

    async function stop(name) {
      try {
        await api.post("api/runs/stop", { model: name });
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        studio.say(error.message);
      }
      ask();
    }

    /** The runs of one task, that of the chosen model: numbers of different tasks say nothing side by side. */
    function alike() {
      const task = studio.model()?.task ?? found.runs[0]?.task;
      return found.runs.filter((run) => run.task === task || !run.task).map((run, look) => ({ ...run, look }));
    }

    /** Those that are not hidden; each has the same colour in every chart. */
    function shown() {
      const hidden = new Set(state.now.hidden.split(",").filter(Boolean).map(decodeURIComponent));
      return alike().filter((run) => !hidden.has(run.model));
    }

    function build() {
      const { words } = studio;
      if (!grid.isConnected) place.replaceChildren(element("div", { class: "runs" }, cards.element, grid));
      cards.show(alike(), found.runs.filter((run) => !alike().some(({ model }) => model === run.model)), found.may_stop);
      const trained = shown();
      const names = [...new Set(trained.flatMap((run) => Object.keys(run.curves)))];
      names.sort((one, other) => rank(one) - rank(other));
      for (const [name, { made }] of charts) if (!names.includes(name)) made.element.remove(), charts.delete(name);
      names.forEach((name, at) => {
        const having = trained.filter((run) => name in run.curves);
        const drawn = described(name, having);
        if (!charts.has(name)) charts.set(name, framed(name, drawn));
        const { made, chart } = charts.get(name);
        if (grid.children[at] !== made.element) grid.insertBefore(made.element, grid.children[at] ?? null);
        chart.show(drawn);
        made.set(sentence(drawn, having));
      });
      const saying = trained.filter((run) => run.samples.length);
      if (saying.length) {
        told ??= samples(studio);
        told.show(saying);
        grid.append(told.element);
      } else if (told) told = void told.element.remove() ?? null;
      grid.dataset.empty = names.length ? "" : words.runs.none;
    }

    const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
    const titleOf = (name) => (name === "loss" ? studio.words.runs.logged : studio.words.runs.metric(name));

    function described(name, having) {
      const series = having.map((run) => ({ name: run.model, look: run.look, x: run.curves[name].steps, y: run.curves[name].values }));
      const positive = series.every(({ y }) => y.every((value) => value > 0));
      return { title: titleOf(name), x_label: studio.words.runs.step, y_label: "", x_scale: "linear", y_scale: FALLS.test(name) && positive ? "log" : "linear", series };
    }

    function framed(name, drawn) {
      const chart = liveLineChart(drawn);
      const made = panel({
        name: `curve curve-${name.replaceAll(/[^\w-]+/g, "-")}`, title: drawn.title, words: studio.words, body: element("div", {}, ...chart.elements), scene: chart.scene,
        numbers: () => {
          const { series } = described(name, shown().filter((run) => name in run.curves));
          return { columns: ["model", "step", name], rows: series.flatMap((line) => line.x.map((step, at) => [line.name, step, line.y[at]])) };
        },
      });
      return { made, chart };
    }

    function sentence({ title, series }, having) {
      const at = Math.max(0, series.findIndex((line) => line.name === state.now.model.split("@")[0]));
      const own = series[at];
      const value = Number(own.y.at(-1).toPrecision(3));
      return (having[at].status === "running" ? studio.words.runs.now : studio.words.runs.says)(own.name, title, value, own.x.at(-1).toLocaleString(studio.words.code));
    }

    function restart() {
      for (const { made } of charts.values()) made.element.remove();
      charts.clear();
      told?.element.remove();
      told = null;
    }

    ask();
    return {
      changed(now, before) {
        if (!found) return;
        if (now.language !== before.language) restart();
        if (["language", "model", "hidden", "sampled"].some((name) => now[name] !== before[name])) build();
      },
      draw() {},
      close() {
        open = false;
        clearTimeout(timer);
      },
    };
  },
};
