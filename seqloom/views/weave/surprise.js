// A text token by token, coloured by how surprising each was to the model: the bits of its probability.

import { pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, textWidth } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";
import { probability } from "seqloom/weave/steps.js";

export const MOST_BITS = 10; // where the scale ends: one in a thousand

/** Steps belong to the tokens of a row from the second on: nothing comes before the first. */
export function surprise(context, run) {
  const { state, words } = context;
  const items = run.steps.map((step, at) => element("span", {
    class: step.given ? "given" : "new", "data-at": `t${at + 1}`,
  }, step.token === "\n" ? "↵\n" : step.token.replace(/^▁/, " ")));
  const body = element("p", { class: "surprise-text", dir: run.rows.text.rtl ? "rtl" : "auto" }, ...items);
  body.addEventListener("pointerover", (event) => state.set({ pointed: event.target.closest("[data-at]")?.dataset.at ?? null }));
  body.addEventListener("pointerleave", () => state.set({ pointed: null }));
  body.addEventListener("click", (event) => {
    const at = event.target.closest("[data-at]")?.dataset.at;
    if (at) state.set({ at: state.now.at === at ? "" : at });
  });

  function light() {
    const name = state.now.pointed ?? state.now.at;
    for (const item of items) item.toggleAttribute("data-lit", item.dataset.at === name);
  }

  function draw() {
    items.forEach((item, at) => {
      const part = bits(run.steps[at].p) / MOST_BITS;
      item.style.setProperty("--c", scale().at(part));
      item.style.setProperty("--on", scale().ink(part));
    });
    light();
    return sentence();
  }

  function sentence() {
    const name = state.now.pointed ?? state.now.at;
    const own = run.steps.filter((step) => !step.given);
    const at = name?.startsWith("t") ? Number(name.slice(1)) - 1 : -1;
    if (at in run.steps) {
      const step = run.steps[at];
      return words.surprise.token(shown(step.token), probability(step.p), bits(step.p).toFixed(1));
    }
    const mean = own.reduce((sum, step) => sum + bits(step.p), 0) / Math.max(own.length, 1);
    const most = own.reduce((best, step) => (step.p < best.p ? step : best), own[0] ?? run.steps[0]);
    return words.surprise.says(mean.toFixed(1), shown(most.token), bits(most.p).toFixed(1));
  }

  return {
    element: body,
    draw,
    light,
    sentence,
    scene() {
      const [font, size, room] = [pageFont("mono"), 17, 900];
      const scene = new Scene(room, 40);
      let [x, y] = [16, 28];
      run.steps.forEach((step) => {
        const text = step.token === "\n" ? "↵" : step.token;
        const wide = textWidth(text, size, font);
        if (x + wide > room - 16) [x, y] = [16, y + 34];
        scene.rect(x, y - 14, wide, 28, { fill: scale().at(bits(step.p) / MOST_BITS) });
        scene.text(x + wide / 2, y, text, { fill: scale().ink(bits(step.p) / MOST_BITS), size, font });
        x += wide;
        if (step.token === "\n") [x, y] = [16, y + 34];
      });
      scene.height = y + 26;
      return scene;
    },
    numbers: () => ({
      columns: ["token", "probability", "bits", "given"],
      rows: run.steps.map((step) => [step.token, step.p, bits(step.p), step.given]),
    }),
  };
}

const bits = (p) => -Math.log2(Math.max(p, 1e-9));
