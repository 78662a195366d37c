// The arithmetic behind a number: what was multiplied and added to make it, from the recipes and the recorded numbers.
//
// Nothing is shown that does not come out right: a line whose numbers do not give the result is left away. Where only a
// part of a matrix is on the page, what is missing from a sum is said as one number.

const LINES = 8; // of one number
const ANONYMOUS = /\.\d+$/; // an operation inside a line; what has a name is looked at by itself
const HANDED_ON = new Set(["same", "call", "each", "stack", "scan"]); // the same number under another name
const PLAIN = {
  sigmoid: ["σ", (x) => 1 / (1 + Math.exp(-x))], tanh: ["tanh", Math.tanh], relu: ["max(0, ·)", (x) => Math.max(0, x)],
  exp: ["exp", Math.exp], log: ["log", Math.log], sin: ["sin", Math.sin], cos: ["cos", Math.cos], sqrt: ["√", Math.sqrt],
  log_sigmoid: ["log σ", (x) => -Math.log1p(Math.exp(-x))], "unary -": ["−", (x) => -x],
};
const REDUCED = {
  sum: (all) => all.reduce((sum, x) => sum + x, 0),
  mean: (all) => all.reduce((sum, x) => sum + x, 0) / all.length,
  norm: (all) => Math.hypot(...all),
  log_sum_exp: (all) => Math.log(all.reduce((sum, x) => sum + Math.exp(x), 0)),
};

/** `at(id)` gives the value of this moment, or null; `recipes` says how ids are made. */
export class Arithmetic {
  #at;
  #recipes;

  constructor(at, recipes) {
    this.#at = at;
    this.#recipes = recipes;
  }

  /** The lines behind one number, outermost first: {kind, name, result, terms, more, rest}; none where nothing is known. */
  lines(id, index) {
    const found = [];
    const waiting = [[id, index]];
    while (waiting.length && found.length < LINES) {
      const [next, place] = waiting.shift();
      const line = this.#line(next, place);
      if (!line) continue;
      const inner = line.kind === "dot" || line.kind === "reduced" ? [] : line.terms;
      const made = inner.filter(({ id }) => id && (HANDED_ON.has(line.name) || ANONYMOUS.test(id)));
      const echoes = line.kind === "from" && made.some((term) => this.#line(term.id, term.index)); // 0.73 = 0.73
      if (!echoes) found.push(line);
      waiting.push(...made.map((term) => [term.id, term.index]));
    }
    return found;
  }

  #tensor(id) {
    if (typeof id === "number") return { shape: [], whole: [], data: [id] };
    const value = this.#at(id);
    if (!value) return null;
    const whole = value.of ?? value.shape;
    const list = whole.length === 1 && value.shape.length === 2 && value.shape[1] === 1; // tokens below each other
    return { shape: list ? [value.shape[0]] : value.shape, whole: list ? [value.shape[0]] : whole, data: value.data, all: !list || value.shape[0] === whole[0], names: list ? [value.rows] : [...Array(Math.max(0, value.shape.length - 2)), value.rows, value.columns].slice(-value.shape.length || undefined) };
  }

  #number(tensor, index) {
    if (!tensor || index.length !== tensor.shape.length || index.some((at, axis) => !(at >= 0 && at < tensor.shape[axis]))) return undefined;
    const flat = index.reduce((sum, at, axis) => sum * tensor.shape[axis] + at, 0);
    const found = tensor.data[flat];
    return typeof found === "number" ? found : undefined;
  }

  #term(id, index) {
    if (typeof id === "number") return { value: id };
    const value = this.#number(this.#tensor(id), index);
    return value === undefined ? null : { id, index, value };
  }

  /** The number of an operand that goes with a place in the result, where one is stretched over the other: along its
   *  last axes, or, of what there is one of for each member of a family, along its `first`. */
  #beside(id, index, first = false) {
    if (typeof id === "number") return { value: id };
    const tensor = this.#tensor(id);
    if (!tensor) return null;
    const skipped = first ? 0 : index.length - tensor.shape.length;
    return this.#term(id, tensor.shape.map((_, axis) => (skipped + axis < 0 || tensor.whole[axis] === 1 ? 0 : index[skipped + axis])));
  }

  #line(id, index) {
    const recipe = this.#recipes[id];
    const result = this.#term(id, index);
    if (!recipe || !result) return null;
    const [name, ...taken] = recipe;
    const line = this.#made(name, taken, id, index, result.value);
    return line && { name, result, ...line };
  }

  #made(name, taken, id, index, value) {
    if (name === "+" || name === "-") return this.#sum(id, index, value);
    if (name === "@") return this.#dot(id, taken, index, value);
    if (["*", "/", "**", "//"].includes(name)) return this.#binary(name, taken, index, value);
    if (name in PLAIN) return this.#plain(name, taken, index, value);
    if (name in REDUCED) return this.#reduced(name, taken[0], index, value);
    if (name === "highest") return this.#highest(taken[0], index, value);
    if (name === "softmax" || name === "log_softmax") return this.#softmax(name, taken[0], index, value);
    if (name === "where") return this.#cases(taken, index);
    const source = this.#source(name, taken, id, index);
    return source && close(source.value, value, Math.abs(value)) ? { kind: "from", terms: [source] } : null;
  }

  /** What is only taken from elsewhere: a call's result, a row of a table, a piece of a longer vector. */
  #source(name, taken, id, index) {
    const [first] = taken;
    if (name === "same" || name === "call") return this.#term(first, index);
    if (name === "each" || name === "stack") return this.#recipes[first]?.[0] === "each" ? this.#term(this.#recipes[first][1], index) : this.#term(first, index);
    if (name === "scan") return this.#term(first, index.slice(1));
    if (name === "transpose") return this.#term(first, [...index.slice(0, -2), ...index.slice(-2).reverse()]);
    if (name === "last" || name === "first") {
      const rows = this.#tensor(first)?.whole[0];
      return rows === undefined ? null : this.#term(first, [name === "last" ? rows - 1 : 0, ...index]);
    }
    if (name === "interleave") return this.#term(taken[index.at(-1) % 2], [...index.slice(0, -1), Math.floor(index.at(-1) / 2)]);
    if (name === "concat" && String(first).startsWith("*")) {
      const wide = this.#tensor(first.slice(1))?.whole.at(-1);
      return wide ? this.#term(first.slice(1), [Math.floor(index.at(-1) / wide), ...index.slice(0, -1), index.at(-1) % wide]) : null;
    }
    if (name === "concat" || name === "append") {
      const axis = name === "concat" ? index.length - 1 : 0;
      let place = index[axis];
      for (const id of taken) {
        const tensor = this.#tensor(id);
        if (!tensor) return null;
        const along = name === "append" && tensor.whole.length < index.length ? 1 : tensor.whole[axis] ?? 1;
        if (place < along) return this.#term(id, tensor.whole.length < index.length ? index.slice(1) : index.map((at, each) => (each === axis ? place : at)));
        place -= along;
      }
      return null;
    }
    if (name === "index") {
      const at = this.#tensor(taken[1]);
      const [base, row] = [this.#tensor(first), at && at.shape.length === 0 ? at.data[0] : undefined];
      if (base && at?.shape.length === 1 && base.shape.length === index.length) return this.#term(first, index); // one for each member of a family
      if (base && row !== undefined && base.shape[0] === base.whole[0]) return this.#term(first, [row, ...index]);
      return base && this.#row(id, first, base, index); // of a large table a few rows are on the page
    }
    return null;
  }

  /** The row of a table that a vector is, found by its numbers. */
  #row(id, table, base, index) {
    const [front, column] = [index.slice(0, -1), index.at(-1)];
    const wide = this.#tensor(id).shape.at(-1);
    const fits = (row) => Array.from({ length: wide }, (_, k) => this.#number(this.#tensor(id), [...front, k]) === this.#number(base, [row, k])).every(Boolean);
    const row = Array.from({ length: base.shape[0] }, (_, at) => at).find(fits);
    return row === undefined ? null : this.#term(table, [row, column]);
  }

  #sum(id, index, value) {
    const terms = [];
    const gather = (each, sign) => {
      const [name, left, right] = this.#recipes[each] ?? [];
      const inside = typeof each === "string" && (each === id || ANONYMOUS.test(each)) && (name === "+" || name === "-");
      if (inside) return gather(left, sign) && gather(right, name === "-" ? -sign : sign);
      const term = this.#beside(each, index);
      if (term) terms.push({ ...term, sign });
      return Boolean(term);
    };
    const whole = gather(id, 1) && close(terms.reduce((sum, term) => sum + term.sign * term.value, 0), value, size(terms));
    return whole ? { kind: "sum", terms } : null;
  }

  #binary(name, taken, index, value) {
    for (const sides of [[false, false], [false, true], [true, false]]) {
      const terms = taken.map((each, side) => this.#beside(each, index, sides[side]));
      if (terms.some((term) => !term)) continue;
      const [a, b] = terms.map((term) => term.value);
      const made = { "*": a * b, "/": a / b, "**": a ** b, "//": Math.floor(a / b) }[name];
      if (close(made, value, Math.max(Math.abs(made), Math.abs(value)))) return { kind: "binary", terms };
    }
    return null;
  }

  #plain(name, [first], index, value) {
    const term = this.#beside(first, index);
    const [sign, compute] = PLAIN[name];
    return term && close(compute(term.value), value, 0.2 * Math.abs(term.value) + Math.abs(value)) ? { kind: "plain", sign, terms: [term] } : null;
  }

  /** A row times a column; the axes in front, of heads or positions, go along. Several readings are tried, one comes out right. */
  #dot(id, [left, right], index, value) {
    const [a, b] = [this.#tensor(left), this.#tensor(right)];
    if (!a || !b) return null;
    const [rows, columns] = [a.shape.length, b.shape.length];
    const made = this.#tensor(id);
    const column = columns > 1 ? same(made, index.length - 1, b, columns - 1, index.at(-1)) : 0;
    const row = rows > 1 && index.length > 1 && columns > 1 ? same(made, index.length - 2, a, rows - 2, index.at(-2)) : 0;
    if (column === null || row === null || !alike(a.names?.at(-1), b.names?.at(columns === 1 ? -1 : -2))) return null;
    const ways = [];
    if (columns === 1) ways.push([(k) => [...index.slice(index.length - rows + 1), k], (k) => [k]]);
    else {
      const plain = rows === 1 ? (k) => [k] : (k) => [...[...index.slice(0, -2), row].slice(-(rows - 1)), k];
      ways.push([plain, (k) => [...index.slice(0, Math.max(0, index.length - 2)).slice(-(columns - 2) || index.length), k, column]]);
      ways.push([plain, (k) => [...(columns > 2 ? index.slice(0, columns - 2) : []), k, column]]);
      if (rows === 1 && columns === 2) ways.push([(k) => [k], (k) => [k, column]]);
    }
    if (rows > 1 && columns === rows) ways.push([(k) => [...index.slice(0, -1), k].slice(-rows), (k) => [...index.slice(0, -1), k].slice(-columns)]);
    const inner = a.whole.at(-1);
    const shown = Math.min(a.shape.at(-1), columns === 1 ? b.shape[0] : b.shape.at(-2));
    for (const [from, to] of ways) {
      const terms = [];
      for (let k = 0; k < shown; k++) {
        const [x, y] = [this.#term(left, from(k)), this.#term(right, to(k))];
        if (!x || !y) break;
        terms.push({ pair: [x, y], value: x.value * y.value });
      }
      if (terms.length < shown || !shown) continue;
      const sum = terms.reduce((total, term) => total + term.value, 0);
      if (shown === inner ? close(sum, value, size(terms)) : true) return { kind: "dot", terms, more: inner - shown, rest: value - sum };
    }
    return null;
  }

  #reduced(name, first, index, value) {
    const each = this.#recipes[first]?.[0] === "each";
    const id = each ? this.#recipes[first][1] : first;
    const tensor = this.#tensor(id);
    if (!tensor) return null;
    const kept = tensor.shape.length === index.length && name === "mean" ? index.slice(0, -1) : index;
    const count = each ? tensor.shape[0] : tensor.shape.at(-1);
    const terms = Array.from({ length: count ?? 0 }, (_, k) => this.#term(id, each ? [k, ...index] : [...kept.slice(0, tensor.shape.length - 1), k]));
    if (!terms.length || terms.some((term) => !term)) return null;
    const all = each ? tensor.whole[0] : tensor.whole.at(-1);
    if (count < all && name === "mean") return { kind: "reduced", terms, more: all - count, rest: value * all - REDUCED.sum(terms.map((term) => term.value)) };
    return count === all && close(REDUCED[name](terms.map((term) => term.value)), value, size(terms)) ? { kind: "reduced", terms, more: 0 } : null;
  }

  /** The largest of each column. */
  #highest(first, index, value) {
    const tensor = this.#tensor(first);
    if (!tensor || tensor.shape[0] !== tensor.whole[0]) return null;
    const terms = Array.from({ length: tensor.shape[0] }, (_, k) => this.#term(first, [k, ...index])).filter(Boolean);
    return terms.length && close(Math.max(...terms.map((term) => term.value)), value, Math.abs(value)) ? { kind: "reduced", terms, more: 0 } : null;
  }

  #softmax(name, first, index, value) {
    const tensor = this.#tensor(first);
    if (!tensor || tensor.shape.length !== index.length) return null;
    const own = this.#term(first, index);
    const terms = Array.from({ length: tensor.shape.at(-1) }, (_, k) => this.#term(first, [...index.slice(0, -1), k])).filter(Boolean);
    if (!own || !terms.length) return null;
    const most = Math.max(...terms.map((term) => term.value));
    const sum = terms.reduce((total, term) => total + Math.exp(term.value - most), 0);
    const p = name === "softmax" ? value : Math.exp(value);
    const whole = tensor.all !== false && tensor.shape.at(-1) === tensor.whole.at(-1);
    if (whole && !close(Math.exp(own.value - most) / sum, p, 1)) return null;
    return { kind: "softmax", terms: [own], others: terms, whole };
  }

  #cases([condition, one, other], index) {
    const chosen = this.#beside(condition, index);
    const term = chosen && this.#beside(chosen.value ? one : other, index);
    return term ? { kind: "from", terms: [term] } : null;
  }
}

/** Where a place along an axis of a result stands along that of an operand: by its word, else by its number. */
function same(made, axis, tensor, other, at) {
  const [words, theirs] = [made.names?.[axis], tensor.names?.[other]];
  if (words && theirs) return words[at] === theirs[at] ? at : theirs.indexOf(words[at]) < 0 ? null : theirs.indexOf(words[at]);
  if (made.all === false) return null; // chosen tokens, and nothing says which these are
  return made.whole[axis] === tensor.whole[other] && made.shape[axis] !== tensor.shape[other] ? null : at;
}

const alike = (one, other) => !one || !other || one.every((word, at) => at >= other.length || word === other[at]);

const size = (terms) => terms.reduce((sum, term) => sum + Math.abs(term.value), 0);

/** Equal as far as numbers of three or four digits can say; `scale` is how large the numbers on the way were. */
const close = (one, other, scale) => Math.abs(one - other) <= 0.006 * scale + 1e-6;
