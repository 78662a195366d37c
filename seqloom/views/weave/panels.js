// All that can be seen of one run of a model: which panels there are depends on what the run has, not on its task.

import { onTheme } from "seqloom/colour.js";
import { element } from "seqloom/dom.js";
import { quoted } from "seqloom/language.js";
import { shown } from "seqloom/tokens.js";
import { Attention, placeOf } from "seqloom/weave/attention.js";
import { heads } from "seqloom/weave/heads.js";
import { matrix } from "seqloom/weave/matrix.js";
import { choice, panel, scaleKey } from "seqloom/weave/panel.js";
import { labels, salience } from "seqloom/weave/salience.js";
import { regions, strongest, wordCards } from "seqloom/weave/regions.js";
import { steps } from "seqloom/weave/steps.js";
import { influence, strips } from "seqloom/weave/strips.js";
import { MOST_BITS, surprise } from "seqloom/weave/surprise.js";
import { tags } from "seqloom/weave/tags.js";
import { threads } from "seqloom/weave/threads.js";
import { tree } from "seqloom/weave/tree.js";

/** The state of these panels when nothing is chosen. */
export const START = {
  group: "", layer: "mean", head: "mean", at: "", pointed: null, cell: null, prefix: "", off: "", order: "place", method: "", strip: "",
};

/**
 * Build the panels of a run into `place`.
 *
 *   state   what is looked at (see START)
 *   words   the strings of a language
 *   change  asks for another run: change({off: "cross.0.1"}); null in a file
 *   fetch   asks for the weights of a head that were not sent: fetch(group, layer, head); null in a file
 */
export function panels(place, run, { state, words, change = null, fetch = null, tools = {} }) {
  const context = { state, words, change };
  const parts = []; // {draw, light}: everything that follows the state
  const add = (made, part, hear = (sentence) => sentence && made.set(sentence)) => {
    parts.push({
      draw: () => hear(part.draw?.()),
      light: () => hear(part.light ? part.light() : part.draw?.()),
    });
    return made.element;
  };
  run.spaced = run.steps.every(({ token }) => token !== " ") && run.steps.some(({ token }) => /\p{L}{2}/u.test(token)) && !run.steps.some(({ token }) => token.startsWith("▁"));
  const found = [...reading(), ...attention(), ...writing()];
  place.replaceChildren(...found);
  for (const part of parts) part.draw();

  // --- what was answered about the input ------------------------------------------------------------

  function reading() {
    const made = [];
    if (Object.keys(run.importance).length) {
      const view = salience(context, run);
      made.push(add(panel({ name: "salience", title: words.salience.title, words, hint: words.salience.hint, body: view.element, tools: [...view.tools, scaleKey(words.salience.against, words.salience.helps, "signed", "")], scene: view.scene, numbers: view.numbers }), view));
    }
    if (run.answer.scores && !Array.isArray(run.answer.scores)) {
      const view = labels(run.answer.scores);
      const sure = panel({ name: "labels", title: words.labels.title, words, hint: words.labels.hint, body: view.element, scene: view.scene, numbers: view.numbers });
      sure.set(view.sentence(words.labels));
      made.push(sure.element);
    }
    if (run.answer.tags && run.rows.text) {
      const view = tags(context, run);
      made.push(add(panel({ name: "tags", title: words.tags.title, words, hint: words.tags.hint, body: view.element, tools: [scaleKey("0", "1", "unit", words.tags.sure)], scene: view.scene, numbers: view.numbers }), view));
    }
    if (run.stepped === "text" && run.steps.length && !run.answer.tags) {
      const view = surprise(context, run);
      const key = scaleKey("0", words.surprise.bits(MOST_BITS), "unit", words.surprise.key);
      const made_ = panel({ name: "surprise", title: words.surprise.title, words, hint: words.surprise.hint, body: view.element, tools: [key, ...(tools.surprise ?? [])], scene: view.scene, numbers: view.numbers });
      made.push(add(made_, { draw: view.draw, light: () => (view.light(), view.sentence()) }));
    }
    if (run.stepped === "text" && run.steps.length) made.push(candidates());
    return made;
  }

  // --- attention -----------------------------------------------------------------------------------------

  function attention() {
    if (!run.attention.length) return [];
    const data = run.attention.find(({ group }) => group === state.now.group) ?? run.attention[0];
    const seen = new Attention(data, run.rows);
    const over = data.columns === "source" ? run.picture : null; // a picture in the place of a row of tokens
    const view = over ? regions(context, seen, over) : threads(context, seen);
    const map = over ? wordCards(context, seen, over) : matrix(context, seen, () => grid.set(gridSentence()));
    const many = seen.several ? heads(context, seen) : null;
    const groups = run.attention.length < 2 ? null : choice(words.weave.group, run.attention.map(({ group }) => [group, words.groups[group] ?? group]),
      data.group, (group) => state.set({ group, layer: "mean", head: "mean", at: "", pointed: null }));
    const which = seen.several ? chooser(seen) : null;
    const key = () => scaleKey("0", over ? strength(strongest(seen.matrix("mean", "mean"))) : "1", over ? "unit on-picture" : "unit", words.weave.key);
    const weave = panel({
      name: over ? "weave over-picture" : "weave", title: over ? words.picture.title : words.weave.title, words, body: view.element,
      hint: over ? words.picture.hint : words.weave.hint,
      tools: [groups?.element, which?.element, key()].filter(Boolean), scene: view.scene, numbers: map.numbers,
    });
    const grid = panel({ name: over ? "matrix by-word" : "matrix", title: over ? words.picture.words : words.matrix.title, words, body: map.element, tools: [key()], scene: map.scene, numbers: map.numbers });
    let shownHead = null;

    function show() {
      const { layer, head } = state.now;
      which?.set(layer, head);
      if (`${layer}.${head}` === shownHead) return false;
      if (!seen.has(layer, head) && fetch) {
        fetch(seen.group, layer, head);
        return false;
      }
      shownHead = `${layer}.${head}`;
      view.show(seen.matrix(layer, head));
      map.show(seen.matrix(layer, head));
      return true;
    }

    parts.push({
      draw() {
        show() || (view.draw(), map.draw());
        weave.set(sentence());
        grid.set(gridSentence());
      },
      light() {
        show();
        view.light();
        map.light();
        view.reveal(state.now.pointed === null ? state.now.at : "");
        weave.set(sentence());
        grid.set(gridSentence());
      },
    });

    const token = (side, at) => quoted(shown(seen[side === "t" ? "target" : "source"].tokens[at]));
    const inside = (name) => name && placeOf(name).at < seen[name[0] === "t" ? "target" : "source"].tokens.length;
    const weights = () => seen.matrix(state.now.layer, state.now.head);

    function sentence() {
      if (over) return view.sentence();
      const name = [state.now.pointed, state.now.at].find(inside);
      if (!name) {
        const best = weights().strongest(weights().alone);
        return words.weave.target(token("t", best.target), token("s", best.source), best.weight.toFixed(2));
      }
      const { side, at } = placeOf(name);
      const best = weights().partners(name)[0];
      return side === "t"
        ? words.weave.target(token("t", at), token("s", best.at), best.weight.toFixed(2))
        : words.weave.source(token("s", at), token("t", best.at), best.weight.toFixed(2));
    }

    function gridSentence() {
      if (over) return words.picture.says;
      const pooled = map.pooled();
      const note = pooled ? ` ${words.matrix.pooled(...pooled)}` : "";
      const name = state.now.pointed;
      if (name?.startsWith("t") && inside(name) && state.now.cell !== null && state.now.cell !== undefined) {
        const t = placeOf(name).at;
        return words.matrix.cell(token("t", t), token("s", state.now.cell), weights().at(t, state.now.cell).toFixed(2)) + note;
      }
      return words.matrix.says + note;
    }

    const writes = run.stepped === "target" && run.steps.length ? [candidates()] : [];
    const made = over ? [weave.element, ...writes, grid.element] : [weave.element, grid.element, ...writes];
    if (many) {
      const small = panel({
        name: "heads", title: words.heads.title(seen.layers.length, seen.heads), words, body: many.element,
        tools: many.tools, hint: change ? words.heads.hint : "", scene: many.scene, numbers: many.numbers,
      });
      const best = seen.ranked()[0];
      small.set(words.heads.says(best.layer + 1, best.head + 1, best.sharp.toFixed(2)));
      many.arrange();
      let order = state.now.order;
      parts.push({
        draw: () => (many.repaint(), many.arrange(), many.light()),
        light: () => (order !== state.now.order && ((order = state.now.order), many.arrange()), many.light()),
      });
      made.push(small.element);
    }
    return made;
  }

  function chooser(seen) {
    const select = (label, names) => {
      const made = element("select", { "aria-label": label }, element("option", { value: "mean" }, words.weave.mean(label)),
        ...names.map((name, at) => element("option", { value: at }, name)));
      return made;
    };
    const layer = select(words.weave.layer, seen.layers.map((_, at) => words.weave.nth(words.weave.layer, at + 1)));
    const head = select(words.weave.head, Array.from({ length: seen.heads }, (_, at) => words.weave.nth(words.weave.head, at + 1)));
    const changed = () => {
      const whole = layer.value === "mean" || (head.value === "mean" && seen.has(layer.value, "mean"));
      state.set({ layer: layer.value, head: whole ? "mean" : head.value === "mean" ? "0" : head.value });
    };
    for (const one of [layer, head]) one.addEventListener("change", changed);
    return {
      element: element("span", { class: "choosers" }, layer, seen.heads > 1 ? head : null),
      set(at, number) {
        layer.value = at;
        head.value = number;
        head.disabled = at === "mean";
      },
    };
  }

  // --- how the answer was written ---------------------------------------------------------------------

  function candidates() {
    const offset = run.stepped === "text" && !run.answer.tags ? 1 : 0;
    const view = steps(context, run, { offset });
    const title = run.answer.tags ? words.tags.others : words.steps.title;
    return add(panel({ name: "steps", title, words, body: view.element, tools: view.tools, scene: view.scene, numbers: view.numbers, hint: change && !run.answer.tags ? words.steps.hint : "" }), view);
  }

  function writing() {
    const made = [];
    if (!run.attention.length && run.stepped === "target" && run.steps.length) made.push(candidates());
    if (run.tree.length > 1) {
      const view = tree(run);
      const made_ = panel({ name: "tree", title: words.tree.title, words, hint: words.tree.hint, body: view.element, scene: view.scene, numbers: view.numbers });
      made_.set(words.tree.says(view.facts.lanes, view.facts.depth));
      view.element.setAttribute("aria-label", words.tree.says(view.facts.lanes, view.facts.depth));
      parts.push({ draw: view.draw, light: () => {} });
      made.push(made_.element);
    }
    return made;
  }

  const panelsOf = {
    /** Follow the state: cheap, for it is called while a reader points. */
    light() {
      for (const part of parts) part.light();
    },
    /** Draw all again: other colours. */
    draw() {
      for (const part of parts) part.draw();
    },
    /** Add what takes a moment longer: gates and states of a recurrent model. */
    addStrips(data) {
      if (!data.strips.length) return;
      const hearing = { ...context, hear: (sentence) => gates.set(sentence) };
      const view = strips(hearing, data.strips);
      const gates = panel({
        name: "strips", title: words.strips.title, words, body: view.element, hint: words.strips.hint,
        tools: [...view.tools, scaleKey("0", "1", "unit", words.strips.key), scaleKey("−1", "1", "signed", words.strips.signedKey)],
        scene: view.scene, numbers: view.numbers,
      });
      let chosen = state.now.strip;
      parts.push({ draw: view.draw, light: () => chosen !== state.now.strip && ((chosen = state.now.strip), view.draw()) });
      place.append(gates.element);
      view.draw();
      if (!data.influence.length) return;
      const bars = influence(context, data.tokens, data.influence);
      const made = panel({ name: "influence", title: words.influence.title, words, hint: words.influence.hint, body: bars.element, scene: bars.scene, numbers: bars.numbers });
      made.set(bars.sentence);
      parts.push({ draw: bars.draw, light: () => {} });
      place.append(made.element);
      bars.draw();
    },
  };
  return panelsOf;
}

const strength = (weight) => (weight === 1 ? "1" : weight.toFixed(2));

/** Draw again whenever colours change; `current()` gives the panels that are there. */
export function followTheme(current) {
  onTheme(() => requestAnimationFrame(() => current()?.draw()));
}
