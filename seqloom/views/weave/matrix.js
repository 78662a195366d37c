// The matrix of attention weights, with numbers where they fit; rows are what looks, columns what is looked at.

import { pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, fitCanvas, textWidth } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";
import { columnLabels, shortened } from "seqloom/weave/column_labels.js";

const LARGEST = 68; // pixels of a cell
const WITH_NUMBERS = 30; // pixels of a cell that has room for its number
const WITH_LABELS = 11; // pixels of a cell whose token can be read
const TALLEST = 620; // pixels
const CELLS = 2500; // that are drawn one by one
const LABEL = 13; // pixels of the letters of a token

/** `resized` is told when another width may have changed how many tokens a cell stands for. */
export function matrix(context, attention, resized = () => {}) {
  const { state } = context;
  const canvas = element("canvas", { class: "base", "aria-hidden": "true" });
  const over = element("canvas", { class: "lit", "aria-hidden": "true" });
  const place = element("div", { class: "matrix-map" }, canvas, over);
  let weights = null;
  let plan = null;

  new ResizeObserver(() => plan?.room !== place.clientWidth && (draw(), resized())).observe(place);
  place.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.x - plan.left) / plan.cell);
    const row = Math.floor((event.clientY - box.y - plan.top) / plan.high);
    const inside = row >= 0 && column >= 0 && row < plan.shown.rows && column < plan.shown.columns;
    state.set(inside
      ? { pointed: `t${row * plan.tall}`, cell: column * plan.wide }
      : { pointed: null, cell: null });
  });
  place.addEventListener("pointerleave", () => state.set({ pointed: null, cell: null }));
  place.addEventListener("click", () => state.now.pointed && state.set({ at: state.now.at === state.now.pointed ? "" : state.now.pointed }));

  function draw() {
    if (!weights || place.clientWidth === 0) return;
    plan = planned(attention, weights, place.clientWidth);
    const scene = drawing(attention, plan);
    scene.draw(fitCanvas(canvas, scene.width, scene.height));
    light();
  }

  function light() {
    if (!plan) return;
    const pen = fitCanvas(over, plan.width, plan.height);
    const name = state.now.pointed ?? (state.now.at || null);
    if (name === null) return;
    const at = Number(name.slice(1));
    pen.strokeStyle = pageColour("ink");
    pen.lineWidth = 1.5;
    if (name[0] === "t" && at < attention.height) {
      const y = plan.top + Math.floor(at / plan.tall) * plan.high;
      pen.strokeRect(plan.left - 1, y - 1, plan.shown.columns * plan.cell + 1, plan.high + 1);
      if (state.now.cell !== null && state.now.cell !== undefined) {
        pen.lineWidth = 2.5;
        pen.strokeRect(plan.left + Math.floor(state.now.cell / plan.wide) * plan.cell, y, plan.cell - 1, plan.high - 1);
      }
    } else if (name[0] === "s" && at < attention.width) {
      const x = plan.left + Math.floor(at / plan.wide) * plan.cell;
      pen.strokeRect(x - 1, plan.top - 1, plan.cell + 1, plan.shown.rows * plan.high + 1);
    }
  }

  return {
    element: place,
    show(next) {
      weights = next;
      draw();
    },
    light,
    draw,
    pooled: () => (plan && (plan.tall > 1 || plan.wide > 1) ? [plan.tall, plan.wide] : null),
    scene: () => drawing(attention, plan),
    numbers: () => ({
      columns: ["target", ...attention.source.tokens],
      rows: attention.target.tokens.map((token, t) => [token, ...attention.source.tokens.map((_, s) => weights.at(t, s))]),
    }),
  };
}

function planned(attention, weights, room) {
  const font = pageFont("serif");
  const widest = (tokens) => Math.min(120, Math.max(20, ...tokens.map((token) => textWidth(shown(token), LABEL, font))));
  const left = Math.min(widest(attention.target.tokens) + 12, room * 0.3);
  const pooled = weights.pooled(TALLEST, Math.max(1, Math.floor(room - left - 2)));
  const cell = Math.min(LARGEST, (room - left - 2) / pooled.columns);
  const high = Math.min(cell, TALLEST / pooled.rows);
  const labelled = { rows: high >= WITH_LABELS, columns: cell >= WITH_LABELS };
  const columns = labelled.columns ? columnLabels(attention.source.tokens, cell, LABEL) : null;
  const top = columns?.height ?? 6;
  return {
    room, left: labelled.rows ? left : 6, top, cell, high, columns, labelled, shown: pooled,
    tall: pooled.tall, wide: pooled.wide,
    width: (labelled.rows ? left : 6) + pooled.columns * cell + 2, height: top + pooled.rows * high + 2,
  };
}

function drawing(attention, plan) {
  const { left, top, cell, high, shown: weights } = plan;
  const scene = new Scene(plan.width, plan.height);
  const font = pageFont("serif");
  const soft = pageColour("soft");
  if (weights.rows * weights.columns <= CELLS) {
    for (let row = 0; row < weights.rows; row++) {
      for (let column = 0; column < weights.columns; column++) {
        const weight = weights.data[row * weights.columns + column];
        const [x, y] = [left + column * cell, top + row * high];
        scene.rect(x, y, Math.max(cell - 1.5, 0.5), Math.max(high - 1.5, 0.5), { fill: scale().at(weight), radius: cell > 12 ? 3 : 0 });
        if (cell >= WITH_NUMBERS && high >= 20 && weight >= 0.005) {
          const text = weight >= 0.995 ? "1" : weight.toFixed(2).slice(1);
          scene.text(x + cell / 2 - 0.75, y + high / 2, text, { fill: scale().ink(weight), size: cell > 48 ? 14 : 11.5, font: pageFont("sans") });
        }
      }
    }
  } else {
    scene.image(left, top, weights.columns * cell, weights.rows * high, pixels(weights));
    scene.rect(left, top, weights.columns * cell, weights.rows * high, { stroke: pageColour("rule") });
  }
  if (plan.labelled.rows) {
    attention.target.tokens.forEach((token, at) => {
      scene.text(left - 7, top + (at + 0.5) * high, shortened(shown(token)), { fill: soft, size: LABEL, font, anchor: "end" });
    });
  }
  plan.columns?.draw(scene, left, top);
  return scene;
}

/** A matrix as a picture, a pixel for each weight. */
export function pixels(weights) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [weights.columns, weights.rows];
  const pen = picture.getContext("2d");
  const image = pen.createImageData(weights.columns, weights.rows);
  const colours = scale();
  for (let at = 0; at < weights.data.length; at++) {
    const [red, green, blue] = colours.rgb(weights.data[at]);
    image.data.set([red, green, blue, 255], at * 4);
  }
  pen.putImageData(image, 0, 0);
  return picture;
}
