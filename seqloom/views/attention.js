// The page of attention: a heat map, and lines between two rows of words, as wide as the weight is large.
//
// A map is {source, target, layers, heads, weights}: the names to choose from, and for each layer and head the weights
// (T rows of S) in one flat list. The first name may stand for a mean; Python has computed it.

import { drawing, element } from "seqloom/dom.js";
import { heat, scaleOf } from "seqloom/heat.js";
import { themeSwitch } from "seqloom/theme.js";

const WIDEST = 12; // pixels of a line that stands for 1
const LEAST = 0.01; // what is lighter is not drawn
const HEIGHT = 150; // pixels between the two rows
const CELLS = 1500; // of one table; longer sentences go on in the next
const NAMED = 5; // partners that are read out

export function attention() {
  const data = JSON.parse(document.getElementById("data").textContent);
  themeSwitch(document.getElementById("theme"));
  attentionMaps(data.maps);
}

/** Draw maps into the places of a page that wait for them, in order. */
export function attentionMaps(maps) {
  const places = document.querySelectorAll("[data-map]");
  maps.forEach((map, at) => show(map, places[at]));
}

function show(map, place) {
  const layer = chooser("Layer", map.layers, draw);
  const head = chooser("Head", map.heads, draw);
  const readout = element("output", { class: "readout" }, " ");
  const drawn = drawing("svg", { height: HEIGHT, role: "img", "aria-label": "Attention weights as lines from source to target words" });
  const rows = { source: wordRow("source"), target: wordRow("target") };
  const lines = element("div", { class: "lines" }, element("div", { class: "room" }, rows.source, drawn, rows.target));
  const maps = element("div", { class: "maps" });
  const tools = element("div", { class: "choices" }, layer.label, head.label);
  place.replaceChildren(tools, lines, readout, maps);
  let chosen = null; // {side, at}
  draw();
  new ResizeObserver(drawLines).observe(rows.source.parentElement);

  function weights() {
    return map.weights[layer.value()][head.value()];
  }

  function weight(target, source) {
    return weights()[target * map.source.length + source];
  }

  function draw() {
    maps.replaceChildren(...heats(map, weights(), (target) => choose({ side: "target", at: target })));
    drawLines();
    choose(chosen);
  }

  function drawLines() {
    const ends = (side) => [...rows[side].children].map((word) => word.offsetLeft + word.offsetWidth / 2);
    const [from, to] = [ends("source"), ends("target")];
    drawn.setAttribute("width", rows.source.offsetWidth);
    drawn.replaceChildren(...map.target.flatMap((_, target) => map.source.flatMap((_, source) => {
      const weighs = weight(target, source);
      if (weighs < LEAST) return [];
      const places = { x1: from[source], y1: 2, x2: to[target], y2: HEIGHT - 2 };
      const says = drawing("title", {}, `${map.target[target]} → ${map.source[source]}: ${weighs}`);
      const width = (weighs * WIDEST).toFixed(2);
      return [drawing("line", { ...places, "stroke-width": width, "data-source": source, "data-target": target }, says)];
    })));
    light();
  }

  /** Show one word's lines alone, name its partners, and mark its row. */
  function choose(choice) {
    chosen = choice;
    light();
    readout.textContent = choice === null ? " " : said(choice);
  }

  function light() {
    lines.toggleAttribute("data-chosen", chosen !== null);
    for (const line of drawn.children) {
      line.toggleAttribute("data-lit", chosen !== null && Number(line.dataset[chosen.side]) === chosen.at);
    }
    for (const [side, row] of Object.entries(rows)) {
      [...row.children].forEach((word, at) => {
        word.setAttribute("aria-pressed", String(chosen?.side === side && chosen.at === at));
        word.style.setProperty("--m", chosen && chosen.side !== side ? between(chosen, at) : 0);
      });
    }
    maps.querySelectorAll("tbody tr").forEach((row, at) => {
      row.classList.toggle("marked", chosen?.side === "target" && chosen.at === at);
    });
  }

  function between({ side, at }, other) {
    return side === "target" ? weight(at, other) : weight(other, at);
  }

  function partners({ side, at }) {
    const words = side === "target" ? map.source : map.target;
    const each = words.map((word, other) => ({ word, other, weighs: between({ side, at }, other) }));
    return each.sort((one, other) => other.weighs - one.weighs);
  }

  function said(choice) {
    const names = partners(choice).slice(0, NAMED).filter(({ weighs }) => weighs >= LEAST);
    const arrow = choice.side === "target" ? "attends to" : "is attended to by";
    const all = names.map(({ word, weighs }) => `\u2068${word}\u2069 ${weighs.toFixed(2)}`).join(", ");
    return `\u2068${map[choice.side][choice.at]}\u2069 ${arrow} ${all || "nothing much"}`;
  }

  function wordRow(side) {
    const words = map[side].map((word, at) => element("button", {
      type: "button", class: "word", tabindex: at === 0 ? 0 : -1, "aria-pressed": "false",
      onpointerenter: () => choose({ side, at }),
      onfocus: () => choose({ side, at }),
      onkeydown: (event) => move(event, { side, at }),
    }, element("bdi", {}, word)));
    const rtl = map[`${side}_rtl`];
    const names = { source: "Source words", target: "Target words" };
    return element("div", { class: "sentence", role: "group", "aria-label": names[side], dir: rtl ? "rtl" : "ltr" }, ...words);
  }

  /** Along the row with left and right, to the strongest partner with up and down. */
  function move(event, { side, at }) {
    const ahead = map[`${side}_rtl`] ? -1 : 1;
    const other = side === "target" ? "source" : "target";
    const across = () => focus(other, partners({ side, at })[0].other);
    const keys = {
      ArrowRight: () => focus(side, at + ahead),
      ArrowLeft: () => focus(side, at - ahead),
      Home: () => focus(side, 0),
      End: () => focus(side, map[side].length - 1),
      Escape: () => choose(null),
      [side === "target" ? "ArrowUp" : "ArrowDown"]: across,
    };
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  function focus(side, at) {
    const words = rows[side].children;
    if (!(at in words)) return;
    for (const word of words) word.tabIndex = -1;
    words[at].tabIndex = 0;
    words[at].focus();
  }
}

/** A choice of names; nothing to see where there is one name only. */
function chooser(name, names, changed) {
  const select = element("select", { onchange: () => changed() },
    ...names.map((option, at) => element("option", { value: at }, option)));
  const label = element("label", { hidden: names.length < 2 }, `${name} `, select);
  return { label, value: () => Number(select.value) };
}

/** The heat map, in tables of so many rows that each has words on both sides. */
function heats({ source, target }, weights, pick) {
  const rows = Math.max(1, Math.floor(CELLS / source.length));
  const scale = scaleOf([{ data: weights }]);
  return Array.from({ length: Math.ceil(target.length / rows) }, (_, part) => {
    const names = target.slice(part * rows, (part + 1) * rows);
    const data = weights.slice(part * rows * source.length, (part + 1) * rows * source.length);
    const value = { shape: [names.length, source.length], data, rows: names, columns: source };
    return heat(value, { scale, pick: (row) => pick(part * rows + row), says: "Attention weights, a row for each target word" });
  });
}
