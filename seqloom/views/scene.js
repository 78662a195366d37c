// A drawing as a list of shapes, which goes to a canvas or to an SVG file: what is seen is what is saved.

import { pageColour, pageFont, scale } from "seqloom/colour.js";

const SVG = "http://www.w3.org/2000/svg";

/** Shapes in a space of width and height; colours are those a canvas takes. */
export class Scene {
  constructor(width, height) {
    this.width = Math.ceil(width);
    this.height = Math.ceil(height);
    this.shapes = [];
  }

  rect(x, y, width, height, { fill = "none", stroke = "none", line = 1, radius = 0, opacity = 1 } = {}) {
    this.shapes.push({ kind: "rect", x, y, width, height, fill, stroke, line, radius, opacity });
    return this;
  }

  /** A curve by its ends and control points: [x0, y0, x1, y1, x2, y2, x3, y3]. */
  curve(points, { stroke, line = 1, opacity = 1 }) {
    this.shapes.push({ kind: "curve", points, stroke, line, opacity });
    return this;
  }

  line(x1, y1, x2, y2, { stroke, line = 1, opacity = 1, dash = [] }) {
    this.shapes.push({ kind: "line", x1, y1, x2, y2, stroke, line, opacity, dash });
    return this;
  }

  text(x, y, text, { fill, size = 14, font = "sans-serif", weight = 400, anchor = "middle", turn = 0, opacity = 1 }) {
    this.shapes.push({ kind: "text", x, y, text, fill, size, font, weight, anchor, turn, opacity });
    return this;
  }

  /** A picture of few pixels, each as a square: thousands of cells at once. */
  image(x, y, width, height, canvas, { opacity = 1 } = {}) {
    this.shapes.push({ kind: "image", x, y, width, height, canvas, opacity });
    return this;
  }

  draw(pen) {
    for (const shape of this.shapes) {
      pen.globalAlpha = shape.opacity;
      DRAWN[shape.kind](pen, shape);
    }
    pen.globalAlpha = 1;
  }

  /** A whole SVG file. */
  svg(title, background = null) {
    const root = document.createElementNS(SVG, "svg");
    const set = (node, attributes) => {
      for (const [name, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(name, value);
      return node;
    };
    set(root, { xmlns: SVG, viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height, role: "img" });
    const add = (tag, attributes, text = "") => {
      const node = set(document.createElementNS(SVG, tag), attributes);
      if (text) node.textContent = text;
      root.append(node);
    };
    add("title", {}, title);
    if (background) add("rect", { width: this.width, height: this.height, fill: background });
    for (const shape of this.shapes) {
      const [tag, attributes, text] = WRITTEN[shape.kind](shape);
      add(tag, { ...attributes, opacity: shape.opacity === 1 ? null : shape.opacity }, text);
    }
    return new XMLSerializer().serializeToString(root);
  }
}

/** Bars from 0 to 1 below each other, each with its name: [[name, part], ...]. */
export function barScene(rows, { name = String, part = (value) => value.toFixed(3) } = {}) {
  const scene = new Scene(460, rows.length * 30 + 16);
  rows.forEach(([label, value], row) => {
    const y = 22 + row * 30;
    scene.text(110, y, name(label), { fill: pageColour("ink"), size: 16, font: pageFont("serif"), anchor: "end" });
    scene.rect(122, y - 8, Math.max(1, Math.max(0, value) * 250), 16, { fill: scale().at(value), radius: 3 });
    scene.text(386, y, part(value), { fill: pageColour("soft"), size: 13, font: pageFont("sans"), anchor: "start" });
  });
  return scene;
}

const DRAWN = {
  image(pen, { x, y, width, height, canvas }) {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(canvas, x, y, width, height);
  },
  rect(pen, { x, y, width, height, fill, stroke, line, radius }) {
    pen.beginPath();
    if (radius) pen.roundRect(x, y, width, height, radius);
    else pen.rect(x, y, width, height);
    if (fill !== "none") (pen.fillStyle = fill), pen.fill();
    if (stroke !== "none") (pen.strokeStyle = stroke), (pen.lineWidth = line), pen.stroke();
  },
  curve(pen, { points, stroke, line }) {
    pen.beginPath();
    pen.moveTo(points[0], points[1]);
    pen.bezierCurveTo(...points.slice(2));
    pen.strokeStyle = stroke;
    pen.lineWidth = line;
    pen.stroke();
  },
  line(pen, { x1, y1, x2, y2, stroke, line, dash }) {
    pen.beginPath();
    pen.setLineDash(dash);
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.strokeStyle = stroke;
    pen.lineWidth = line;
    pen.stroke();
    pen.setLineDash([]);
  },
  text(pen, { x, y, text, fill, size, font, weight, anchor, turn }) {
    pen.save();
    pen.translate(x, y);
    if (turn) pen.rotate((turn * Math.PI) / 180);
    pen.font = `${weight} ${size}px ${font}`;
    pen.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    pen.textBaseline = "middle";
    pen.fillStyle = fill;
    pen.fillText(text, 0, 0);
    pen.restore();
  },
};

const WRITTEN = {
  image: ({ x, y, width, height, canvas }) =>
    ["image", { x, y, width, height, href: canvas.toDataURL(), preserveAspectRatio: "none", "image-rendering": "pixelated" }],
  rect: ({ x, y, width, height, fill, stroke, line, radius }) =>
    ["rect", { x, y, width, height, fill, stroke, "stroke-width": line, rx: radius || null }],
  curve: ({ points: [a, b, c, d, e, f, g, h], stroke, line }) =>
    ["path", { d: `M${a} ${b}C${c} ${d} ${e} ${f} ${g} ${h}`, fill: "none", stroke, "stroke-width": line }],
  line: ({ x1, y1, x2, y2, stroke, line, dash }) =>
    ["line", { x1, y1, x2, y2, stroke, "stroke-width": line, "stroke-dasharray": dash.join(" ") || null }],
  text: ({ x, y, text, fill, size, font, weight, anchor, turn }) =>
    ["text", {
      x, y, fill, "font-size": size, "font-family": font, "font-weight": weight, "text-anchor": anchor,
      "dominant-baseline": "central", transform: turn ? `rotate(${turn} ${x} ${y})` : null,
    }, text],
};

/** Make a canvas as large as its place on the screen, sharp on every screen; its pen counts in CSS pixels. */
export function fitCanvas(canvas, width, height) {
  const ratio = Math.min(devicePixelRatio || 1, 3);
  const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

let ruler = null;

/** The width of a text in pixels. */
export function textWidth(text, size, font, weight = 400) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${weight} ${size}px ${font}`;
  return ruler.measureText(text).width;
}
