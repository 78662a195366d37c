// Gates and states of a recurrent model as strips over time, and how much each token still matters at the end.

import { pageColour, pageFont, scale, signedScale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, fitCanvas } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";
import { columnLabels } from "seqloom/weave/column_labels.js";
import { choice } from "seqloom/weave/panel.js";

const TALL = 66; // pixels of a strip
const WIDEST = 240; // pixels of a token
const GREEK = { h_tilde: "h̃", alpha: "α" };

/** The strips of one cell at a time: {part, cell, path, symbol, kind, says, chinese, tokens, shape, data}. */
export function strips(context, all) {
  const { state, words } = context;
  const cells = [...new Map(all.map((strip) => [`${strip.part} ${strip.path}`, strip])).entries()];
  const names = cells.map(([name, strip]) => [name, nameOf(strip, words)]);
  const switcher = cells.length < 2 ? null : choice(words.strips.cell, names, names[0][0], (value) => state.set({ strip: value }));
  const canvas = element("canvas", { "aria-hidden": "true" });
  const list = element("div", { class: "strip-map" }, canvas);
  const says = element("ul", { class: "strip-says" });
  let plan = null;

  const mine = () => {
    const chosen = names.some(([name]) => name === state.now.strip) ? state.now.strip : names[0][0];
    return all.filter((strip) => `${strip.part} ${strip.path}` === chosen);
  };

  list.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const at = Math.floor((event.clientX - box.x - plan.left) / plan.cell);
    context.hear(describe(Math.max(0, Math.min(at, mine()[0].tokens.length - 1))));
  });
  list.addEventListener("pointerleave", () => context.hear(summary()));

  function draw() {
    if (list.clientWidth === 0) return;
    switcher?.set(names.some(([name]) => name === state.now.strip) ? state.now.strip : names[0][0]);
    const own = mine();
    plan = planned(own, list.clientWidth);
    const scene = drawing(own, plan);
    scene.draw(fitCanvas(canvas, scene.width, scene.height));
    says.replaceChildren(...own.map((strip) => element("li", {},
      element("i", {}, symbol(strip)), " ", caption(strip))));
    context.hear(summary());
  }

  const caption = (strip) => (words.code === "zh" && strip.chinese ? strip.chinese : element("span", { lang: "en" }, strip.says));

  const means = (strip) => {
    const [units, time] = strip.shape;
    return Array.from({ length: time }, (_, t) => {
      let sum = 0;
      for (let unit = 0; unit < units; unit++) sum += Math.abs(strip.data[unit * time + t]);
      return sum / units;
    });
  };

  function summary() {
    const own = mine();
    const gate = own.findLast((strip) => strip.kind === "gate") ?? own[0];
    const mean = means(gate);
    const at = mean.indexOf(Math.max(...mean));
    return words.strips.says(symbol(gate), shown(gate.tokens[at]), mean[at].toFixed(2), gate.kind);
  }

  function describe(at) {
    const own = mine();
    return words.strips.at(shown(own[0].tokens[at]), own.map((strip) => `${symbol(strip)} ${means(strip)[at].toFixed(2)}`).join(", "));
  }

  new ResizeObserver(() => plan?.room !== list.clientWidth && draw()).observe(list);
  return {
    element: element("div", { class: "strips-body" }, list, says),
    tools: switcher ? [switcher.element] : [],
    draw,
    scene: () => drawing(mine(), plan),
    numbers: () => ({
      columns: ["cell", "symbol", "unit", ...mine()[0].tokens.map((token, at) => `${at + 1} ${token}`)],
      rows: mine().flatMap((strip) => strip.units.map((unit, row) => [
        strip.cell, strip.symbol, unit, ...strip.data.slice(row * strip.shape[1], (row + 1) * strip.shape[1])])),
    }),
  };
}

const percent = (part) => (part > 0 && part < 0.01 ? "< 1" : Math.round(100 * part));
const symbol = (strip) => GREEK[strip.symbol] ?? strip.symbol;

function nameOf(strip, words) {
  const side = /fwd/.test(strip.path) ? ` ${words.strips.forward}` : /bwd/.test(strip.path) ? ` ${words.strips.backward}` : "";
  const layer = strip.path.match(/\^(\d+)/)?.[1];
  const part = words.parts[strip.part] ?? strip.part;
  return `${layer ? words.strips.layer(part, layer) : part}${side}`;
}

function planned(own, room) {
  const left = 34;
  const cell = Math.min(WIDEST, (room - left - 2) / own[0].shape[1]);
  const columns = columnLabels(own[0].tokens, cell);
  return { room, left, cell, columns, top: columns.height };
}

function drawing(own, plan) {
  const time = own[0].shape[1];
  const scene = new Scene(plan.left + time * plan.cell + 2, plan.top + own.length * (TALL + 10));
  const [ink, font] = [pageColour("ink"), pageFont("serif")];
  plan.columns.draw(scene, plan.left, plan.top);
  own.forEach((strip, row) => {
    const y = plan.top + row * (TALL + 10);
    scene.text(12, y + TALL / 2, symbol(strip), { fill: ink, size: 17, font });
    scene.image(plan.left, y, time * plan.cell, TALL, picture(strip));
    scene.rect(plan.left, y, time * plan.cell, TALL, { stroke: pageColour("rule") });
  });
  return scene;
}

/** Gates from 0 to 1 on the scale of the page; states and candidates on both sides of zero. */
function picture(strip) {
  const [units, time] = strip.shape;
  const image = document.createElement("canvas");
  [image.width, image.height] = [time, units];
  const pen = image.getContext("2d");
  const data = pen.createImageData(time, units);
  const colours = strip.kind === "gate" ? scale() : signedScale();
  strip.data.forEach((number, at) => data.data.set([...colours.rgb(Math.max(-1, Math.min(1, number))), 255], at * 4));
  pen.putImageData(data, 0, 0);
  return image;
}

/** Bars: how much each token still matters to the last state, relative to the token that matters most. */
export function influence(context, tokens, values) {
  const { words } = context;
  const canvas = element("canvas", { "aria-hidden": "true" });
  const place = element("div", { class: "influence-map" }, canvas);
  const most = Math.max(...values) || 1;
  const parts = values.map((value) => value / most);
  const draw = () => {
    if (place.clientWidth === 0) return;
    const scene = bars(place.clientWidth);
    scene.draw(fitCanvas(canvas, scene.width, scene.height));
  };
  function bars(room) {
    const cell = Math.min(WIDEST, (room - 36) / tokens.length);
    const labels = columnLabels(tokens, cell);
    const scene = new Scene(34 + tokens.length * cell + 2, 108 + labels.height);
    scene.line(34, 104, 34 + tokens.length * cell, 104, { stroke: pageColour("strong-rule") });
    parts.forEach((part, at) => {
      const x = 34 + at * cell;
      scene.rect(x + cell * 0.18, 104 - 94 * part, Math.max(2, cell * 0.64), Math.max(1, 94 * part), { fill: scale().at(0.15 + 0.85 * part), radius: 2 });
    });
    labels.draw(scene, 34, 104, true);
    return scene;
  }
  new ResizeObserver(draw).observe(place);
  const strongest = parts.indexOf(Math.max(...parts));
  return {
    element: place,
    draw,
    sentence: [words.influence.says(shown(tokens[strongest])), strongest ? words.influence.first(shown(tokens[0]), percent(parts[0])) : ""].join(" ").trim(),
    scene: () => bars(place.clientWidth || 700),
    numbers: () => ({ columns: ["token", "influence"], rows: tokens.map((token, at) => [token, values[at]]) }),
  };
}
