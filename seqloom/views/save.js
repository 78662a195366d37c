// Save what is seen: a picture as SVG or PNG, its numbers as JSON or CSV.

import { pageColour } from "seqloom/colour.js";
import { element, icon } from "seqloom/dom.js";

const SAVE = "M8 2v8M4.5 7L8 10.5L11.5 7M3 13.5h10";
const SHARP = 2; // pixels of a PNG for each pixel of the drawing
const KEPT = 60_000; // milliseconds that a busy browser may take to begin with a download
const LARGEST = 16000; // pixels of its longer side

/**
 * A button that opens a menu of files.
 *
 *   says     {save, svg, png, json, csv}: the words of the menu
 *   name     of the files, without an ending
 *   scene    the picture; null where there is none
 *   numbers  {columns, rows}: the table behind it
 */
export function saveMenu({ says, name, scene, numbers }) {
  const choices = [
    ["svg", () => scene && [scene().svg(name, pageColour("sheet")), "image/svg+xml"]],
    ["png", () => scene && png(scene())],
    ["json", () => [JSON.stringify(records(numbers()), null, 1), "application/json"]],
    ["csv", () => [csv(numbers()), "text/csv"]],
  ].filter(([kind]) => scene || kind === "json" || kind === "csv");
  const close = () => menu.removeAttribute("open");
  const items = choices.map(([kind, make]) => element("button", {
    type: "button",
    onclick: async () => {
      close();
      const made = await make();
      if (made) download(`${name}.${kind}`, ...made);
    },
  }, says[kind]));
  const summary = element("summary", { "aria-label": says.save, title: says.save }, icon(SAVE));
  const menu = element("details", { class: "save" }, summary, element("div", { class: "menu" }, ...items));
  menu.addEventListener("keydown", (event) => event.key === "Escape" && (close(), summary.focus(), event.stopPropagation()));
  menu.addEventListener("focusout", (event) => menu.contains(event.relatedTarget) || close());
  return menu;
}

async function png(scene) {
  const ratio = Math.min(SHARP, LARGEST / Math.max(scene.width, scene.height));
  const canvas = document.createElement("canvas");
  canvas.width = scene.width * ratio;
  canvas.height = scene.height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = pageColour("sheet");
  pen.fillRect(0, 0, scene.width, scene.height);
  await scene.draw(pen);
  return [await new Promise((done) => canvas.toBlob(done, "image/png")), "image/png"];
}

const records = ({ columns, rows }) => rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));

function csv({ columns, rows }) {
  const cell = (value) => (/[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name.replaceAll(/[^\w.-]+/g, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}
