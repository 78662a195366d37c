// How the models were trained: their learning curves over each other, one chart for each metric.

import { lineChart } from "seqloom/chart.js";
import { element } from "seqloom/dom.js";
import { Trouble } from "seqloom/studio/api.js";
import { panel } from "seqloom/weave/panel.js";

const FALLS = /loss/; // from large to tiny: drawn on a scale of powers

export const runs = {
  id: "runs",
  there: () => true,
  reads: false,

  open(place, studio) {
    let open = true;
    let found = null;

    async function ask() {
      place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.runs.wait));
      try {
        found = await studio.api.get("api/runs");
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        place.replaceChildren(element("p", { class: "waiting", role: "alert" }, error.message));
        return;
      }
      if (found && open) build();
    }

    function build() {
      const words = studio.words;
      const trained = found.runs.filter((run) => Object.keys(run.curves).length);
      const names = [...new Set(trained.flatMap((run) => Object.keys(run.curves)))];
      const charts = names.map((name) => chart(name, trained.filter((run) => name in run.curves)));
      const facts = element("ul", { class: "run-facts" }, ...trained.map((run) => element("li", {}, words.runs.facts(run))));
      place.replaceChildren(trained.length
        ? element("div", {}, facts, element("div", { class: "panels-grid halves" }, ...charts))
        : element("p", { class: "waiting" }, words.runs.none));
    }

    function chart(name, trained) {
      const words = studio.words;
      const series = trained.map((run) => ({ name: run.model, x: run.curves[name].steps, y: run.curves[name].values }));
      const title = name === "loss" ? words.runs.logged : words.runs.metric(name);
      const positive = series.every(({ y }) => y.every((value) => value > 0));
      const drawn = lineChart({ title, x_label: words.runs.step, y_label: title, x_scale: "linear", y_scale: FALLS.test(name) && positive ? "log" : "linear", series });
      const made = panel({
        name: `curve-${name}`, title, words, body: element("div", {}, ...drawn),
        numbers: () => ({ columns: ["model", "step", name], rows: series.flatMap((line) => line.x.map((step, at) => [line.name, step, line.y[at]])) }),
      });
      const own = series.find((line) => line.name === studio.state.now.model) ?? series[0];
      made.set(words.runs.says(own.name, title, Number(own.y.at(-1).toPrecision(3)), own.x.at(-1)));
      return made.element;
    }

    ask();
    return {
      changed(now, before) {
        if (found && (now.language !== before.language || now.model !== before.model)) build();
      },
      draw() {},
      close: () => (open = false),
    };
  },
};
