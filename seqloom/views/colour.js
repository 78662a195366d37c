// Colours of what is drawn: a scale from 0 to 1 whose steps look equally large, and the page's own colours for a canvas.
//
// The scale goes through the stops below, given in OKLCH (lightness, chroma, hue); its points are set at equal distances
// in OKLab. Lightness only ever goes one way, so it is read right by the colour-blind and on grey paper.

const STOPS = {
  light: [[0.985, 0.006, 85], [0.92, 0.055, 80], [0.8, 0.125, 62], [0.66, 0.17, 32], [0.5, 0.165, 358], [0.37, 0.13, 320], [0.26, 0.09, 288]],
  dark: [[0.245, 0.008, 265], [0.32, 0.085, 295], [0.43, 0.14, 330], [0.56, 0.17, 5], [0.7, 0.155, 45], [0.83, 0.12, 75], [0.95, 0.07, 98]],
};
const SIGNED = {
  light: { minus: [0.45, 0.13, 255], zero: [0.985, 0.003, 85], plus: [0.58, 0.15, 48] },
  dark: { minus: [0.74, 0.12, 250], zero: [0.245, 0.006, 265], plus: [0.78, 0.14, 60] },
};
const SHADES = 256;
const FINE = 512;

/** "light" or "dark": what the reader sees now. */
export function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Call back whenever the reader sees other colours. */
export function onTheme(changed) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

const scales = new Map();

/** The scale of this moment's theme: `at(0.62)` is a colour; below 0 and above 1 it ends. */
export function scale(look = theme()) {
  if (!scales.has(look)) scales.set(look, table(even(STOPS[look].map(toLab))));
  return scales.get(look);
}

/** The scale for numbers on both sides of zero: `at(-1)` to `at(1)`. */
export function signedScale(look = theme()) {
  const name = `signed ${look}`;
  if (!scales.has(name)) {
    const { minus, zero, plus } = SIGNED[look];
    const ends = table(even([toLab(zero), toLab(plus)]));
    const below = table(even([toLab(zero), toLab(minus)]));
    scales.set(name, {
      at: (number) => (number < 0 ? below.at(-number) : ends.at(number)),
      rgb: (number) => (number < 0 ? below.rgb(-number) : ends.rgb(number)),
      ink: (number) => (number < 0 ? below.ink(-number) : ends.ink(number)),
    });
  }
  return scales.get(name);
}

/** The points of a scale in OKLab: for a test that steps are even. */
export function labPoints(look, count) {
  return even(STOPS[look].map(toLab), count);
}

const probes = new Map();

/** A colour of the page by the name it has in base.css, as a canvas takes it. */
export function pageColour(name) {
  const key = `${theme()} ${name}`;
  if (!probes.has(key)) {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(--${name})`;
    probes.set(key, getComputedStyle(probe).color);
    probe.remove();
  }
  return probes.get(key);
}

/** Colours of things that have no order, told apart by the colour-blind too; of more than eight the last is for the rest. */
export const KINDS = 8;
export const kindColour = (at) => pageColour(at < KINDS ? `look-${at < 5 ? at : at + 1}` : "soft");

/** A font of the page by the name it has in base.css. */
export function pageFont(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function table(points) {
  const colours = points.map(toRgb);
  const index = (number) => Math.round(Math.min(1, Math.max(0, number)) * (SHADES - 1));
  return {
    at: (number) => `rgb(${colours[index(number)].join(" ")})`,
    rgb: (number) => colours[index(number)],
    ink: (number) => inkOn(colours[index(number)]),
  };
}

/** Points along straight lines between the given ones, each as far from the next. */
function even(stops, count = SHADES) {
  const fine = Array.from({ length: FINE }, (_, at) => between(stops, at / (FINE - 1)));
  const lengths = [0];
  for (let at = 1; at < FINE; at++) lengths.push(lengths[at - 1] + distance(fine[at - 1], fine[at]));
  let place = 0;
  return Array.from({ length: count }, (_, at) => {
    const wanted = (at / (count - 1)) * lengths[FINE - 1];
    while (place < FINE - 2 && lengths[place + 1] < wanted) place++;
    const part = (wanted - lengths[place]) / (lengths[place + 1] - lengths[place] || 1);
    return mix(fine[place], fine[place + 1], part);
  });
}

function between(stops, part) {
  const place = Math.min(stops.length - 2, Math.floor(part * (stops.length - 1)));
  return mix(stops[place], stops[place + 1], part * (stops.length - 1) - place);
}

const mix = (one, other, part) => one.map((number, at) => number + (other[at] - number) * part);
const distance = (one, other) => Math.hypot(...one.map((number, at) => number - other[at]));
const toLab = ([light, chroma, hue]) => [light, chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];

/** Black or white, whichever is read more easily on a colour. */
function inkOn(rgb) {
  const [r, g, b] = rgb.map((value) => (value <= 10.3 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#0e0f12" : "#ffffff";
}

function toRgb([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((value) => {
    const curved = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(1, Math.max(0, curved)));
  });
}
