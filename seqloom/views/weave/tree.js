// Beam search as a tree: the hypotheses that were followed side by side, token by token; one of them became the answer.

import { pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, fitCanvas, textWidth } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";

const LANE = 34; // pixels between hypotheses
const SIZE = 16;
const BETWEEN = 34; // pixels between tokens along a hypothesis
const END = "<eos>";
const WIDEST = 12000; // pixels; what is beyond is not drawn

export function tree(run) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const place = element("div", { class: "tree-map scroll", tabindex: 0, role: "img" }, canvas);
  let nodes = laidOut(run.tree, 0);
  const depth = Math.max(...nodes.map((node) => node.depth));
  const draw = () => {
    nodes = laidOut(run.tree, place.clientWidth);
    const scene = drawing(nodes);
    scene.draw(fitCanvas(canvas, Math.min(scene.width, WIDEST), scene.height));
  };
  new ResizeObserver(draw).observe(place);
  return {
    element: place,
    draw,
    scene: () => drawing(nodes),
    facts: { depth: depth + 1, lanes: widest(nodes) },
    numbers: () => ({
      columns: ["node", "parent", "token", "probability", "log_probability", "answer"],
      rows: run.tree.map((node, at) => [at, node.parent, node.token, node.p, node.total, node.best]),
    }),
  };
}

/** How many hypotheses were followed at most; one that has ended is not followed any more. */
function widest(nodes) {
  const counts = [];
  for (const { depth, ends } of nodes) if (!ends) counts[depth] = (counts[depth] ?? 0) + 1;
  return Math.max(...counts);
}

/** Depths from left to right; in each, the hypotheses in the order of their parents, so that few lines cross. */
function laidOut(tree, room) {
  const nodes = tree.map((node) => ({ ...node, ends: node.token === END, depth: 0, lane: 0 }));
  const levels = [];
  nodes.forEach((node) => {
    node.depth = node.parent < 0 ? 0 : nodes[node.parent].depth + 1;
    (levels[node.depth] ??= []).push(node);
  });
  const font = pageFont("serif");
  const widths = levels.map((level) => Math.max(...level.map((node) => textWidth(shown(node.token), SIZE, font))));
  const spare = (room - 36 - widths.reduce((sum, wide) => sum + wide, 0)) / levels.length;
  const between = Math.min(8 * BETWEEN, Math.max(BETWEEN, spare));
  let x = 18;
  levels.forEach((level, at) => {
    level.sort((one, other) => (nodes[one.parent]?.lane ?? 0) - (nodes[other.parent]?.lane ?? 0) || other.total - one.total);
    level.forEach((node, lane) => (node.lane = lane));
    const half = widths[at] / 2;
    level.forEach((node) => Object.assign(node, { x: x + half, half }));
    x += widths[at] + between;
  });
  return nodes;
}

function drawing(nodes) {
  const lanes = Math.max(...nodes.map((node) => node.lane)) + 1;
  const scene = new Scene(Math.min(WIDEST, Math.max(...nodes.map((node) => node.x + node.half)) + 20), lanes * LANE + 14);
  const y = (node) => 22 + node.lane * LANE;
  const [ink, soft, rule] = [pageColour("ink"), pageColour("soft"), pageColour("strong-rule")];
  for (const node of [...nodes].sort((one, other) => one.best - other.best)) {
    if (node.parent < 0) continue;
    const parent = nodes[node.parent];
    const [from, to] = [parent.x + parent.half + 5, node.x - node.half - 5];
    const middle = (from + to) / 2;
    const how = node.best ? { stroke: scale().at(0.35 + 0.65 * node.p), line: 1.5 + 3.5 * node.p } : { stroke: rule, line: 1, opacity: 0.55 };
    scene.curve([from, y(parent), middle, y(parent), middle, y(node), to, y(node)], how);
  }
  for (const node of nodes) {
    scene.text(node.x, y(node), shown(node.token), { fill: node.best ? ink : soft, size: SIZE, font: pageFont("serif"), weight: node.best ? 600 : 400 });
  }
  return scene;
}
