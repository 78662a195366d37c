// Tags over words: each word with the tag that it was given, and how sure the model is.

import { pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, textWidth } from "seqloom/scene.js";
import { probability } from "seqloom/weave/steps.js";

export function tags(context, run) {
  const { state, words } = context;
  const { tokens } = run.rows.text;
  const given = run.answer.tags;
  const sure = run.answer.scores;
  const items = tokens.map((token, at) => element("button", {
    type: "button", class: given[at] === "O" ? "tagged plain" : "tagged", "data-at": `t${at}`,
    "aria-label": words.tags.word(token, given[at], probability(sure[at])),
  }, element("span", { class: "tag" }, given[at]), element("bdi", {}, token), element("span", { class: "sure" })));
  const body = element("div", { class: "tags-text", dir: run.rows.text.rtl ? "rtl" : "ltr" }, ...items);
  body.addEventListener("pointerover", (event) => point(event.target.closest("[data-at]")));
  body.addEventListener("focusin", (event) => point(event.target.closest("[data-at]")));
  body.addEventListener("pointerleave", () => state.set({ pointed: null }));
  body.addEventListener("click", (event) => {
    const at = event.target.closest("[data-at]")?.dataset.at;
    if (at) state.set({ at: state.now.at === at ? "" : at });
  });
  const point = (item) => state.set({ pointed: item?.dataset.at ?? null });

  function light() {
    const name = state.now.pointed ?? state.now.at;
    items.forEach((item) => item.toggleAttribute("data-lit", item.dataset.at === name));
  }

  function draw() {
    items.forEach((item, at) => item.style.setProperty("--c", scale().at(sure[at])));
    light();
    const least = sure.indexOf(Math.min(...sure));
    const name = state.now.pointed ?? state.now.at;
    const at = name ? Number(name.slice(1)) : least;
    return at in tokens ? words.tags.says(tokens[at], given[at], probability(sure[at]), !name) : "";
  }

  return {
    element: body,
    draw,
    scene() {
      const [font, size, room] = [pageFont("serif"), 19, 900];
      const scene = new Scene(room, 40);
      let [x, y] = [16, 34];
      tokens.forEach((token, at) => {
        const wide = Math.max(textWidth(token, size, font), textWidth(given[at], 11, pageFont("sans"))) + 12;
        if (x + wide > room - 16) [x, y] = [16, y + 58];
        scene.text(x + wide / 2, y - 18, given[at], { fill: pageColour("soft"), size: 11, font: pageFont("sans") });
        scene.text(x + wide / 2, y, token, { fill: pageColour("ink"), size, font });
        x += wide + 6;
      });
      scene.height = y + 26;
      return scene;
    },
    numbers: () => ({ columns: ["word", "tag", "probability"], rows: tokens.map((token, at) => [token, given[at], sure[at]]) }),
  };
}
