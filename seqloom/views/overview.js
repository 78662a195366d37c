// The figure of the whole model: its boxes open the parts, as the tabs do.

import { wordsOf } from "seqloom/inside_words.js";
import { saveMenu } from "seqloom/save.js";
import { svgPicture } from "seqloom/svg_picture.js";

/**
 * Bring the figure to life; a model of one part has none.
 *
 *   tabs   of the parts, under the names that the boxes bear too
 *   joins  [[from, value, to], ...]: the figure as a table
 *   ->     marks the part that is open
 */
export function overview(place, tabs, joins, words = wordsOf("en")) {
  if (!place) return () => {};
  const picture = place.querySelector("svg");
  const boxes = tabs.map((tab) => place.querySelector(`[data-opens="${tab.getAttribute("aria-controls")}"]`));
  boxes.forEach((box, at) => {
    box.querySelector("text").textContent = tabs[at].textContent;
    box.setAttribute("aria-label", words.open(tabs[at].textContent));
    box.addEventListener("click", () => tabs[at].click());
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      tabs[at].click();
    });
  });
  for (const value of place.querySelectorAll(".node:not([data-opens])")) {
    value.removeAttribute("tabindex"); // it says what passes, and opens nothing
    value.setAttribute("role", "img");
  }
  const numbers = () => ({ columns: ["from", "value", "to"], rows: joins });
  place.prepend(saveMenu({ says: words.saving, name: "seqloom-model", scene: () => svgPicture(picture), numbers }));
  return (at) => {
    boxes.forEach((box) => box.removeAttribute("aria-current"));
    boxes[at].setAttribute("aria-current", "true");
    const frame = picture.parentElement; // on a small screen it shows a part of the figure
    const [seen, box] = [frame.getBoundingClientRect(), boxes[at].getBoundingClientRect()];
    frame.scrollLeft += box.left + box.width / 2 - seen.left - seen.width / 2;
  };
}
