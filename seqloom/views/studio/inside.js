// The model opened: figure, formula and code of every part, with the numbers of this text at this position.

import { copyButtons } from "seqloom/copy.js";
import { element } from "seqloom/dom.js";
import { translated, wordsOf } from "seqloom/inside_words.js";
import { Trouble } from "seqloom/studio/api.js";
import { walkthrough } from "seqloom/walkthrough.js";

export const inside = {
  id: "inside",
  there: (model) => Boolean(model),
  reads: true,

  open(place, studio) {
    const { state } = studio;
    let open = true;
    let found = null; // what /api/explain says
    let told = {}; // what is looked at, as the state was told last

    async function ask() {
      const question = studio.question();
      if (question === null) return;
      if (state.now.text === null || studio.run()?.input !== state.now.text) await studio.inspect(question);
      const text = studio.input();
      if (!text || !open) return;
      place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.inside.wait));
      try {
        found = await studio.api.post("api/explain", { model: state.now.model, text, format: "view" });
        if (found && open) build();
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        place.replaceChildren(element("p", { class: "waiting", role: "alert" }, error.message));
      }
    }

    function build() {
      const words = wordsOf(state.now.language, found.data.texts);
      const made = document.createElement("template");
      made.innerHTML = found.body; // made by this server from a definition, every word in it escaped
      for (const main of made.content.querySelectorAll("main")) {
        main.replaceWith(element("div", { class: main.className }, ...main.childNodes)); // the page has its own
      }
      translated(made.content, words);
      place.replaceChildren(element("div", { class: "inside" }, made.content));
      const { part, path, step, symbol } = state.now;
      const start = { part: part === "" ? null : Number(part), path, step: Number(step || 0), pinned: symbol || null };
      walkthrough(found.data, { start, words, changed: tell });
      copyButtons(place, words.copied);
    }

    /** Keep in the state, and so in the address, what is looked at; the last part at its first moment is what is shown anyway. */
    function tell({ part, path, step, pinned }) {
      if (!open) return;
      const last = found.data.parts.length - 1;
      told = { part: part === last ? "" : String(part), path, step: step ? String(step) : "", symbol: pinned ?? "" };
      state.set(told);
    }

    ask();
    return {
      changed(now, before) {
        if (now.model !== before.model || now.text !== before.text || now.example !== before.example) ask();
        else if (found && (now.language !== before.language || Object.entries(told).some(([name, value]) => now[name] !== value))) build();
      },
      draw() {},
      close: () => (open = false),
    };
  },
};
