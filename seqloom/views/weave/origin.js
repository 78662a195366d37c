// Where an output came from: the outputs in a row, and under the chosen one every input on a colour for it or against it.

import { pageFont, signedScale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { Scene, textWidth } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";
import { choice, scaleKey } from "seqloom/weave/panel.js";
import { placeIn, signedRegions } from "seqloom/weave/regions.js";

export const METHODS = ["integrated", "gradient", "leave-one-out"];

/** `found` is what /api/attribute says; inputs are tokens, or the regions of a `picture`. */
export function origin({ state, words }, found, picture = null) {
  const { inputs, outputs, weights } = found;
  const last = outputs.length - 1;
  const chosen = () => Math.min(last, Math.max(0, Number(state.now.out || 0)));
  const methods = choice(words.origin.method, METHODS.map((name) => [name, words.origin.methods[name]]), found.method, (by) => state.set({ by }));
  const most = Math.max(...weights.flat().map(Math.abs)) || 1;
  const buttons = outputs.map((token, at) => element("button", { type: "button", class: "word", onclick: () => state.set({ out: String(at) }) }, element("bdi", {}, shown(token))));
  const spans = inputs.map((token) => element("span", { class: "word", tabindex: 0, role: "img" }, element("bdi", {}, shown(token))));
  const row = (name, label, nodes) => element("p", { class: name, role: "group", "aria-label": label, dir: "auto" }, ...nodes.flatMap((node) => [node, " "]));
  const over = picture && signedRegions(picture, words.origin.inputs);
  const body = element("div", { class: "origin-rows" },
    outputs.length > 1 ? row("outputs", words.origin.outputs, buttons) : null, over ? over.element : row("salience-text", words.origin.inputs, spans));

  function draw() {
    const values = weights[chosen()];
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === chosen())));
    over?.draw(values, most);
    if (!over) spans.forEach((span, at) => {
      const part = (values[at] / most) * 0.85;
      span.style.setProperty("--c", signedScale().at(part));
      span.style.setProperty("--on", signedScale().ink(part));
      span.setAttribute("aria-label", `${inputs[at]}: ${signed(values[at])}`);
      span.title = signed(values[at]);
    });
    return sentence(values);
  }

  function sentence(values) {
    const best = values.reduce((top, value, at) => (Math.abs(value) > Math.abs(values[top]) ? at : top), 0);
    const named = over ? words.origin.region(...placeIn(picture, best)) : shown(inputs[best]);
    return words.origin.says(quoted(named), quoted(shown(outputs[chosen()])), signed(values[best]), values[best] >= 0);
  }

  return {
    element: body,
    tools: [methods.element, scaleKey(`−${most.toFixed(1)}`, most.toFixed(1), over ? "signed on-picture" : "signed", words.origin.key)],
    draw,
    /** All outputs at once, a line for each; of a picture the output that is chosen. */
    scene() {
      if (over) return over.scene();
      const [font, size, tall] = [pageFont("serif"), 14, 24];
      const wide = inputs.map((token) => textWidth(shown(token), size, font) + 12);
      const margin = Math.max(...outputs.map((token) => textWidth(shown(token), size, font))) + 20;
      const scene = new Scene(margin + wide.reduce((sum, one) => sum + one, 0) + 12, tall * outputs.length + 12);
      outputs.forEach((output, at) => {
        const y = 6 + tall * at;
        scene.text(margin - 10, y + tall / 2, shown(output), { fill: signedScale().ink(0), size, font, weight: 600, anchor: "end" });
        let x = margin;
        inputs.forEach((input, place) => {
          const part = (weights[at][place] / most) * 0.85;
          scene.rect(x, y + 1, wide[place] - 2, tall - 2, { fill: signedScale().at(part), radius: 3 });
          scene.text(x + wide[place] / 2 - 1, y + tall / 2, shown(input), { fill: signedScale().ink(part), size, font });
          x += wide[place];
        });
      });
      return scene;
    },
    numbers: () => ({ columns: ["output", ...inputs], rows: outputs.map((output, at) => [output, ...weights[at]]) }),
  };
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
