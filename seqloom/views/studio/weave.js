// The first view: a model looked at while it answers.

import { element } from "seqloom/dom.js";
import { panels } from "seqloom/weave/panels.js";

const ASKED = ["model", "text", "example", "prefix", "off", "temperature", "seed", "beam"]; // what another run depends on
const REBUILT = ["group", "language"];

export const weave = {
  id: "weave",
  there: (model) => Boolean(model),
  reads: true,

  open(place, studio) {
    const { state, api } = studio;
    const body = element("div", { class: "panels-grid" });
    place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.ask.wait));
    let shown = null; // the panels of the run that is seen
    let run = null;
    let open = true;

    async function ask(look = "") {
      const question = studio.question();
      const found = question && (await studio.inspect({ ...question, look }));
      if (!open) return;
      if (!run) place.replaceChildren(...(found ? [body] : []));
      if (!found) return;
      run = found;
      build();
      strips();
    }

    function build() {
      shown = panels(body, run, {
        state,
        words: studio.words,
        change: (change) => state.set(change),
        fetch: (group, layer, head) => ask(`${group}.${layer === "mean" ? 0 : layer}.${head === "mean" ? 0 : head}`),
        tools: studio.tools,
      });
    }

    async function strips() {
      const given = run.steps.filter((step) => step.given).length;
      const read = run.picture ? 0 : given ? given + 1 : Object.values(run.rows)[0]?.tokens.length ?? 0;
      if (typeof run.input !== "string" || !run.input.trim() || read > studio.opened + 1) return; // <eos> counts too
      const mine = run;
      const found = await api.post("api/strips", { model: run.model, text: run.input }).catch(() => null);
      if (found && run === mine && open) shown.addStrips((run.strips = found));
    }

    ask();
    return {
      changed(now, before) {
        if (ASKED.some((name) => now[name] !== before[name])) ask();
        else if (REBUILT.some((name) => now[name] !== before[name])) {
          if (run) build(), run.strips && shown.addStrips(run.strips);
        } else shown?.light();
      },
      draw: () => shown?.draw(),
      close: () => (open = false),
    };
  },
};
