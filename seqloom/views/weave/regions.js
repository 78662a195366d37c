// A picture that is described: for each word its attention laid over the regions of the picture, the larger the stronger.

import { pageColour, pageFont, scale, signedScale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, fitCanvas } from "seqloom/scene.js";
import { isSpecial, shown } from "seqloom/tokens.js";
import { placeOf } from "seqloom/weave/attention.js";

const TALLEST = 460; // pixels of the large picture
const WIDEST = 900;
const CARD = [170, 300]; // pixels across the picture of one word: of an upright one, and of a line
const LEAST = 0.02; // of the strongest; what is lighter is not laid over the picture
const EVEN = 1.6; // how many times its equal share a region has to weigh before it stands for more than chance

/** The place of a region as a row and a column, counted from 1. */
export const placeIn = ({ columns }, at) => [Math.floor(at / columns) + 1, (at % columns) + 1];

/** What a picture's weights are drawn against: 1, or the largest where all are faint and would look like nothing. */
export function strongest(weights) {
  const { weight } = weights.strongest();
  return weight > 0.5 ? 1 : weight;
}

/** The large picture: the weights of the word that is looked at, or how much all words look at each region. */
export function regions(context, attention, picture) {
  const { state, words } = context;
  const image = loaded(picture);
  const canvas = element("canvas", { "aria-hidden": "true" });
  const place = element("div", { class: "picture-map" }, canvas);
  let weights = attention.matrix("mean", "mean");
  let plan = null;

  place.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.x) / box.width) * picture.columns);
    const row = Math.floor(((event.clientY - box.y) / box.height) * picture.rows);
    const inside = row >= 0 && column >= 0 && row < picture.rows && column < picture.columns;
    state.set({ pointed: inside ? `s${row * picture.columns + column}` : null });
  });
  place.addEventListener("pointerleave", () => state.set({ pointed: null }));
  new ResizeObserver(() => plan?.room !== place.clientWidth && draw()).observe(place);
  image.then(() => draw());

  /** What is laid over the picture: of one word, else the mean of all; and the region that is pointed at. */
  function now() {
    const [target] = [state.now.pointed, state.now.at].filter((name) => name?.startsWith("t") && placeOf(name).at < attention.height);
    const region = state.now.pointed?.startsWith("s") ? placeOf(state.now.pointed).at : null;
    return { target: target ? placeOf(target).at : null, region };
  }

  function draw() {
    if (place.clientWidth === 0) return;
    const wide = Math.min(place.clientWidth, WIDEST, (TALLEST * picture.width) / picture.height);
    plan = { room: place.clientWidth, width: wide, height: (wide * picture.height) / picture.width };
    image.then((found) => {
      const { target, region } = now();
      const scene = new Scene(plan.width, plan.height);
      lay(scene, found, picture, over(target), strongest(weights), [0, 0, plan.width, plan.height]);
      if (region !== null) frame(scene, region);
      scene.draw(fitCanvas(canvas, plan.width, plan.height));
    });
  }

  const over = (target) => Array.from({ length: attention.width }, (_, at) => {
    if (target !== null) return weights.at(target, at);
    let sum = 0;
    for (let t = 0; t < attention.height; t++) sum += weights.at(t, at);
    return sum / attention.height;
  });

  function frame(scene, region) {
    const [row, column] = placeIn(picture, region);
    const [wide, high] = [plan.width / picture.columns, plan.height / picture.rows];
    scene.rect((column - 1) * wide, (row - 1) * high, wide, high, { stroke: pageColour("ink"), line: 2.5 });
  }

  return {
    element: place,
    show(next) {
      weights = next;
      draw();
    },
    light: draw,
    draw,
    reveal() {},
    scene: () => now_scene(),
    sentence() {
      const { target, region } = now();
      if (region !== null) {
        const [best] = weights.partners(`s${region}`);
        return words.picture.region(...placeIn(picture, region), shown(attention.target.tokens[best.at]), best.weight.toFixed(2));
      }
      const at = target ?? weights.strongest().target;
      const [best] = weights.partners(`t${at}`);
      const name = shown(attention.target.tokens[at]);
      if (best.weight * attention.width < EVEN) return words.picture.even(name);
      return words.picture.target(name, ...placeIn(picture, best.at), best.weight.toFixed(2));
    },
  };

  function now_scene() {
    const scene = new Scene(plan.width, plan.height);
    lay(scene, image.found, picture, over(now().target), strongest(weights), [0, 0, plan.width, plan.height]);
    return scene;
  }
}

/** Word by word: a small picture for each, with what it looks at; they are walked with the arrow keys. */
export function wordCards(context, attention, picture) {
  const { state, words } = context;
  const image = loaded(picture);
  const list = element("div", { class: "word-cards", role: "group", "aria-label": words.row.target });
  const wide = Math.min(CARD[1], Math.max(CARD[0], (110 * picture.width) / picture.height));
  const high = Math.max(24, Math.round((wide * picture.height) / picture.width));
  let weights = attention.matrix("mean", "mean");
  const cards = attention.target.tokens.map((token, at) => {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const says = element("span", { class: "where" });
    const card = element("button", {
      type: "button", class: isSpecial(token) ? "word-card special" : "word-card", "data-at": `t${at}`, tabindex: at === 0 ? 0 : -1, "aria-pressed": "false",
    }, canvas, element("bdi", {}, shown(token)), says);
    return { card, canvas, says };
  });
  list.style.setProperty("--card", `${wide}px`);
  list.append(...cards.map(({ card }) => card));
  const under = (event) => event.target.closest?.("[data-at]")?.dataset.at ?? null;
  list.addEventListener("pointerover", (event) => state.set({ pointed: under(event) }));
  list.addEventListener("pointerleave", () => state.set({ pointed: null }));
  list.addEventListener("click", (event) => {
    const at = under(event);
    if (at) state.set({ at: state.now.at === at ? "" : at });
  });
  list.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && state.set({ at: event.target.dataset.at }));
  list.addEventListener("keydown", (event) => {
    const own = event.target.dataset?.at;
    if (event.key === "Escape" && state.now.at) state.set({ at: "", pointed: null });
    if (!own || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = placeOf(own).at;
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: cards.length - 1 }[event.key];
    if (to === undefined || !cards[to]) return;
    event.preventDefault();
    for (const { card } of cards) card.tabIndex = -1;
    cards[to].card.tabIndex = 0;
    cards[to].card.focus();
    state.set({ at: `t${to}`, pointed: null });
  });

  const rowOf = (at) => Array.from({ length: attention.width }, (_, s) => weights.at(at, s));

  function draw() {
    image.then((found) => cards.forEach(({ canvas, says }, at) => {
      const scene = new Scene(wide, high);
      lay(scene, found, picture, rowOf(at), strongest(weights), [0, 0, wide, high]);
      scene.draw(fitCanvas(canvas, wide, high));
      const [best] = weights.partners(`t${at}`);
      says.textContent = best.weight.toFixed(2);
    }));
    light();
  }

  function light() {
    const name = state.now.pointed ?? (state.now.at || null);
    const region = name?.startsWith("s") ? placeOf(name).at : null;
    cards.forEach(({ card }, at) => {
      const weight = region === null ? 0 : weights.at(at, region);
      card.style.setProperty("--m", weight >= LEAST ? scale().at(weight) : "");
      card.style.setProperty("--on", weight >= LEAST ? scale().ink(weight) : "");
      card.setAttribute("aria-pressed", String(name === `t${at}`));
    });
  }

  return {
    element: list,
    show(next) {
      weights = next;
      draw();
    },
    draw,
    light,
    pooled: () => null,
    scene() {
      const across = Math.min(6, cards.length);
      const scene = new Scene(across * (wide + 14) + 14, Math.ceil(cards.length / across) * (high + 40) + 14);
      attention.target.tokens.forEach((token, at) => {
        const [x, y] = [14 + (at % across) * (wide + 14), 14 + Math.floor(at / across) * (high + 40)];
        lay(scene, image.found, picture, rowOf(at), strongest(weights), [x, y, wide, high]);
        scene.text(x + wide / 2, y + high + 16, shown(token), { fill: pageColour("ink"), size: 16, font: pageFont("serif") });
      });
      return scene;
    },
    numbers: () => ({
      columns: ["target", ...Array.from({ length: attention.width }, (_, at) => placeIn(picture, at).join(","))],
      rows: attention.target.tokens.map((token, t) => [token, ...rowOf(t)]),
    }),
  };
}

/** A picture with signed values over its regions, for an attribution: `draw(values, most)`, `scene()`. */
export function signedRegions(picture, label) {
  const image = loaded(picture);
  const canvas = element("canvas", { role: "img", "aria-label": label });
  const [wide, high] = sizeOf(picture);
  let last = null;
  const drawing = () => {
    const scene = new Scene(wide, high);
    scene.image(0, 0, wide, high, image.found.pale);
    const [width, height] = [wide / picture.columns, high / picture.rows];
    last.values.forEach((value, at) => {
      const part = value / last.most;
      const [row, column] = placeIn(picture, at);
      scene.rect((column - 1) * width, (row - 1) * height, width, height, { fill: signedScale("light").at(part), opacity: 0.2 + 0.6 * Math.abs(part) });
    });
    return scene.rect(0, 0, wide, high, { stroke: pageColour("strong-rule") });
  };
  return {
    element: element("div", { class: "region-picture" }, canvas),
    draw(values, most) {
      last = { values, most };
      image.then(() => drawing().draw(fitCanvas(canvas, wide, high)));
    },
    scene: drawing,
  };
}

/** A picture whose regions can be blanked one by one: `blank(list)` gives it as an address, white where they are. */
export function blankRegions(picture, says, toggled) {
  const image = loaded(picture);
  const canvas = element("canvas", { "aria-hidden": "true" });
  const [wide, high] = sizeOf(picture);
  const buttons = Array.from({ length: picture.rows * picture.columns }, (_, at) => element("button", {
    type: "button", "aria-pressed": "false", "aria-label": says(...placeIn(picture, at)), title: says(...placeIn(picture, at)), "data-focus": `region-${at}`, onclick: () => toggled(at),
  }));
  const over = element("div", { class: "region-buttons", role: "group", "--rows": picture.rows }, ...buttons);
  over.style.gridTemplate = `repeat(${picture.rows}, 1fr) / repeat(${picture.columns}, 1fr)`;

  async function blank(list) {
    const whole = await image;
    const made = document.createElement("canvas");
    [made.width, made.height] = [picture.width, picture.height];
    const pen = made.getContext("2d");
    pen.drawImage(whole.plain, 0, 0);
    pen.fillStyle = "white";
    const [width, height] = [picture.width / picture.columns, picture.height / picture.rows];
    for (const at of list) {
      const [row, column] = placeIn(picture, at);
      const [left, top] = [Math.round((column - 1) * width), Math.round((row - 1) * height)];
      pen.fillRect(left, top, Math.round(column * width) - left, Math.round(row * height) - top);
    }
    return made;
  }

  return {
    element: element("div", { class: "region-picture" }, canvas, over),
    async draw(list) {
      buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(list.includes(at))));
      const scene = new Scene(wide, high).image(0, 0, wide, high, await blank(list));
      scene.rect(0, 0, wide, high, { stroke: pageColour("strong-rule") }).draw(fitCanvas(canvas, wide, high));
    },
    blank: async (list) => (await blank(list)).toDataURL("image/png"),
  };
}

function sizeOf({ width, height }) {
  const wide = Math.min(520, (280 * width) / height);
  return [wide, (wide * height) / width];
}

/** The picture, paler, and over each region the colour of its weight; `top` is the weight that covers most. */
function lay(scene, image, picture, values, top, [x, y, width, height]) {
  scene.image(x, y, width, height, image.pale);
  const [wide, high] = [width / picture.columns, height / picture.rows];
  values.forEach((weight, at) => {
    const part = weight / top;
    if (part < LEAST) return;
    const [row, column] = placeIn(picture, at);
    scene.rect(x + (column - 1) * wide, y + (row - 1) * high, wide, high, { fill: scale("light").at(0.1 + 0.8 * part), opacity: 0.3 + 0.45 * part });
  });
  scene.rect(x, y, width, height, { stroke: pageColour("strong-rule") });
}

function copied(image, { width, height }) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas;
}

/** Without colours of its own, and light: what is laid over it has both. */
function pale(canvas) {
  const pen = canvas.getContext("2d");
  const pixels = pen.getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < pixels.data.length; at += 4) {
    const [red, green, blue] = pixels.data.subarray(at, at + 3);
    pixels.data.fill(255 - 0.7 * (255 - (0.3 * red + 0.59 * green + 0.11 * blue)), at, at + 3);
  }
  pen.putImageData(pixels, 0, 0);
  return canvas;
}

const images = new Map();

/** The pixels of a picture once they are there, as canvases: as they are, and `pale`. A few are kept. */
function loaded(picture) {
  if (!images.has(picture.image)) {
    if (images.size > 8) images.delete(images.keys().next().value);
    const made = (async () => {
      const image = new Image();
      image.src = picture.image;
      await image.decode();
      made.found = { plain: copied(image, picture), pale: pale(copied(image, picture)) };
      return made.found;
    })();
    images.set(picture.image, made);
  }
  return images.get(picture.image);
}
