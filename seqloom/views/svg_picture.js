// A drawing that stands on the page, as a picture to save: with the colours and letters that it has there.

const SVG = "http://www.w3.org/2000/svg";
const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity",
  "font-family", "font-size", "font-style", "font-weight", "text-anchor", "dominant-baseline", "visibility", "display",
];

/** What `saveMenu` takes as a scene; `above` are lines of text over it, as [{text, x, fill}]. */
export function svgPicture(svg, above = []) {
  const box = svg.viewBox.baseVal?.width ? svg.viewBox.baseVal : { x: 0, y: 0, width: svg.clientWidth, height: svg.clientHeight };
  const head = above.length ? 28 : 0;
  const [width, height] = [Math.ceil(box.width), Math.ceil(box.height + head)];

  function text(title, background) {
    const root = document.createElementNS(SVG, "svg");
    const set = (node, attributes) => {
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      return node;
    };
    set(root, { xmlns: SVG, viewBox: `${box.x} ${box.y - head} ${width} ${height}`, width, height, role: "img" });
    root.append(Object.assign(document.createElementNS(SVG, "title"), { textContent: title }));
    if (background) root.append(set(document.createElementNS(SVG, "rect"), { x: box.x, y: box.y - head, width, height, fill: background }));
    const copy = styled(svg);
    const whole = document.createElementNS(SVG, "g");
    whole.append(...copy.childNodes);
    root.append(whole);
    for (const { text: words, x, fill } of above) {
      const line = set(document.createElementNS(SVG, "text"), { x: box.x + x, y: box.y - head / 2, fill, "font-size": 13, "font-family": "sans-serif", "dominant-baseline": "central" });
      line.textContent = words;
      root.append(line);
    }
    return new XMLSerializer().serializeToString(root);
  }

  return {
    width,
    height,
    svg: text,
    async draw(pen) {
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text("", null))}`;
      await image.decode();
      pen.drawImage(image, 0, 0, width, height);
    },
  };
}

/** A copy in which every part says itself how it looks: the style sheets stay behind. */
function styled(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((node, at) => {
    if (node.namespaceURI !== SVG) return;
    const look = getComputedStyle(node);
    for (const name of KEPT) if (look.getPropertyValue(name)) to[at].setAttribute(name, look.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "data-id", "data-from", "data-to", "data-opens", "aria-label", "role"]) to[at].removeAttribute(name);
  });
  return copy;
}
