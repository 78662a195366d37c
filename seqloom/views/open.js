// A nested call is a box that opens: its view takes the place of the one around it, and a trail leads back.

import { element } from "seqloom/dom.js";

const HEAD = 26; // the height of an open box's upper edge, in units of the figure

/** Show the view of `state.path`; boxes with `data-opens` open, Escape and the trail close. */
export function openViews(root, trail, state, views, dress, hint) {
  const articles = [...root.querySelectorAll("[data-path]")];
  const sections = new Map(articles.map((article) => [article.dataset.path, article]));
  const open = (path) => {
    if (!sections.has(path) || path === state.now.path) return;
    const left = chain(state.now.path, sections);
    const inside = left.indexOf(path);
    const box = inside < 0 ? path : left[inside + 1]; // the one that opened, or the one that closed
    state.set({ path, pinned: null, pointed: box });
  };
  const act = (event) => {
    const box = event.target.closest?.("[data-opens]") ?? null;
    if (box === null || (event.type === "click" && !meant(event, box))) return;
    event.preventDefault(); // so that nothing is pinned
    const isOpen = `${state.now.path}/`.startsWith(`${box.dataset.opens}/`);
    open(isOpen ? parent(box.dataset.opens, sections) : box.dataset.opens);
    focusOn(sections.get(state.now.path), state.chosen);
  };
  root.addEventListener("click", act);
  root.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && act(event));
  const close = () => {
    open(parent(state.now.path, sections));
    focusOn(sections.get(state.now.path), state.chosen);
  };
  trail.hidden = sections.size < 2;
  state.watch(({ path }, before) => {
    if (path === before.path) return;
    if (sections.get(path).dataset.like) dress(copied(sections.get(path), sections));
    for (const [name, section] of sections) section.hidden = name !== path;
    trail.replaceChildren(crumbs(path, sections, views, open, hint));
    if (path !== "") reveal(sections.get(path), path);
  });
  return { open, close };
}

/** A view that is as another one but for the layer around it: a copy of that, with this layer's ids. */
function copied(section, sections) {
  const { path, like } = section.dataset;
  const [from, to] = [like, path].map((name) => `${name.replace(/(.*\^\d+).*/, "$1")}/`);
  const source = sections.get(like);
  section.setAttribute("aria-label", source.getAttribute("aria-label"));
  section.replaceChildren(...[...source.children].map((child) => child.cloneNode(true)));
  for (const name of ["data-id", "data-from", "data-to", "data-opens"]) {
    for (const place of section.querySelectorAll(`[${name}^="${from}"]`)) {
      place.setAttribute(name, to + place.getAttribute(name).slice(from.length));
    }
  }
  delete section.dataset.like;
  return section;
}

/** An open box closes by its upper edge, where its name stands; what is inside it has other uses. */
function meant(event, box) {
  if (!box.classList.contains("frame")) return true;
  const scale = box.ownerSVGElement.getBoundingClientRect().width / box.ownerSVGElement.viewBox.baseVal.width;
  return event.clientY - box.getBoundingClientRect().top < HEAD * scale;
}

/** The next view outwards: the longest path that leads to this one. */
export function parent(path, sections) {
  const parts = path.split("/");
  for (let length = parts.length - 1; length > 0; length--) {
    const outer = parts.slice(0, length).join("/");
    if (sections.has(outer)) return outer;
  }
  return "";
}

/** From the whole to a path: ["", "A", "A/head.2"]. */
function chain(path, sections) {
  return path === "" ? [""] : [...chain(parent(path, sections), sections), path];
}

function crumbs(path, sections, views, open, hint) {
  const way = chain(path, sections);
  const list = way.map((at) => {
    const label = views.find((view) => view.path === at).trail;
    return element("li", {}, at === path
      ? element("span", { "aria-current": "true" }, label)
      : element("button", { type: "button", onclick: () => open(at) }, label));
  });
  return element("ol", {}, ...list, path === "" ? element("li", { class: "hint" }, hint) : null);
}

/** Scroll a wide figure to the box that was opened, and nothing but the figure. */
function reveal(section, path) {
  const box = section.querySelector(`.frame[data-opens="${CSS.escape(path)}"]`)?.getBoundingClientRect();
  const window = section.querySelector(".figure > .scroll");
  if (!box) return;
  const seen = window.getBoundingClientRect();
  window.scrollLeft += box.x - seen.x - Math.max(16, (seen.width - box.width) / 2);
}

function focusOn(section, id) {
  const place = id === null ? null : section.querySelector(`.figure [data-id="${CSS.escape(id)}"]`);
  place?.focus({ preventScroll: true });
}
