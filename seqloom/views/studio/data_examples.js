// The examples of the validation part, in an order of the reader's choice; a click opens one in Weave.

import { pageColour, pageFont, scale } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { Scene } from "seqloom/scene.js";
import { marked } from "seqloom/studio/answer.js";
import { inCell, labelsOf } from "seqloom/studio/confusion.js";
import { choice } from "seqloom/weave/panel.js";

const PAGE = 40; // examples that are shown before somebody asks for more
const TAGS = 8; // words with a wrong tag that are listed of one example
const SAVED = 30; // examples in a saved picture

const ORDERS = {
  loss: (one, other) => other.loss - one.loss,
  length: (one, other) => one.length - other.length || other.loss - one.loss,
  label: (one, other) => one.expected.localeCompare(other.expected) || other.loss - one.loss,
};

/** `found` is what /api/data says. */
export function examples({ state, words }, found) {
  const judged = found.examples.some((one) => one.right !== null);
  const wrong = found.examples.filter((one) => one.right === false);
  const labelled = found.examples.some((one) => one.true.length);
  const order = Object.hasOwn(ORDERS, state.now.sort) ? state.now.sort : "loss";
  const only = !judged || !wrong.length || state.now.only === "all" ? "all" : "wrong";
  const kept = (state.now.confused ? found.examples.filter((one) => inCell(one, state.now.confused)) : only === "all" ? found.examples : wrong)
    .toSorted(ORDERS[order]);
  const most = Math.max(...found.examples.map((one) => one.loss), 1e-9);
  const list = element("ol", { class: "example-list" });
  const more = element("button", { type: "button", class: "quiet", onclick: () => grow() }, words.examples.more);

  function grow() {
    const at = list.children.length;
    list.append(...kept.slice(at, at + PAGE).map(row));
    more.hidden = list.children.length >= kept.length;
    if (at) list.children[at].querySelector("button")?.focus();
  }

  function row(one) {
    const facts = [words.examples.loss(one.loss.toFixed(one.loss < 0.1 ? 3 : 2)), words.examples.tokens(one.length)];
    const inside = [
      one.picture ? element("img", { src: one.picture, alt: one.input }) : element("span", { class: "given", dir: "auto" }, one.cut ? `${one.input}…` : one.input),
      one.expected || one.predicted ? answers(one) : null,
      element("span", { class: "facts" },
        element("span", { class: "bar", "--w": `${(100 * one.loss) / most}%`, "--c": scale().at(0.55) }),
        element("span", {}, facts.join(" · "))),
    ];
    const shape = one.given.length === 1 ? "example short" : "example";
    const open = () => state.set({ view: "weave", text: one.picture || one.input, example: "", prefix: "", off: "", at: "", other: null, against: "", out: "", pointed: null, cell: null });
    return element("li", {}, one.typed || one.picture
      ? element("button", { type: "button", class: shape, title: words.examples.open, onclick: open }, ...inside)
      : element("div", { class: shape }, ...inside));
  }

  function answers(one) {
    if (one.right) return element("span", { class: "answers" }, element("span", { class: "ok" }, `✓ ${words.examples.right} `), element("bdi", {}, short(one.predicted, 90)));
    if (one.given.length > 1) return mistagged(one);
    const said = one.given.length || !one.predicted ? [element("mark", {}, one.predicted || "∅")] : one.right === false ? marked(one.predicted, one.expected) : [one.predicted];
    return element("span", { class: "answers" },
      element("span", { class: "name" }, words.examples.expected), element("bdi", {}, one.expected || "∅"),
      element("span", { class: "name" }, words.examples.predicted), element("bdi", {}, ...said));
  }

  grow();
  const orders = ["loss", "length", ...(labelled ? ["label"] : [])].map((name) => [name, words.examples.orders[name]]);
  const sorting = choice(words.examples.sort, orders, order, (sort) => state.set({ sort }));
  const which = choice(words.examples.which, [["wrong", words.examples.wrong(wrong.length)], ["all", words.examples.all(found.examples.length)]],
    state.now.confused ? "" : only, (value) => state.set({ only: value, confused: "" }));
  for (const button of [...sorting.element.children, ...which.element.children]) button.dataset.focus = `choose-${button.dataset.value}`;

  return {
    element: element("div", {}, list, more),
    tools: [...(judged && wrong.length ? [which.element] : []), sorting.element],
    sentence() {
      const worst = found.examples[0];
      if (!worst) return words.examples.empty;
      if (state.now.confused) return words.examples.kept(kept.length, ...labelsOf(state.now.confused).map(quoted));
      const sample = found.all ? "" : ` ${words.examples.sample(found.examples.length, found.read)}`;
      const first = short(worst.input);
      const mean = (found.examples.reduce((sum, one) => sum + one.loss, 0) / found.examples.length).toFixed(2);
      const what = judged ? words.examples.says(wrong.length, found.examples.length, quoted(first), worst.loss.toFixed(2)) : words.examples.surprised(quoted(first), worst.loss.toFixed(2), mean);
      return what + sample;
    },
    scene() {
      const [font, tall, wide] = [pageFont("serif"), 30, 1000];
      const rows = kept.slice(0, SAVED);
      const scene = new Scene(wide, tall * rows.length + 16);
      rows.forEach((one, at) => {
        const y = 8 + tall * (at + 0.5);
        const [ink, soft] = [pageColour("ink"), pageColour("soft")];
        scene.text(12, y, short(one.input, 60), { fill: ink, size: 15, font, anchor: "start" });
        if (one.expected) scene.text(480, y, short(`${one.expected} → ${one.predicted}`, 45), { fill: soft, size: 14, font, anchor: "start" });
        scene.rect(820, y - 5, Math.max(1, (110 * one.loss) / most), 10, { fill: scale().at(0.55), radius: 2 });
        scene.text(988, y, one.loss.toFixed(2), { fill: soft, size: 13, font: pageFont("sans"), anchor: "end" });
      });
      return scene;
    },
    numbers: () => ({
      columns: ["input", "expected", "predicted", "loss", "length", "right"],
      rows: kept.map((one) => [one.input, one.expected, one.predicted, one.loss, one.length, one.right]),
    }),
  };
}

/** The words with a wrong tag, each with the right one and the one that was predicted. */
function mistagged(one) {
  const tokens = one.input.split(" ");
  const wrong = one.true.map((tag, at) => [tokens.length === one.true.length ? tokens[at] : String(at + 1), tag, one.given[at]]).filter(([, tag, other]) => tag !== other);
  return element("span", { class: "mistagged" },
    ...wrong.slice(0, TAGS).map(([token, tag, other]) => element("span", {}, element("bdi", { class: "token" }, token), ` ${tag} → `, element("mark", {}, other))),
    wrong.length > TAGS ? `… +${wrong.length - TAGS}` : null);
}

const short = (text, most = 60) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
