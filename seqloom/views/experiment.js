// The page of an experiment: a question, and panels that answer it. A panel is data; here it is drawn.

import { barChart, lineChart } from "seqloom/chart.js";
import { element } from "seqloom/dom.js";
import { heat } from "seqloom/heat.js";

const KINDS = { LineChart: lineChart, BarChart: barChart, HeatMap: heatMap, Table: table };

const NUMBER = /^[−-]?[\d.,]+(e[+-]?\d+)?( ?[%×])?$/;

export function experiment(data) {
  const places = document.querySelectorAll("[data-panel]");
  data.panels.forEach((panel, at) => {
    places[at].replaceChildren(...KINDS[panel.kind](panel), ...numbersOf(panel));
  });
}

/** A heat map: {title, value: {shape, data, rows, columns}}. */
function heatMap({ title, value }) {
  return [heat(value, { says: title })];
}

/** A table: {title, columns, rows} of texts; a column of numbers stands to the right. */
function table({ columns, rows }) {
  const sides = columns.map((_, at) => (rows.every((row) => NUMBER.test(row[at])) ? "number" : null));
  const head = columns.map((name, at) => element("th", { scope: "col", class: sides[at] }, name));
  const cells = (row) => row.map((text, at) => element("td", { class: sides[at] }, text));
  return [element("div", { class: "scroll" }, element("table", { class: "plain" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells(row))))))];
}

/** The numbers behind a chart, for who would rather read them. */
function numbersOf(panel) {
  const text = (number) => (number === null || number === undefined ? "" : String(Number(number.toPrecision(4))));
  let columns, rows;
  if (panel.kind === "LineChart") {
    const stops = [...new Set(panel.series.flatMap((line) => line.x))].sort((a, b) => a - b);
    columns = [panel.x_label, ...panel.series.map((line) => line.name)];
    rows = stops.map((stop) => [text(stop), ...panel.series.map((line) => text(line.y[line.x.indexOf(stop)]))]);
  } else if (panel.kind === "BarChart") {
    columns = ["", ...panel.series.map(([name]) => name)];
    rows = panel.categories.map((name, at) => [name, ...panel.series.map(([, numbers]) => text(numbers[at]))]);
  } else return [];
  return [element("details", {}, element("summary", {}, "The numbers"), ...table({ columns, rows }))];
}
