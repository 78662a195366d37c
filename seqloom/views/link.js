// One id lights up everywhere: figure, formula, code and tables mark what they show with `data-id`.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The places of a part of the page that can be pointed at. */
export const places = (root) => root.querySelectorAll("[data-id]");

/** Those the keyboard goes to: not the pieces of a figure's labels, nor the frames that have no value. */
const stops = (pane) => [...pane.querySelectorAll("[data-id]:not(tspan, .family)")];

/** Light up `state.chosen` in all of `root`, and let pointer and keyboard choose. */
export function link(root, state) {
  root.addEventListener("pointerover", (event) => point(placeOf(event.target)));
  root.addEventListener("pointerleave", () => leave());
  root.addEventListener("focusin", (event) => point(placeOf(event.target)));
  root.addEventListener("focusout", () => leave());
  root.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (place && !event.defaultPrevented) pin(place.dataset.id);
  });
  root.addEventListener("keydown", (event) => {
    const place = placeOf(event.target);
    if (place === null || event.defaultPrevented) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pin(place.dataset.id);
    } else if (event.key in ARROWS && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const next = neighbour(place, ARROWS[event.key]);
      event.preventDefault();
      next?.focus();
    }
  });
  const point = (place) => (place === null ? leave() : state.set({ pointed: place.dataset.id }));
  const leave = () => state.now.pinned !== null && state.set({ pointed: null });
  const pin = (id) => state.set({ pinned: state.now.pinned === id ? null : id, pointed: id });
  state.watch(() => {
    light(root, state);
    rove(root, state.chosen);
  });
}

const placeOf = (target) => target.closest?.("[data-id]") ?? null;

function light(root, state) {
  const id = state.chosen;
  for (const place of places(root)) {
    place.toggleAttribute("data-lit", place.dataset.id === id);
    place.toggleAttribute("data-pinned", place.dataset.id === state.now.pinned);
  }
  for (const edge of root.querySelectorAll("[data-from]")) {
    edge.toggleAttribute("data-lit", id !== null && (edge.dataset.from === id || edge.dataset.to === id));
  }
}

/** Keep one tab stop in each pane: the chosen id, so that Tab carries a symbol from pane to pane. */
function rove(root, id) {
  for (const pane of root.querySelectorAll("[data-rove]")) {
    const all = stops(pane);
    const held = all.find((place) => place === document.activeElement);
    const same = all.find((place) => place.dataset.id === id);
    const stop = held ?? same ?? all.find((place) => place.tabIndex === 0) ?? all[0];
    for (const place of all) place.setAttribute("tabindex", place === stop ? "0" : "-1");
  }
}

/** The next place of the same pane: along a line in the order of reading, otherwise the nearest in the direction. */
function neighbour(place, [dx, dy]) {
  const all = stops(place.closest("[data-rove]"));
  return dx !== 0 && !place.closest("svg") ? all[all.indexOf(place) + dx] : nearest(place, all, dx, dy);
}

/** Straight ahead counts more than aside. */
function nearest(place, all, dx, dy) {
  const from = centre(place);
  let best = null;
  let least = Infinity;
  for (const other of all) {
    if (other === place || other.contains(place) || place.contains(other)) continue;
    const to = centre(other);
    const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
    const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
    if (ahead > 1 && ahead + 3 * aside < least) [best, least] = [other, ahead + 3 * aside];
  }
  return best;
}

function centre(place) {
  const box = place.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
