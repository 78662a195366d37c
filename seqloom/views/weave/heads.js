// Every head as a small picture: layers below each other, or the sharpest head first. One is looked at, any switched off.

import { element, icon } from "seqloom/dom.js";
import { Scene } from "seqloom/scene.js";
import { pageColour, pageFont } from "seqloom/colour.js";
import { Weights } from "seqloom/weave/attention.js";
import { pixels } from "seqloom/weave/matrix.js";
import { choice } from "seqloom/weave/panel.js";

const POWER = "M8 2v5M4.6 4.2a5 5 0 1 0 6.8 0";
const SIDE = 84; // pixels of a picture
const GAP = 24;

/** `change` is null where nothing can be asked, as in a file: then no head can be switched off. */
export function heads(context, attention) {
  const { state, words, change } = context;
  const grid = element("div", { class: "head-grid" });
  const order = choice(words.heads.order, [["place", words.heads.byPlace], ["sharp", words.heads.bySharp]], "place",
    (value) => state.set({ order: value }));
  const mean = element("button", { type: "button", class: "quiet", onclick: () => state.set({ layer: "mean", head: "mean" }) }, words.heads.mean);
  const cards = new Map();

  attention.sharpness.forEach((sharps, layer) => sharps.forEach((sharp, head) => {
    const name = `${attention.group}.${layer}.${head}`;
    const picture = pixels(smallOf(layer, head));
    const look = element("button", {
      type: "button", class: "look", "aria-label": words.heads.look(layer + 1, head + 1, sharp),
      onclick: () => state.set({ layer: String(layer), head: String(head) }),
    }, picture);
    const off = change && element("button", {
      type: "button", class: "off", title: words.heads.off(layer + 1, head + 1), "aria-label": words.heads.off(layer + 1, head + 1),
      "aria-pressed": "false", onclick: () => change({ off: toggled(state.now.off, name) }),
    }, icon(POWER));
    const caption = element("span", { class: "name" }, element("span", {}, words.heads.name(layer + 1, head + 1)),
      element("span", { class: "sharp", title: words.heads.sharpness }, sharp.toFixed(2)));
    cards.set(name, { root: element("div", { class: "head" }, look, caption, off), look, off, layer, head, sharp });
  }));

  function smallOf(layer, head) {
    const small = attention.small[layer][head];
    return new Weights(small, small.shape[0], small.shape[1]);
  }

  function arrange() {
    const all = [...cards.values()];
    const sharp = state.now.order === "sharp";
    if (sharp) all.sort((one, other) => other.sharp - one.sharp);
    grid.style.setProperty("--heads", attention.heads);
    grid.classList.toggle("ranked", sharp);
    grid.replaceChildren(...(sharp ? all.map(({ root }) => root) : attention.layers.map((_, layer) => layerOf(layer, all))));
    order.set(state.now.order);
  }

  /** The heads of a layer, side by side under its name. */
  function layerOf(layer, all) {
    const own = all.filter((card) => card.layer === layer).map(({ root }) => root);
    return element("div", { class: "layer" }, element("h3", {}, words.weave.nth(words.weave.layer, layer + 1)), ...own);
  }

  function light() {
    const off = new Set(state.now.off.split(",").filter(Boolean));
    for (const [name, card] of cards) {
      const chosen = String(card.layer) === state.now.layer && String(card.head) === state.now.head;
      card.root.toggleAttribute("data-chosen", chosen);
      card.look.setAttribute("aria-pressed", String(chosen));
      card.root.toggleAttribute("data-off", off.has(name));
      card.off?.setAttribute("aria-pressed", String(off.has(name)));
    }
    mean.toggleAttribute("hidden", state.now.layer === "mean" && state.now.head === "mean");
  }

  return {
    element: grid,
    tools: [mean, order.element],
    arrange,
    light,
    repaint() {
      for (const card of cards.values()) card.look.replaceChildren(pixels(smallOf(card.layer, card.head)));
    },
    scene() {
      const scene = new Scene(attention.heads * (SIDE + GAP) + GAP, attention.layers.length * (SIDE + 44) + GAP);
      for (const { layer, head, sharp } of cards.values()) {
        const [x, y] = [GAP + head * (SIDE + GAP), GAP + layer * (SIDE + 44)];
        scene.image(x, y, SIDE, SIDE, pixels(smallOf(layer, head)));
        scene.text(x, y + SIDE + 14, `${words.heads.name(layer + 1, head + 1)}  ${sharp.toFixed(2)}`,
          { fill: pageColour("soft"), size: 12, font: pageFont("sans"), anchor: "start" });
      }
      return scene;
    },
    numbers: () => ({
      columns: ["layer", "head", "sharpness"],
      rows: [...cards.values()].map(({ layer, head, sharp }) => [layer + 1, head + 1, sharp]),
    }),
  };
}

function toggled(list, name) {
  const all = new Set(list.split(",").filter(Boolean));
  if (!all.delete(name)) all.add(name);
  return [...all].sort().join(",");
}
