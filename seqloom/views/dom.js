// Making elements. Text always goes in as text, so no word of a reader's can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: `element("button", {class: "chip", onclick: f}, "text", child, ...)`. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function drawing(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/** A picture for a button, drawn with strokes in the colour of its text. */
export function icon(path) {
  return drawing("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, drawing("path", { d: path }));
}
