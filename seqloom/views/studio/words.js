// Where words lie: embeddings on a plane, coloured by what the model says of a word or by its frequency; the neighbours of one.

import { KINDS, kindColour, pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { Scene, barScene, fitCanvas, textWidth } from "seqloom/scene.js";
import { Trouble } from "seqloom/studio/api.js";
import { shown } from "seqloom/tokens.js";
import { choice, panel, scaleKey } from "seqloom/weave/panel.js";

const NEAR = 22; // pixels within which a word is pointed at
const LABEL = 14;

/** Labels, the most frequent first. */
function kindsOf(labels) {
  const counts = new Map();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
}

export const words = {
  id: "words",
  there: (model) => Boolean(model),
  reads: false,

  open(place, studio) {
    const { state } = studio;
    let open = true;
    let map = null;
    let draw = () => {};

    async function ask() {
      if (!map) place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.map.wait));
      try {
        const found = await studio.api.post("api/words", { model: state.now.model, side: state.now.side, word: state.now.word });
        if (!found || !open) return;
        map = found;
        build();
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        place.replaceChildren(element("p", { class: "waiting", role: "alert" }, error.message));
      }
    }

    function build() {
      const says = studio.words.map;
      const canvas = element("canvas", { "aria-hidden": "true" });
      const ground = element("div", { class: "word-map" }, canvas);
      const find = element("input", {
        type: "search", list: "known-words", placeholder: says.find, "aria-label": says.find, value: state.now.word,
        onchange: () => state.set({ word: find.value.trim() }),
      });
      const known = element("datalist", { id: "known-words" }, ...map.tokens.slice(0, 300).map((token) => element("option", { value: token })));
      const sides = map.sides.length < 2 ? null : choice(says.side, map.sides.map((side) => [side, says.sides[side] ?? side]), map.side, (side) => state.set({ side, word: "" }));
      const byLabel = map.labels.length > 0 && state.now.colour !== "frequency";
      const kinds = byLabel ? kindsOf(map.labels) : [];
      const colours = map.labels.length ? choice(says.colour, [["", says.by_label], ["frequency", says.by_frequency]], byLabel ? "" : "frequency", (colour) => state.set({ colour })) : null;
      const legend = element("ul", { class: "kinds" }, ...kinds.slice(0, KINDS).map((kind, at) => element("li", { "--c": kindColour(at) }, element("bdi", {}, kind))),
        kinds.length > KINDS ? element("li", { "--c": kindColour(KINDS) }, says.others(kinds.length - KINDS)) : null);
      const plane = panel({
        name: "words", title: says.title, words: studio.words, body: element("div", {}, byLabel ? legend : null, ground), hint: says.hint,
        tools: [find, known, sides?.element, colours?.element, byLabel ? null : scaleKey(says.rare, says.frequent, "unit", says.key)].filter(Boolean),
        scene: () => drawing(900), numbers,
      });
      const near = element("ol", { class: "candidates" }, ...map.near.slice(1).map(([token, cosine]) => element("li", {},
        element("button", { type: "button", class: "candidate", onclick: () => state.set({ word: token }) },
          element("bdi", { class: "what" }, shown(token)),
          element("span", { class: "bar", "--w": `${Math.max(0, 100 * cosine)}%`, "--c": scale().at(Math.max(0, cosine)) }),
          element("span", { class: "p" }, cosine.toFixed(3))))));
      const list = panel({ name: "nearest", title: map.near.length ? `${says.near}: ${shown(map.near[0][0])}` : says.near, words: studio.words, body: near, scene: () => barScene(map.near.slice(1), { name: shown }), numbers: () => ({ columns: ["token", "cosine"], rows: map.near }) });
      if (map.near.length > 1) list.set(says.nearest(shown(map.near[0][0]), shown(map.near[1][0]), map.near[1][1].toFixed(2)));
      const sentence = () => (byLabel ? says.labelled(map.tokens.length) : says.says(map.tokens.length));
      plane.set(sentence());
      place.replaceChildren(element("div", { class: "panels-grid" }, plane.element, ...(map.near.length ? [list.element] : [])));
      const most = Math.log(Math.max(...map.frequency, 2));
      const common = (at) => Math.log(Math.max(map.frequency[at], 1)) / most;
      const fill = (at) => (byLabel ? kindColour(kinds.indexOf(map.labels[at])) : scale().at(0.25 + 0.75 * common(at)));
      const close = new Set(map.near.map(([token]) => token));
      let spots = [];

      function drawing(room) {
        const height = Math.min(640, Math.max(360, room * 0.6));
        const scene = new Scene(room, height);
        const font = pageFont("serif");
        spots = map.tokens.map((token, at) => ({
          token, at, x: 40 + ((map.places[2 * at] + 1) / 2) * (room - 80), y: 24 + ((1 - map.places[2 * at + 1]) / 2) * (height - 48),
        }));
        const taken = [];
        const order = [...spots].sort((one, other) => close.has(other.token) - close.has(one.token) || map.frequency[other.at] - map.frequency[one.at]);
        for (const spot of spots) {
          const chosen = close.has(spot.token);
          const size = chosen ? 7 : 5;
          scene.rect(spot.x - size / 2, spot.y - size / 2, size, size, { fill: fill(spot.at), radius: size / 2, opacity: !close.size || chosen ? 1 : 0.3 });
        }
        for (const spot of order) {
          const text = shown(spot.token);
          const wide = textWidth(text, LABEL, font);
          const box = [spot.x + 6, spot.y - 9, spot.x + 8 + wide, spot.y + 9];
          const free = box[2] < room && taken.every(([a, b, c, d]) => box[2] < a || box[0] > c || box[3] < b || box[1] > d);
          if (!free && !close.has(spot.token)) continue;
          taken.push(box);
          const chosen = close.has(spot.token);
          scene.text(spot.x + 7, spot.y, text, { fill: pageColour(!close.size || chosen ? "ink" : "soft"), size: LABEL, font, anchor: "start", weight: chosen ? 650 : 400, opacity: !close.size || chosen ? 1 : 0.55 });
        }
        return scene;
      }

      draw = () => {
        if (ground.clientWidth === 0) return;
        const scene = drawing(ground.clientWidth);
        scene.draw(fitCanvas(canvas, scene.width, scene.height));
      };
      const under = (event) => {
        const box = canvas.getBoundingClientRect();
        const [x, y] = [event.clientX - box.x, event.clientY - box.y];
        const nearest = spots.reduce((best, spot) => (Math.hypot(spot.x - x, spot.y - y) < Math.hypot(best.x - x, best.y - y) ? spot : best), spots[0]);
        return nearest && Math.hypot(nearest.x - x, nearest.y - y) < NEAR ? nearest : null;
      };
      ground.addEventListener("pointermove", (event) => {
        const spot = under(event);
        ground.title = spot ? [shown(spot.token), map.labels[spot.at], map.frequency[spot.at]].filter(Boolean).join(" · ") : "";
      });
      ground.addEventListener("click", (event) => {
        const spot = under(event);
        if (spot) state.set({ word: spot.token });
      });
      new ResizeObserver(() => draw()).observe(ground);
      draw();
    }

    const numbers = () => ({
      columns: ["token", "frequency", "x", "y", ...(map.labels.length ? ["label"] : [])],
      rows: map.tokens.map((token, at) => [token, map.frequency[at], map.places[2 * at], map.places[2 * at + 1], ...(map.labels.length ? [map.labels[at]] : [])]),
    });

    ask();
    return {
      changed(now, before) {
        if (["model", "side", "word"].some((name) => now[name] !== before[name])) ask();
        else if (map && (now.language !== before.language || now.colour !== before.colour)) build();
      },
      draw: () => map && build(),
      close: () => (open = false),
    };
  },
};
