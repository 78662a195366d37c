// The model opened: figure, formula and code of every part, with the numbers of this text at this position.

import { element } from "seqloom/dom.js";
import { copyButtons } from "seqloom/copy.js";
import { Trouble } from "seqloom/studio/api.js";
import { walkthrough } from "seqloom/walkthrough.js";

export const inside = {
  id: "inside",
  there: () => true,
  reads: true,

  open(place, studio) {
    let open = true;

    async function ask() {
      if (!studio.input()) await studio.inspect(studio.question());
      const text = studio.input();
      if (!text || !open) return;
      place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.inside.wait));
      try {
        const found = await studio.api.post("api/explain", { model: studio.state.now.model, text, format: "view" });
        if (!found || !open) return;
        const made = document.createElement("template");
        made.innerHTML = found.body; // made by this server from a definition, every word in it escaped
        for (const main of made.content.querySelectorAll("main")) {
          main.replaceWith(element("div", { class: main.className }, ...main.childNodes)); // the page has its own
        }
        place.replaceChildren(element("div", { class: "inside" }, made.content));
        walkthrough(found.data);
        copyButtons(place);
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        place.replaceChildren(element("p", { class: "waiting", role: "alert" }, error.message));
      }
    }

    ask();
    return {
      changed(now, before) {
        if (now.model !== before.model || now.text !== before.text) ask();
      },
      draw() {},
      close: () => (open = false),
    };
  },
};
