// The confusion matrix: rows are the right labels, columns what the model says. A click on a cell keeps its examples.

import { pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { Scene, textWidth } from "seqloom/scene.js";

const MOST = 18; // labels in rows and columns; of more, those that are confused most

/** Whether an example has a label that was taken for another; a cell is named as `named` does. */
export function inCell(one, cell) {
  const [row, column] = labelsOf(cell);
  return one.true.some((label, at) => label === row && one.given[at] === column);
}

/** The right label of a cell, and what was said instead. */
export const labelsOf = (cell) => cell.split(" > ").map(read);
const named = (row, column) => [row, column].map(encodeURIComponent).join(" > ");

/** `found` is what /api/data says. */
export function confusion({ state, words }, found) {
  const counts = counted(found.examples);
  const { labels, left } = chosen(counts);
  const sums = new Map(labels.map((label) => [label, labels.reduce((sum, other) => sum + counts.at(label, other), 0)]));
  const part = (row, column) => counts.at(row, column) / (sums.get(row) || 1);

  const cell = (row, column) => {
    const count = counts.at(row, column);
    const name = named(row, column);
    const pressed = state.now.confused === name;
    const inside = count === 0 ? "" : element("button", {
      type: "button", "aria-pressed": String(pressed), "data-focus": name, "aria-label": words.confusion.cell(row, column, count), title: words.confusion.cell(row, column, count),
      "--c": scale().at(part(row, column)), "--on": scale().ink(part(row, column)), onclick: () => state.set({ confused: pressed ? "" : name, only: "all" }),
    }, count);
    return element("td", { class: row === column ? "right" : null }, inside);
  };
  const head = element("tr", {}, element("td", {}), ...labels.map((label) => element("th", { scope: "col" }, element("span", {}, element("bdi", {}, label)))));
  const rows = labels.map((row) => element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, row)), ...labels.map((column) => cell(row, column))));
  const turned = labels.length > 6 || labels.some((label) => label.length > 9);
  const table = element("table", { class: turned ? "confusion-table turned" : "confusion-table" },
    element("caption", { class: "spoken" }, words.confusion.hint), element("thead", {}, head), element("tbody", {}, ...rows));
  const back = state.now.confused && element("button", { type: "button", class: "quiet", "data-focus": "all-cells", onclick: () => state.set({ confused: "", only: "" }) }, words.confusion.all);

  return {
    element: element("div", { class: "confusion-room", tabindex: 0, role: "group", "aria-label": words.confusion.title },
      element("div", { class: "axes" }, element("span", {}, words.confusion.rows), element("span", {}, words.confusion.columns)), table),
    tools: back ? [back] : [],
    sentence() {
      const worst = counts.wrong()[0];
      const rest = left ? ` ${words.confusion.left(left)}` : "";
      if (!worst) return words.confusion.none + rest;
      return words.confusion.says(quoted(worst.row), quoted(worst.column), worst.count, Math.round((100 * worst.count) / counts.of(worst.row))) + rest;
    },
    scene() {
      const [font, size, side] = [pageFont("serif"), 13, 38];
      const margin = Math.max(...labels.map((label) => textWidth(label, size, font))) + 18;
      const scene = new Scene(margin + side * labels.length + 8, margin + side * labels.length + 8);
      const soft = pageColour("soft");
      labels.forEach((label, at) => {
        scene.text(margin - 8, margin + side * (at + 0.5), label, { fill: soft, size, font, anchor: "end" });
        scene.text(margin + side * (at + 0.5), margin - 8, label, { fill: soft, size, font, anchor: "start", turn: -90 });
        labels.forEach((column, place) => {
          const [x, y] = [margin + side * place, margin + side * at];
          scene.rect(x, y, side - 2, side - 2, { fill: scale().at(part(label, column)), radius: 4 });
          if (counts.at(label, column)) scene.text(x + side / 2 - 1, y + side / 2 - 1, String(counts.at(label, column)), { fill: scale().ink(part(label, column)), size: 12, font: pageFont("sans") });
        });
      });
      return scene;
    },
    numbers: () => ({ columns: [`${words.confusion.rows} \\ ${words.confusion.columns}`, ...labels], rows: labels.map((row) => [row, ...labels.map((column) => counts.at(row, column))]) }),
  };
}

/** An address can be written by hand, and wrong. */
function read(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** How often each label was taken for each. */
function counted(all) {
  const rows = new Map();
  for (const one of all) {
    one.true.forEach((label, at) => {
      if (!rows.has(label)) rows.set(label, new Map());
      const row = rows.get(label);
      row.set(one.given[at], (row.get(one.given[at]) ?? 0) + 1);
    });
  }
  return {
    rows,
    at: (row, column) => rows.get(row)?.get(column) ?? 0,
    of: (row) => [...rows.get(row).values()].reduce((sum, count) => sum + count, 0),
    /** Mistakes, the most frequent first. */
    wrong: () => [...rows].flatMap(([row, columns]) => [...columns].filter(([column]) => column !== row).map(([column, count]) => ({ row, column, count })))
      .sort((one, other) => other.count - one.count),
  };
}

/** The labels to show, in the order of the alphabet, and how many are left out. */
function chosen(counts) {
  const all = [...new Set([...counts.rows].flatMap(([row, columns]) => [row, ...columns.keys()]))];
  const mistakes = new Map(all.map((label) => [label, 0]));
  for (const { row, column, count } of counts.wrong()) for (const label of [row, column]) mistakes.set(label, mistakes.get(label) + count);
  const labels = all.sort((one, other) => mistakes.get(other) - mistakes.get(one)).slice(0, MOST);
  return { labels: labels.sort((one, other) => one.localeCompare(other)), left: all.length - labels.length };
}
