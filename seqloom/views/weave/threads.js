// The weave: two rows of tokens with threads between them, as wide and as strong as the attention.
//
// Two canvases: all threads, and those of the token pointed at. To point fades the one and draws a few threads on the
// other, so that it stays smooth for hundreds of tokens; of long rows only what is in view is drawn.

import { pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, fitCanvas, textWidth } from "seqloom/scene.js";
import { isSpecial, shown } from "seqloom/tokens.js";
import { placeOf } from "seqloom/weave/attention.js";

const LEAST = 0.015; // what is lighter is not drawn
const WIDEST = 13; // pixels of a thread that stands for 1
const SIZE = 19; // of the tokens, in pixels
const NARROW = 620; // pixels below which the rows stand beside each other
const ROW = 34; // pixels of a token where it stands below the one before
const EDGE = 40; // pixels of a row of tokens across

export function threads(context, attention) {
  const { state, words } = context;
  const base = element("canvas", { class: "base" });
  const lit = element("canvas", { class: "lit" });
  const rows = { s: row("s", attention.source, words.row.source), t: row("t", attention.target, words.row.target) };
  const cloth = element("div", { class: "cloth" }, base, lit);
  const stage = element("div", { class: "weave-stage" }, cloth, rows.s, rows.t);
  const place = element("div", { class: "threads", tabindex: -1 }, stage);
  let weights = attention.matrix("mean", "mean");
  let list = [];
  let plan = null;
  let marked = [];
  let due = 0;

  place.addEventListener("scroll", () => (due ||= requestAnimationFrame(drawn)), { passive: true });
  stage.addEventListener("pointerover", (event) => point(event.target.closest?.("[data-at]")?.dataset.at ?? null));
  stage.addEventListener("pointerleave", () => point(null));
  stage.addEventListener("click", (event) => {
    const at = event.target.closest?.("[data-at]")?.dataset.at;
    if (at) state.set({ at: state.now.at === at ? "" : at });
  });
  stage.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && state.set({ at: event.target.dataset.at }));
  stage.addEventListener("keydown", move);
  new ResizeObserver(() => plan?.room !== place.clientWidth && layOut()).observe(place);

  const point = (at) => state.set({ pointed: at });

  function row(side, { tokens, rtl }, label) {
    const buttons = tokens.map((token, at) => element("button", {
      type: "button", class: isSpecial(token) ? "token special" : "token", "data-at": `${side}${at}`,
      tabindex: at === 0 ? 0 : -1, "aria-pressed": "false",
    }, element("bdi", {}, shown(token))));
    return element("div", { class: "row", role: "group", "aria-label": label, "data-rtl": rtl }, ...buttons);
  }

  /** Where everything stands: along the rows, and across from one to the other. */
  function layOut() {
    const room = place.clientWidth;
    if (room === 0) return;
    plan = planned(attention, room);
    stage.classList.toggle("upright", plan.upright);
    stage.style.width = plan.upright ? "100%" : `${plan.length}px`;
    stage.style.height = plan.upright ? `${plan.length}px` : `${plan.across}px`;
    for (const side of ["s", "t"]) {
      [...rows[side].children].forEach((token, at) => {
        token.style[plan.upright ? "top" : "left"] = `${plan[side][at]}px`;
        token.style[plan.upright ? "left" : "top"] = "";
      });
    }
    drawn();
  }

  /** The part of the rows that is in view, with some more on both sides. */
  function view() {
    const from = plan.upright ? place.scrollTop : place.scrollLeft;
    const size = Math.min(plan.upright ? place.clientHeight : place.clientWidth, plan.length);
    return { from, size };
  }

  function drawn() {
    due = 0;
    if (!plan) return;
    const { from, size } = view();
    const seen = (at) => at > from - size && at < from + 2 * size;
    const scene = new Scene(1, 1);
    for (const thread of list) {
      if (seen(plan.s[thread.s]) || seen(plan.t[thread.t])) strand(scene, thread, plan, 1);
    }
    paint(base, scene, from, size);
    light();
  }

  function paint(canvas, scene, from, size) {
    const pen = fitCanvas(canvas, plan.upright ? place.clientWidth : size, plan.upright ? size : plan.across);
    pen.translate(plan.upright ? 0 : -from, plan.upright ? -from : 0);
    pen.lineCap = "butt";
    scene.draw(pen);
  }

  /** Show the threads of one token alone, and mark its partners. */
  function light() {
    const at = state.now.pointed ?? (state.now.at || null);
    const known = at !== null && has(at);
    const { from, size } = plan ? view() : {}; // read before anything is written, so that nothing is laid out twice
    place.toggleAttribute("data-chosen", known);
    for (const token of marked) {
      token.style.removeProperty("--m");
      token.style.removeProperty("--on");
      token.setAttribute("aria-pressed", "false");
    }
    marked = [];
    if (!plan) return;
    const scene = new Scene(1, 1);
    if (known) {
      const { side, at: place_ } = placeOf(at);
      const other = side === "t" ? "s" : "t";
      for (const thread of list) if (thread[side] === place_) strand(scene, thread, plan, 1);
      for (const partner of weights.partners(at)) {
        if (partner.weight < LEAST) break;
        const token = rows[other].children[partner.at];
        token.style.setProperty("--m", scale().at(partner.weight));
        token.style.setProperty("--on", scale().ink(partner.weight));
        marked.push(token);
      }
      const own = rows[side].children[place_];
      own.setAttribute("aria-pressed", "true");
      marked.push(own);
    }
    paint(lit, scene, from, size);
  }

  const has = (at) => placeOf(at).at < attention[at[0] === "t" ? "target" : "source"].tokens.length;

  /** Along the row with the arrows, to the strongest partner across. */
  function move(event) {
    const own = event.target.dataset?.at;
    if (!own || event.altKey || event.ctrlKey || event.metaKey) return;
    const { side, at } = placeOf(own);
    const rtl = attention[side === "t" ? "target" : "source"].rtl && !plan.upright;
    const [back, ahead] = plan.upright ? ["ArrowUp", "ArrowDown"] : rtl ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
    const across = plan.upright ? (side === "t" ? "ArrowLeft" : "ArrowRight") : side === "t" ? "ArrowUp" : "ArrowDown";
    const to = {
      [back]: () => `${side}${at - 1}`,
      [ahead]: () => `${side}${at + 1}`,
      [across]: () => `${side === "t" ? "s" : "t"}${weights.partners(own)[0].at}`,
      Home: () => `${side}0`,
      End: () => `${side}${rows[side].children.length - 1}`,
    }[event.key];
    if (event.key === "Escape" && state.now.at) {
      event.preventDefault();
      state.set({ at: "", pointed: null });
    }
    if (!to) return;
    event.preventDefault();
    focusOn(to());
  }

  function focusOn(name) {
    const { side, at } = placeOf(name);
    const token = rows[side].children[at];
    if (!token) return;
    for (const other of rows[side].children) other.tabIndex = -1;
    token.tabIndex = 0;
    token.focus();
    state.set({ at: name, pointed: null });
  }

  /** Show the token at a place: the one stepped to may be out of view. */
  function reveal(name) {
    if (!plan || !name || !has(name)) return;
    const along = plan[name[0]][placeOf(name).at];
    const { from, size } = view();
    if (along < from + EDGE || along > from + size - EDGE) {
      place.scrollTo({ [plan.upright ? "top" : "left"]: along - size / 2 });
    }
  }

  return {
    element: place,
    /** Take other weights, and draw. */
    show(next) {
      weights = next;
      list = [];
      for (let t = 0; t < weights.height; t++) {
        for (let s = 0; s < weights.width; s++) {
          const weight = weights.at(t, s);
          if (weight >= LEAST) list.push({ t, s, weight });
        }
      }
      list.sort((one, other) => one.weight - other.weight);
      if (plan) drawn();
      else layOut();
    },
    light,
    reveal,
    draw: drawn,
    /** Everything as one drawing, to be saved. */
    scene() {
      const whole = planned(attention, Math.max(place.clientWidth, 700), false);
      const scene = new Scene(whole.length, whole.across);
      for (const thread of list) strand(scene, thread, whole, 1);
      const font = pageFont("serif");
      for (const [side, y] of [["s", EDGE / 2], ["t", whole.across - EDGE / 2]]) {
        attention[side === "t" ? "target" : "source"].tokens.forEach((token, at) => {
          scene.text(whole[side][at], y, shown(token), { fill: pageColour("ink"), size: SIZE, font });
        });
      }
      return scene;
    },
  };
}

/** The middles of all tokens along their rows. */
function planned(attention, room, mayStand = true) {
  const upright = mayStand && room < NARROW;
  const font = pageFont("serif");
  const widths = (tokens) => tokens.map((token) => Math.max(24, textWidth(shown(token), SIZE, font) + 16));
  const sides = { s: widths(attention.source.tokens), t: widths(attention.target.tokens) };
  if (upright) {
    const most = Math.max(sides.s.length, sides.t.length);
    const length = most * ROW;
    const spread = (list) => list.map((_, at) => (at + 0.5) * (length / list.length));
    return { upright, room, length, across: room, s: spread(sides.s), t: spread(sides.t) };
  }
  const total = (list) => list.reduce((sum, width) => sum + width, 0);
  const longest = Math.max(total(sides.s), total(sides.t));
  const length = Math.max(longest, Math.min(room, longest * 2.9));
  const across = Math.round(Math.min(380, Math.max(250, room * 0.24)));
  const spread = (list, rtl) => {
    const gap = (length - total(list)) / list.length;
    let edge = 0;
    return list.map((width) => {
      const middle = edge + (width + gap) / 2;
      edge += width + gap;
      return rtl ? length - middle : middle;
    });
  };
  return { upright, room, length, across, s: spread(sides.s, attention.source.rtl), t: spread(sides.t, attention.target.rtl) };
}

/** One thread: straight at both ends, bent between them. */
function strand(scene, { s, t, weight }, plan, opacity) {
  const [from, to] = [plan.s[s], plan.t[t]];
  const [near, far] = plan.upright ? [plan.across * 0.36, plan.across * 0.64] : [EDGE + 2, plan.across - EDGE - 2];
  const bend = (far - near) * 0.5;
  const along = [from, near, from, near + bend, to, far - bend, to, far];
  const points = plan.upright ? along.map((_, at) => along[at % 2 === 0 ? at + 1 : at - 1]) : along;
  scene.curve(points, { stroke: scale().at(0.12 + 0.88 * weight), line: Math.max(0.6, weight * WIDEST), opacity: opacity * Math.min(1, 0.35 + weight) });
}
