// What the model gets wrong on data that training held out; each mistake is a click away from the weave.

import { element } from "seqloom/dom.js";
import { heat } from "seqloom/heat.js";
import { Trouble } from "seqloom/studio/api.js";
import { choice, panel } from "seqloom/weave/panel.js";

const ORDERS = {
  sure: (one, other) => other.sure - one.sure,
  doubt: (one, other) => one.sure - other.sure,
  length: (one, other) => other.length - one.length,
  label: (one, other) => one.right.localeCompare(other.right) || other.sure - one.sure,
};

export const data = {
  id: "data",
  there: () => true,
  reads: false,

  open(place, studio) {
    const { state } = studio;
    let open = true;
    let found = null;
    let order = "sure";

    async function ask() {
      place.replaceChildren(element("p", { class: "waiting", role: "status" }, studio.words.errors.wait));
      try {
        found = await studio.api.post("api/mistakes", { model: state.now.model });
        if (found && open) build();
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        place.replaceChildren(element("p", { class: "waiting", role: "alert" }, error.message));
      }
    }

    function build() {
      const says = studio.words.errors;
      const body = element("tbody");
      const names = ["input", "right", "answer", "p"];
      const table = element("table", { class: "plain mistakes" }, element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, says[name])))), body);
      const fill = () => body.replaceChildren(...[...found.mistakes].sort(ORDERS[order]).map((one) => element("tr", {},
        element("td", {}, element("button", {
          type: "button", class: "quiet", title: says.look(one.input), onclick: () => state.set({ view: "weave", text: one.input, at: "", prefix: "", off: "" }),
        }, element("bdi", {}, one.input))),
        element("td", {}, element("bdi", {}, one.right)), element("td", {}, element("bdi", {}, one.answer)), element("td", { class: "number" }, one.sure.toFixed(2)))));
      const sorts = choice(says.sort, Object.keys(ORDERS).map((name) => [name, says[name]]), order, (name) => {
        order = name;
        sorts.set(name);
        fill();
      });
      const list = panel({
        name: "mistakes-list", title: says.title(found.wrong, found.examples), words: studio.words, tools: [sorts.element], body: element("div", { class: "scroll tall-table", tabindex: 0 }, table),
        numbers: () => ({ columns: names, rows: found.mistakes.map((one) => [one.input, one.right, one.answer, one.sure]) }),
      });
      const surest = found.mistakes[0];
      list.set(surest ? says.says(surest.right, surest.answer, surest.sure.toFixed(2)) : says.none);
      fill();
      place.replaceChildren(element("div", { class: "panels-grid" }, list.element, ...(found.labels.length > 1 ? [matrix(says)] : [])));
    }

    function matrix(says) {
      const { labels, confusion } = found;
      const size = labels.length;
      const map = heat({ shape: [size, size], data: confusion, rows: labels, columns: labels }, { says: `${says.confusion}; ${says.rows}` });
      const made = panel({
        name: "confusion", title: says.confusion, words: studio.words, body: map, hint: says.rows,
        numbers: () => ({ columns: ["right", ...labels], rows: labels.map((label, row) => [label, ...confusion.slice(row * size, (row + 1) * size)]) }),
      });
      let worst = null;
      confusion.forEach((count, at) => {
        const [row, column] = [Math.floor(at / size), at % size];
        if (row !== column && count > (worst?.count ?? 0)) worst = { count, right: labels[row], said: labels[column] };
      });
      if (worst) made.set(says.matrix(worst.right, worst.said, worst.count));
      return made.element;
    }

    ask();
    return {
      changed(now, before) {
        if (now.model !== before.model) ask();
        else if (found && now.language !== before.language) build();
      },
      draw() {},
      close: () => (open = false),
    };
  },
};
