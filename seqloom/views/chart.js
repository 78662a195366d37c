// Line charts and bar charts: drawn for the width they have, read out under the pointer or by arrow keys.

import { axisNumber, roundScale, scaleBetween } from "seqloom/axes.js";
import { pageColour } from "seqloom/colour.js";
import { drawing, element } from "seqloom/dom.js";
import { textWidth } from "seqloom/scene.js";
import { svgPicture } from "seqloom/svg_picture.js";

const HEIGHT = 280;
const TOP = 28;
const FLOOR = HEIGHT - 44; // where the x axis lies
const RIGHT = 16;
const MARKED = 24; // points of a line that still get a marker each
const MARKERS = [
  "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
  "M-3-3h6v6h-6z",
  "M0-4.5l4.2 7.2h-8.4z",
  "M0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z",
  "M0 4.5l4.2-7.2h-8.4z",
  "M-1.2-4h2.4v2.8h2.8v2.4h-2.8v2.8h-2.4v-2.8h-2.8v-2.4h2.8z",
  "M-4-2.6l1.4-1.4l2.6 2.6l2.6-2.6l1.4 1.4l-2.6 2.6l2.6 2.6l-1.4 1.4l-2.6-2.6l-2.6 2.6l-1.4-1.4l2.6-2.6z",
  "M-4.5 0l7.2-4.2v8.4z",
  "M4.5 0l-7.2-4.2v8.4z",
];

/** Lines: {title, x_label, y_label, x_scale, y_scale, series: [{name, x, y, low, high}]}; scales are "linear" or "log";
 *  `low` and `high` are the ends of an interval around each y, or empty. */
export function lineChart(panel) {
  return liveLineChart(panel).elements;
}

/** The same for lines that grow: `show(panel)` draws others in their place, and who points at one goes on pointing. */
export function liveLineChart(panel) {
  const made = chart(panel.title, linesOf(panel));
  return { ...made, show: (next) => made.show(linesOf(next)) };
}

function linesOf(panel) {
  const { series } = panel;
  const looks = series.map((line, at) => line.look ?? at);
  const stops = [...new Set(series.flatMap((line) => line.x))].sort((a, b) => a - b);
  const numbers = (stop) => series.map((line) => line.y[line.x.indexOf(stops[stop])]);
  const draw = (width) => {
    const reach = series.flatMap((line) => [...line.y, ...(line.low ?? []), ...(line.high ?? [])]);
    const y = roundScale(reach, { log: panel.y_scale === "log", from: FLOOR, to: TOP });
    const left = gutter(y);
    const room = { from: left + 8, to: width - RIGHT, wanted: width < 420 ? 4 : 7 };
    const x = scaleBetween(stops, { log: panel.x_scale === "log", ...room });
    const place = (stop) => x.at(stops[stop]);
    const curves = series.flatMap((line, at) => curve(line, looks[at], x, y));
    const mark = (stop) => [
      drawing("line", { class: "hair", x1: place(stop), x2: place(stop), y1: TOP, y2: FLOOR }),
      ...numbers(stop).map((number, at) => drawable(number, y) && marker(looks[at], place(stop), y.at(number), 1.3)),
    ];
    return { place, mark, parts: [...yAxis(y, left, width, panel), ...xAxis(x, left, width, panel), ...curves] };
  };
  const name = (stop) => `${panel.x_label} ${axisNumber(stops[stop])}`;
  const names = series.map((line) => line.name);
  return { names, looks, sample: (at) => lineSample(looks[at]), count: stops.length, name, numbers, draw };
}

/** Bars: {title, y_label, categories, stacked, series: [[name, numbers]], ranges}; side by side unless stacked; `ranges`
 *  has for each series the ends [low, high] of an interval around every number, or is empty. */
export function barChart(panel) {
  const { categories, series, stacked, ranges = [] } = panel;
  const heights = categories.map((_, stop) => series.map(([, numbers]) => numbers[stop] ?? 0));
  const tops = stacked ? heights.map((parts) => parts.reduce((sum, part) => sum + part, 0)) : heights.flat();
  const draw = (width) => {
    const y = roundScale([...tops, ...ranges.flat(2)], { zero: true, from: FLOOR, to: TOP });
    const left = gutter(y);
    const band = (width - RIGHT - left) / Math.max(1, categories.length);
    const edge = (stop) => left + band * stop;
    const looksAt = (stop) => series.map((_, at) => (panel.by_category ? stop : at));
    const around = (stop) => ranges.map((one) => one[stop]);
    const bars = heights.flatMap((parts, stop) => barsAt(parts, edge(stop), band, y, stacked, around(stop), looksAt(stop)));
    return {
      place: (stop) => edge(stop) + band / 2,
      mark: (stop) => [drawing("rect", { class: "band", x: edge(stop), width: band, y: TOP, height: FLOOR - TOP })],
      parts: [...yAxis(y, left, width, panel), ...bandNames(categories, edge, band), ...bars],
    };
  };
  const numbers = (stop) => series.map((one) => one[1][stop]);
  const names = series.map(([name]) => name);
  const name = (stop) => categories[stop];
  const sample = panel.by_category ? () => [] : barSample;
  return chart(panel.title, { names, looks: names.map((_, at) => at), sample, count: categories.length, name, numbers, draw }).elements;
}

/**
 * What both have in common: a legend that reads out, and a drawing with stops from left to right.
 *
 *   names, sample  the series, and what stands before a name in the legend; `looks` are their colours
 *   count          how many stops there are
 *   name, numbers  what a stop is called, and its number in every series
 *   draw(width)    the parts, the place of each stop, and what marks it
 */
function chart(title, first) {
  let now = first;
  let drawn = null;
  let chosen = null;
  let { legend, read } = legendOf(now);
  const spoken = element("p", { class: "spoken", "aria-live": "polite" });
  const svg = drawing("svg", {
    class: "chart",
    height: HEIGHT,
    tabindex: 0,
    role: "group",
    "aria-roledescription": "chart",
    "aria-label": `${title}. Arrow keys read out the numbers.`,
  });
  const head = element("div", {}, legend);
  const place = element("div", { class: "canvas" }, svg, spoken);
  const choose = (stop) => {
    chosen = stop;
    const found = stop === null ? [] : now.numbers(stop).map(text);
    svg.querySelector(".marks")?.replaceChildren(...(stop === null ? [] : drawn.mark(stop).filter(Boolean)));
    read(stop === null ? "" : now.name(stop), found);
    const isFocused = stop !== null && document.activeElement === svg;
    spoken.textContent = isFocused ? `${now.name(stop)}: ${now.names.map((one, at) => `${one} ${found[at]}`).join(", ")}` : "";
  };
  const nearest = (pixel) => {
    const away = Array.from({ length: now.count }, (_, stop) => Math.abs(drawn.place(stop) - pixel));
    return away.indexOf(Math.min(...away));
  };
  const some = (act) => (event) => now.count > 0 && drawn && act(event);
  svg.addEventListener("pointermove", some((event) => choose(nearest(event.clientX - svg.getBoundingClientRect().x))));
  svg.addEventListener("pointerleave", some(() => document.activeElement !== svg && choose(null)));
  svg.addEventListener("focus", some(() => choose(chosen ?? 0)));
  svg.addEventListener("blur", some(() => choose(null)));
  svg.addEventListener("keydown", some((event) => {
    const to = { ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: now.count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(now.count - 1, to)));
  }));
  const redraw = () => {
    const width = Math.max(240, Math.floor(place.clientWidth));
    svg.setAttribute("width", width);
    drawn = now.draw(width);
    svg.replaceChildren(...drawn.parts, drawing("g", { class: "marks" }));
    choose(chosen);
  };
  new ResizeObserver(() => {
    if (place.clientWidth && Number(svg.getAttribute("width")) !== Math.max(240, Math.floor(place.clientWidth))) redraw();
  }).observe(place);
  return {
    elements: [head, place],
    show(next) {
      const held = chosen === null ? null : now.name(chosen); // the same stop, though there may be more of them now
      now = next;
      ({ legend, read } = legendOf(now));
      head.replaceChildren(legend);
      const again = Array.from({ length: held === null ? 0 : now.count }, (_, stop) => now.name(stop)).indexOf(held);
      chosen = again < 0 ? null : again;
      if (place.clientWidth) redraw();
    },
    /** What is seen, with its legend, to be saved. */
    scene() {
      let x = 8;
      return svgPicture(svg, now.names.map((name, at) => {
        const entry = { text: `— ${name}`, x, fill: pageColour(`look-${now.looks[at] % MARKERS.length}`) };
        x += textWidth(entry.text, 13, "sans-serif") + 24;
        return entry;
      }));
    },
  };
}

const text = (number) => (Number.isFinite(number) ? axisNumber(number) : "–");

// --- legend -----------------------------------------------------------------------------------------

function legendOf({ names, sample }) {
  const where = element("span", { class: "where" });
  const numbers = names.map(() => element("span", { class: "number" }));
  const items = names.map((name, at) => {
    const drawn = sample(at); // nothing where each category has a look of its own: the axis says what the number is
    const picture = { class: "sample", viewBox: "0 0 28 12", width: 28, height: 12 };
    return element("li", {}, ...(drawn.length ? [drawing("svg", picture, ...drawn), element("span", {}, name)] : []), numbers[at]);
  });
  const read = (place, found) => {
    where.textContent = place;
    numbers.forEach((number, at) => (number.textContent = found[at] ?? ""));
  };
  const legend = element("div", { class: "legend", "aria-hidden": "true" }, element("ul", {}, ...items), where);
  return { legend, read };
}

/** Colour, dash and marker by turns: series differ by more than colour. */
const look = (at) => `look-${at % MARKERS.length}`;
const lineSample = (at) => [drawing("path", { class: `curve ${look(at)}`, d: "M0 6h28" }), marker(at, 14, 6)];
const barSample = (at) => [drawing("rect", { class: `bar ${look(at)}`, x: 8, y: 0.5, width: 11, height: 11 })];

function marker(at, x, y, size = 1) {
  const path = MARKERS[at % MARKERS.length];
  return drawing("path", { class: `marker ${look(at)}`, d: path, transform: `translate(${x} ${y}) scale(${size})` });
}

// --- axes -------------------------------------------------------------------------------------------

/** Room for the numbers beside the y axis. */
const gutter = (y) => 14 + 7 * Math.max(2, ...y.ticks.map((tick) => axisNumber(tick).length));

function yAxis(y, left, width, panel) {
  const ticks = y.ticks.flatMap((tick) => {
    const [across, at] = [{ x1: left, x2: width - RIGHT }, y.at(tick)];
    return [
      drawing("line", { class: tick === 0 ? "rule zero" : "rule", ...across, y1: at, y2: at }),
      drawing("text", { class: "tick end", x: left - 8, y: at, dy: "0.32em" }, axisNumber(tick)),
    ];
  });
  return [...ticks, drawing("text", { class: "title", x: 0, y: 9 }, panel.y_label)];
}

function xAxis(x, left, width, panel) {
  const ticks = x.ticks.flatMap((tick) => {
    const at = x.at(tick);
    return [
      drawing("line", { class: "axis", x1: at, x2: at, y1: FLOOR, y2: FLOOR + 4 }),
      drawing("text", { class: "tick middle", x: at, y: FLOOR + 17 }, axisNumber(tick)),
    ];
  });
  const middle = (left + width - RIGHT) / 2;
  return [
    drawing("line", { class: "axis", x1: left, x2: width - RIGHT, y1: FLOOR, y2: FLOOR }),
    ...ticks,
    drawing("text", { class: "title middle", x: middle, y: HEIGHT - 4 }, panel.x_label),
  ];
}

/** Names below the bands; slanted where they would run into each other. */
function bandNames(names, edge, band) {
  const slanted = names.some((name) => name.length * 7 > band);
  return names.map((name, stop) => {
    const short = name.length > 14 ? `${name.slice(0, 13)}…` : name;
    const x = edge(stop) + band / 2;
    return slanted
      ? drawing("text", { class: "tick end", transform: `translate(${x + 4} ${FLOOR + 12}) rotate(-24)` }, short)
      : drawing("text", { class: "tick middle", x, y: FLOOR + 17 }, short);
  });
}

// --- lines and bars ---------------------------------------------------------------------------------

const drawable = (number, scale) => Number.isFinite(number) && (!scale.log || number > 0);

function curve(line, at, x, y) {
  const points = line.x
    .map((place, stop) => [place, line.y[stop]])
    .filter(([place, number]) => drawable(place, x) && drawable(number, y))
    .map(([place, number]) => [x.at(place), y.at(number)]);
  const path = points.map(([px, py], point) => `${point ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const markers = points.length <= MARKED ? points.map(([px, py]) => marker(at, px, py)) : [];
  const whiskers = (line.low ?? []).map((low, stop) => whisker(x.at(line.x[stop]), low, line.high[stop], y, look(at)));
  return [...whiskers, drawing("path", { class: `curve ${look(at)}`, d: path }), ...markers];
}

/** An interval: a line from its lower to its upper end. */
function whisker(x, low, high, y, name = "") {
  return drawing("path", { class: `whisker ${name}`, d: `M${x} ${y.at(low)}V${y.at(high)}M${x - 3} ${y.at(low)}h6M${x - 3} ${y.at(high)}h6` });
}

function barsAt(numbers, left, band, y, stacked, ranges, looks) {
  const inner = Math.min(band * 0.76, stacked ? 64 : 44 * numbers.length);
  const width = stacked ? inner : inner / numbers.length;
  let start = left + (band - inner) / 2;
  let foot = 0;
  return numbers.flatMap((number, at) => {
    const high = y.at(Math.max(foot, foot + number));
    const low = y.at(Math.min(foot, foot + number));
    const size = { x: start, width: Math.max(1, width - 1), y: high, height: low - high };
    const middle = start + width / 2;
    if (stacked) foot += number;
    else start += width;
    const bar = drawing("rect", { class: `bar ${look(looks[at])}`, ...size });
    return ranges[at] ? [bar, whisker(middle, ...ranges[at], y)] : [bar];
  });
}
