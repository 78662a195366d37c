// Data: what the model gets wrong on its validation part. Labels against each other, and the examples, each a click
// away from Weave.

import { element } from "seqloom/dom.js";
import { said } from "seqloom/language.js";
import { Trouble } from "seqloom/studio/api.js";
import { confusion } from "seqloom/studio/confusion.js";
import { examples } from "seqloom/studio/data_examples.js";
import { panel } from "seqloom/weave/panel.js";

const SHOWN = ["sort", "only", "confused", "language"];

export const data = {
  id: "data",
  there: (model) => Boolean(model),
  reads: false,

  open(place, studio) {
    const { state, api } = studio;
    const body = element("div", { class: "panels-grid" });
    let found = null; // what /api/data says
    let parts = [];
    let open = true;

    const note = (text) => place.replaceChildren(element("p", { class: "waiting", role: "status" }, ...said(text)));

    async function ask() {
      found = null;
      note(studio.words.data.wait);
      try {
        found = await api.post("api/data", { model: state.now.model || null });
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        if (open) note(error.message);
        return;
      }
      if (!found || !open) return;
      place.replaceChildren(body);
      build();
    }

    function build() {
      const focus = document.activeElement?.closest?.(".panels-grid") === body ? document.activeElement.dataset.focus : null;
      const context = { state, words: studio.words };
      parts = [];
      if (found.examples.some((one) => one.true.length)) parts.push(["confusion", confusion(context, found)]);
      parts.push(["examples", examples(context, found)]);
      body.replaceChildren(...parts.map(([name, view]) => framed(name, view)));
      if (focus) body.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
    }

    function framed(name, view) {
      const { words } = studio;
      const made = panel({ name, title: words[name].title, words, hint: words[name].hint, tools: view.tools, body: view.element, scene: view.scene, numbers: view.numbers });
      made.set(view.sentence());
      return made.element;
    }

    ask();
    return {
      changed(now, before) {
        if (now.model !== before.model) ask();
        else if (found && SHOWN.some((name) => now[name] !== before[name])) build();
      },
      draw: () => found && build(),
      close: () => (open = false),
    };
  },
};
