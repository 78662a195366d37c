// The arithmetic behind a number, written out: a line for each operation, under each number what it is.

import { element } from "seqloom/dom.js";

const TERMS = 6; // of a long sum, those that weigh most

/**
 * The lines as elements.
 *
 *   lines  from `Arithmetic`
 *   name   (id, index) => what a number is called: nodes
 *   words  {came, more, taken, rest}
 */
export function arithmeticView(lines, { name, words }) {
  const number = (value) => element("span", { class: "num" }, short(value));
  const labelled = (term) => (term.id === undefined ? number(term.value)
    : element("span", { class: "term" }, number(term.value), element("small", {}, ...name(term.id, term.index))));
  const joined = (parts, sign) => parts.flatMap((part, at) => (at ? [element("span", { class: "op" }, sign), part] : [part]));

  const WRITTEN = {
    sum: ({ terms }) => terms.flatMap((term, at) => [at || term.sign < 0 ? op(term.sign < 0 ? "−" : "+") : null, labelled(term)]),
    binary: ({ terms, name: sign }) => joined(terms.map(labelled), { "*": "×", "/": "÷", "**": "^", "//": "÷" }[sign]),
    plain: ({ terms, sign }) => (sign === "max(0, ·)" ? [op("max(0,"), labelled(terms[0]), op(")")] : [op(`${sign}(`), labelled(terms[0]), op(")")]),
    from: ({ terms }) => [labelled(terms[0])],
    dot: ({ terms, more, rest }) => {
      const kept = largest(terms);
      const left = terms.length - kept.length;
      const others = left ? terms.filter((term) => !kept.includes(term)).reduce((sum, term) => sum + term.value, 0) : 0;
      return [
        ...joined(kept.map(({ pair }) => element("span", { class: "pair" }, ...joined(pair.map(labelled), "×"))), "+"),
        left ? [op("+"), rested(others, words.more(left))] : [],
        more ? [op("+"), rested(rest, words.rest(more))] : [],
      ].flat();
    },
    reduced: ({ terms, name: how, more, rest }) => {
      const kept = terms.length > TERMS ? terms.slice(0, TERMS) : terms;
      const dots = terms.length > kept.length;
      if (how === "highest") return [op("max("), ...joined(kept.map(labelled), ","), dots ? op(", …") : null, op(")")];
      const list = [...joined(kept.map(labelled), "+"), dots ? op("+ …") : null, ...(more ? [op("+"), rested(rest, words.rest_terms(more))] : [])];
      return how === "sum" ? list : how === "mean" ? [op("("), ...list, op(`) ÷ ${terms.length + more}`)] : how === "norm" ? [op("√("), ...list, op(")²")] : [op("log ∑ e^("), ...list, op(")")];
    },
    softmax: ({ terms: [own], others, whole }) => {
      const power = (term) => element("span", { class: "term" }, element("span", { class: "num" }, "e", element("sup", {}, short(term.value))), element("small", {}, ...name(term.id, term.index)));
      const kept = [...others].sort((one, other) => other.value - one.value).slice(0, TERMS);
      return [power(own), op("÷"), op("("), ...joined(kept.map(power), "+"), others.length > kept.length || !whole ? op("+ …") : null, op(")")];
    },
  };
  const op = (text) => element("span", { class: "op" }, text);
  const rested = (value, says) => element("span", { class: "term rest" }, number(value), element("small", {}, says));
  return element("ol", { class: "arithmetic" }, ...lines.map((line) => element("li", {},
    labelled(line.result), op("="), ...WRITTEN[line.kind](line).filter(Boolean))));
}

/** Those of the largest size, in the order in which they stand. */
function largest(terms) {
  if (terms.length <= TERMS) return terms;
  const order = [...terms].sort((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, TERMS);
  return terms.filter((term) => order.includes(term));
}

function short(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value).replace("-", "−");
  const size = Math.abs(value);
  return (size >= 100 ? value.toFixed(0) : size >= 0.01 || size === 0 ? value.toFixed(size >= 10 ? 1 : 2) : value.toPrecision(2)).replace("-", "−");
}
