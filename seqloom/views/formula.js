// Setting the lines of a formula as a book does: one below the other, aligned at the sign of equality.

const CAPTION = 150; // pixels that a caption needs to stand beside its line
const SMALLEST = 0.78; // a line that is still too long is scrolled

/** Set the lines of a pane, and set them again when it has another width. */
export function setFormula(pane) {
  const list = pane.querySelector(".lines");
  const lines = [...list.querySelectorAll("math")];
  new ResizeObserver(() => {
    if (list.clientWidth === 0) return; // hidden: it will be seen when it is opened
    list.classList.remove("beside");
    list.style.setProperty("--fit", 1);
    const widest = align(lines);
    list.style.setProperty("--fit", Math.max(SMALLEST, Math.min(1, list.clientWidth / widest)));
    list.classList.toggle("beside", align(lines) + CAPTION < list.clientWidth);
    for (const box of list.querySelectorAll(".scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // so that keys can scroll it
      else box.removeAttribute("tabindex");
    }
  }).observe(pane);
}

/** Shift the lines so that their signs stand below each other; the width that all of them take. */
function align(lines) {
  for (const line of lines) line.style.marginInlineStart = "0";
  const boxes = lines.map((line) => line.getBoundingClientRect());
  const signs = lines.map((line) => [...line.querySelectorAll("mo")].find((sign) => sign.textContent.trim() === "="));
  const lefts = signs.map((sign, at) => (sign ? sign.getBoundingClientRect().x - boxes[at].x : 0));
  const most = Math.max(0, ...lefts);
  const shifts = signs.map((sign, at) => (sign ? most - lefts[at] : 0));
  lines.forEach((line, at) => (line.style.marginInlineStart = `${shifts[at]}px`));
  return Math.max(0, ...boxes.map((box, at) => box.width + shifts[at]));
}
