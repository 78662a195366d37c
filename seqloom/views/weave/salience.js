// Which words mattered for an answer: each on a colour for it or against it, and the labels with their probabilities.

import { pageFont, signedScale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { Scene, barScene, textWidth } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";
import { choice } from "seqloom/weave/panel.js";

export function salience(context, run) {
  const { state, words } = context;
  const tokens = run.rows.text.tokens;
  const methods = Object.keys(run.importance);
  const switcher = methods.length < 2 ? null : choice(words.salience.method, methods.map((name) => [name, words.salience[name]]), methods[0],
    (value) => state.set({ method: value }));
  const method = () => (methods.includes(state.now.method) ? state.now.method : methods[0]);
  const spans = tokens.map((token, at) => element("span", { class: "word", tabindex: 0, role: "img", "data-at": `t${at}` }, element("bdi", {}, shown(token))));
  const body = element("p", { class: "salience-text", dir: run.rows.text.rtl ? "rtl" : "ltr" }, ...spans.flatMap((span) => [span, " "]));
  const strength = () => {
    const values = run.importance[method()];
    const most = Math.max(...values.map(Math.abs)) || 1;
    return values.map((value) => value / most);
  };
  body.addEventListener("pointerover", (event) => point(event.target.closest("[data-at]")));
  body.addEventListener("focusin", (event) => point(event.target.closest("[data-at]")));
  body.addEventListener("pointerleave", () => state.set({ pointed: null }));
  const point = (span) => state.set({ pointed: span?.dataset.at ?? null });

  function draw() {
    switcher?.set(method());
    const parts = strength();
    const values = run.importance[method()];
    spans.forEach((span, at) => {
      span.style.setProperty("--c", signedScale().at(parts[at] * 0.8));
      span.style.setProperty("--on", signedScale().ink(parts[at] * 0.8));
      span.setAttribute("aria-label", `${tokens[at]}: ${signed(values[at])}`);
    });
    return sentence();
  }

  function sentence() {
    const values = run.importance[method()];
    const name = state.now.pointed;
    const at = name?.startsWith("t") && Number(name.slice(1)) in values ? Number(name.slice(1)) : values.indexOf(Math.max(...values));
    return words.salience.says(shown(tokens[at]), signed(values[at]), run.text, method(), values[at] >= 0);
  }

  return {
    element: body,
    tools: switcher ? [switcher.element] : [],
    draw,
    scene() {
      const [font, size, room] = [pageFont("serif"), 20, 900];
      const parts = strength();
      const scene = new Scene(room, 40);
      let [x, y] = [16, 28];
      tokens.forEach((token, at) => {
        const wide = textWidth(shown(token), size, font) + 10;
        if (x + wide > room - 16) [x, y] = [16, y + 38];
        scene.rect(x, y - 15, wide, 30, { fill: signedScale().at(parts[at] * 0.8), radius: 4 });
        scene.text(x + wide / 2, y, shown(token), { fill: signedScale().ink(parts[at] * 0.8), size, font });
        x += wide + 5;
      });
      scene.height = y + 28;
      return scene;
    },
    numbers: () => ({
      columns: ["token", ...methods],
      rows: tokens.map((token, at) => [token, ...methods.map((name) => run.importance[name][at])]),
    }),
  };
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

/** Labels with their probabilities, as bars. */
export function labels(scores, most = 8) {
  const sorted = Object.entries(scores).sort((one, other) => other[1] - one[1]);
  const rows = sorted.slice(0, most).map(([label, p], at) => element("li", {}, element("span", { class: at === 0 ? "candidate chosen" : "candidate" },
    element("bdi", { class: "what" }, label),
    element("span", { class: "bar", "--w": `${100 * p}%`, "--c": "var(--accent)" }),
    element("span", { class: "p" }, p.toFixed(3)))));
  return {
    element: element("ol", { class: "candidates" }, ...rows),
    numbers: () => ({ columns: ["label", "probability"], rows: sorted }),
    scene: () => barScene(sorted.slice(0, most)),
    sentence: (words) => {
      const [[label, p], next] = sorted;
      return next ? words.says(quoted(label), p.toFixed(2), quoted(next[0]), next[1].toFixed(2)) : words.alone(quoted(label), p.toFixed(2));
    },
  };
}
