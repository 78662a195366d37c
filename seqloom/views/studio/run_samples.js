// What a model says of the same input while it learns: a line for every evaluation, with what is new in it marked.

import { pageColour, pageFont } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene } from "seqloom/scene.js";
import { marked } from "seqloom/studio/answer.js";
import { choice, panel } from "seqloom/weave/panel.js";

export function samples(studio) {
  const { state, words } = studio;
  const list = element("ol", { class: "sample-list" });
  const tools = element("span", {});
  let runs = [];
  const own = () => [state.now.sampled, state.now.model.split("@")[0]].map((name) => runs.find(({ model }) => model === name)).find(Boolean) ?? runs[0];
  const made = panel({
    name: "samples", title: words.samples.title, words, hint: words.samples.hint, body: list, tools: [tools],
    scene() {
      const { samples: all } = own();
      const scene = new Scene(900, 30 * all.length + 16);
      all.forEach(({ step, text }, at) => {
        const y = 22 + 30 * at;
        scene.text(70, y, step.toLocaleString("en"), { fill: pageColour("soft"), size: 13, font: pageFont("sans"), anchor: "end" });
        scene.text(86, y, text.length > 100 ? `${text.slice(0, 99)}…` : text, { fill: pageColour("ink"), size: 15, font: pageFont("serif"), anchor: "start" });
      });
      return scene;
    },
    numbers: () => ({ columns: ["model", "step", "sample"], rows: runs.flatMap((run) => run.samples.map(({ step, text }) => [run.model, step, text])) }),
  });

  function show(next) {
    runs = next;
    const { model, samples: all } = own();
    const names = runs.map((run) => [run.model, run.model]);
    if (runs.length > 1) tools.replaceChildren(choice(words.samples.which, names, model, (sampled) => state.set({ sampled })).element);
    else tools.replaceChildren();
    // the newest stands first, and is the one to read
    list.replaceChildren(...all.map(({ step, text }, at) => element("li", {},
      element("span", { class: "step" }, step.toLocaleString(words.code)),
      element("bdi", { class: "said" }, ...(at ? marked(text, all[at - 1].text) : [text])))).reverse());
    const last = all.at(-1);
    const first = all.findIndex(({ text }) => text === last.text);
    const same = all.slice(first).every(({ text }) => text === last.text);
    made.set(all.length > 1 && same && first < all.length - 1 && first > 0 ? words.samples.settled(model, all[first].step.toLocaleString(words.code)) : words.samples.says(model, last.step.toLocaleString(words.code)));
  }

  return { element: made.element, show };
}
