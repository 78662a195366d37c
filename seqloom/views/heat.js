// One heat map for every view: a number, a row, a matrix, or several matrices as small multiples.
//
// A value is {shape, data, rows, columns}: numbers in one flat list, row after row, and the words along
// the last two axes, where there are any; a text stands for what is not finite, which JSON lacks. Colours are
// those of heat.css: a cell only says how strong it is (--m, from 0 to 1) and on which side of zero.

import { drawing, element } from "seqloom/dom.js";

const WITH_NUMBERS = 12; // columns; beyond, cells shrink and the one under the pointer is read out
const AS_TABLE = 1600; // cells; beyond, a drawing of a few dozen paths
const SHADES = 24;
const LARGEST = 8; // pixels a cell of a drawing, where there is room

/** What colours mean: values from 0 to 1 (gates, probabilities), or numbers on both sides of 0; common to all given values. */
export function scaleOf(values) {
  let unit = true;
  let whole = true;
  let most = 0;
  for (const { data } of values) {
    for (const number of data) {
      if (typeof number === "string") continue;
      unit &&= number >= 0 && number <= 1;
      whole &&= Number.isInteger(number);
      most = Math.max(most, Math.abs(number));
    }
  }
  if (unit && most > 0.5) most = 1; // so that gates can be compared; small values would look like nothing
  return { unit, whole, most: most || 1 };
}

/** A number as it is read: a true minus, and as many digits as its neighbours deserve. */
export function written(number, { whole, most }) {
  if (number === undefined) return "";
  if (typeof number === "string") return number;
  if (whole) return exact(number);
  const digits = most >= 100 ? 0 : most >= 10 ? 1 : most >= 0.1 ? 2 : most >= 0.01 ? 3 : 4;
  const text = number.toFixed(digits);
  return minus(Number(text) === 0 ? text.replace("-", "") : text);
}

const minus = (text) => text.replaceAll("-", "−");
const exact = (number) => (number === undefined ? "" : minus(String(number)));

/**
 * The heat map of a value.
 *
 *   scale   from `scaleOf`; of this value alone if left out
 *   marked  the row to mark
 *   pick    called with a row that is clicked
 *   says    what it is, for who cannot see it
 *   point   called with the place of a number in `data` that is pointed at, or stepped to with the arrow keys
 *   chosen  the place that is pointed at to begin with
 */
export function heat(value, { scale = scaleOf([value]), marked = null, pick = null, says = "", point = null, chosen = null } = {}) {
  const parts = partsOf(value);
  const { rows, columns } = parts[0] ?? { rows: 0, columns: 0 };
  const numbers = columns <= WITH_NUMBERS && rows * columns <= AS_TABLE;
  const readout = element("output", { class: "readout", "aria-hidden": "true" }, " ");
  const maps = parts.map((part) => {
    const options = { scale, numbers, marked, pick, says };
    const map = rows * columns <= AS_TABLE ? table(part, options) : paths(part, options);
    if (!numbers) watch(map, part, readout);
    if (point) map.addEventListener("pointermove", (event) => choose(placeAt(event, map, part), part));
    return element("figure", { class: "slice" }, part.name && element("figcaption", {}, part.name), map);
  });
  const scrolls = { tabindex: point || parts.length * columns > 8 ? 0 : null, role: "group", "aria-label": says };
  const slices = element("div", { class: "slices", ...scrolls }, ...maps);
  let at = null;
  const cells = rows * columns;
  const choose = (place, part) => place && go(parts.indexOf(part) * cells + place.row * columns + place.column);
  const go = (next) => {
    if (next === at || next < 0 || next >= value.data.length || value.data[next] === undefined) return;
    at = next;
    ring(slices, maps[Math.floor(at / cells)], Math.floor((at % cells) / columns), at % columns, parts[0]);
    point(at);
  };
  if (point) {
    slices.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      go((at ?? 0) + by);
    });
    if (chosen !== null) go(chosen);
  }
  return element("div", { class: `heat ${scale.unit ? "unit" : "signed"} ${numbers ? "numbers" : "shades"}` },
    value.data.length
      ? slices
      : element("p", { class: "empty" }, "nothing yet"),
    numbers ? null : readout,
    value.data.length > 1 ? key(scale) : null);
}

/** The bar that says which colour is which number. */
function key(scale) {
  const ends = scale.unit ? [0, scale.most] : [-scale.most, 0, scale.most];
  const labels = ends.map((end) => element("span", {}, written(end, { ...scale, whole: Number.isInteger(end) })));
  return element("div", { class: "key", "aria-hidden": "true" }, element("span", { class: "bar" }), ...labels);
}

/** The matrices of a value, each with its place on the axes in front: `[0]`, `[1]`. */
function partsOf({ shape, data, rows: rowNames = null, columns: columnNames = null }) {
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : [1, shape[0] ?? 1];
  const front = shape.slice(0, -2);
  const count = front.reduce((product, size) => product * size, 1);
  const isRow = shape.length < 2;
  return Array.from({ length: count }, (_, at) => ({
    rows, columns, rowNames, columnNames, isRow,
    name: count > 1 ? `[${indices(at, front).join(", ")}]` : null,
    data: data.slice(at * rows * columns, (at + 1) * rows * columns),
  }));
}

function indices(flat, sizes) {
  return sizes.map((size, axis) => {
    const below = sizes.slice(axis + 1).reduce((product, inner) => product * inner, 1);
    return Math.floor(flat / below) % size;
  });
}

/** A cell in words: where it stands (by words, or by indices as Python counts them) and its number. */
function described(part, row, column) {
  const { rowNames, columnNames } = part;
  const number = exact(part.data[row * part.columns + column]);
  const across = columnNames ? columnNames[column] : `[${column}]`;
  if (part.isRow) return part.columns > 1 || columnNames ? `${across}: ${number}` : number;
  if (!rowNames && !columnNames) return `[${row}, ${column}]: ${number}`;
  return `${rowNames ? rowNames[row] : `[${row}]`} → ${across}: ${number}`;
}

function tone(number, scale) {
  if (number === undefined) return { side: "absent", strength: 0 };
  if (typeof number === "string") return { side: "none", strength: 0 };
  return { side: number < 0 ? "minus" : "plus", strength: Math.min(1, Math.abs(number) / scale.most) };
}

function table(part, { scale, numbers, marked, pick, says }) {
  const { rowNames, columnNames } = part;
  const cell = (row, column) => {
    const number = part.data[row * part.columns + column];
    const { side, strength } = tone(number, scale);
    const title = numbers ? described(part, row, column) : null;
    const text = numbers ? written(number, scale) : null;
    return element("td", { class: side, "--m": strength.toFixed(3), title }, text);
  };
  const line = (row) => {
    const attributes = { class: row === marked ? "marked" : null, onclick: pick && (() => pick(row)) };
    return element("tr", { ...attributes, "data-picks": pick !== null },
      rowNames && element("th", { scope: "row" }, rowNames[row]),
      ...Array.from({ length: part.columns }, (_, column) => cell(row, column)));
  };
  const head = columnNames && element("thead", {}, element("tr", {}, rowNames && element("td"),
    ...columnNames.map((word) => element("th", { scope: "col" }, element("span", {}, word)))));
  const tall = columnNames?.some((word) => word.length > 4);
  const body = element("tbody", {}, ...Array.from({ length: part.rows }, (_, row) => line(row)));
  return element("table", { class: tall ? "tall" : null, "aria-label": says }, head, body);
}

/** A large matrix: one path for each shade, so that a thousand cells or a million are drawn alike. */
function paths(part, { scale, says }) {
  const shades = new Map();
  part.data.forEach((number, at) => {
    const { side, strength } = tone(number, scale);
    const shade = `${side} ${Math.round(strength * SHADES)}`;
    if (!shades.has(shade)) shades.set(shade, []);
    shades.get(shade).push(`M${at % part.columns} ${Math.floor(at / part.columns)}h1v1h-1z`);
  });
  const drawn = [...shades].map(([shade, cells]) => {
    const [side, strength] = shade.split(" ");
    return drawing("path", { class: side, "--m": (strength / SHADES).toFixed(3), d: cells.join("") });
  });
  return drawing("svg", {
    viewBox: `0 0 ${part.columns} ${part.rows}`,
    width: part.columns * LARGEST,
    height: part.rows * LARGEST,
    "shape-rendering": "crispEdges",
    role: "img",
    "aria-label": says,
  }, ...drawn);
}

/** Mark one cell: of a table itself, of a drawing by a square over it. */
function ring(slices, figure, row, column, part) {
  for (const old of slices.querySelectorAll(".ringed")) old.classList.remove("ringed");
  slices.querySelector("rect.ring")?.remove();
  const map = figure.lastElementChild;
  if (map.tagName !== "TABLE") return void map.append(drawing("rect", { class: "ring", x: column, y: row, width: 1, height: 1 }));
  const line = map.tBodies[0].rows[row];
  line?.cells[column + (part.rowNames ? 1 : 0)]?.classList.add("ringed");
}

/** Read out the cell under the pointer. */
function watch(map, part, readout) {
  map.addEventListener("pointermove", (event) => {
    const at = placeAt(event, map, part);
    readout.textContent = at ? described(part, at.row, at.column) : " ";
  });
  map.addEventListener("pointerleave", () => (readout.textContent = " "));
}

/** The row and the column under the pointer; null beside the cells. */
function placeAt(event, map, part) {
  const at = map.tagName === "TABLE" ? cellAt(event) : squareAt(event, map, part);
  return at && at.row >= 0 && at.row < part.rows && at.column >= 0 && at.column < part.columns ? at : null;
}

function cellAt(event) {
  const cell = event.target.closest("tbody td");
  if (cell === null) return null;
  const first = cell.parentElement.querySelector("td").cellIndex;
  return { row: cell.parentElement.sectionRowIndex, column: cell.cellIndex - first };
}

function squareAt(event, map, part) {
  const box = map.getBoundingClientRect();
  return {
    row: Math.floor(((event.clientY - box.y) / box.height) * part.rows),
    column: Math.floor(((event.clientX - box.x) / box.width) * part.columns),
  };
}
