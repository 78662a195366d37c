// Attention weights as they came from Python: between which rows of tokens, of which layers and heads.

/** One kind of attention of a run; `rows` are the rows of tokens by name. */
export class Attention {
  constructor(data, rows) {
    this.group = data.group;
    this.layers = data.layers;
    this.heads = data.heads;
    this.sharpness = data.sharpness;
    this.small = data.small;
    [this.height, this.width] = data.shape;
    this.target = side(rows[data.rows], this.height);
    this.source = side(rows[data.columns], this.width);
    this.matrices = data.matrices;
  }

  /** Whether there is more than one head to choose from. */
  get several() {
    return this.layers.length * this.heads > 1;
  }

  has(layer, head) {
    return `${layer}.${head}` in this.matrices;
  }

  /** The weights of a layer and a head, each a number or "mean"; the mean of all if they were not sent. */
  matrix(layer, head) {
    const found = this.matrices[`${layer}.${head}`] ?? this.matrices["mean.mean"];
    return new Weights(found, this.height, this.width);
  }

  /** Layers and heads with how sharp they are, the sharpest first. */
  ranked() {
    const all = this.sharpness.flatMap((heads, layer) => heads.map((sharp, head) => ({ layer, head, sharp })));
    return all.sort((one, other) => other.sharp - one.sharp);
  }
}

const side = ({ tokens, rtl }, count) => ({ tokens: tokens.slice(0, count), rtl });

/** A matrix of weights; where it was pooled, a block of tokens has the largest weight in it. */
export class Weights {
  constructor({ shape, data }, height, width) {
    [this.rows, this.columns] = shape;
    this.data = data;
    this.tall = Math.ceil(height / this.rows);
    this.wide = Math.ceil(width / this.columns);
    this.height = height;
    this.width = width;
  }

  at(target, source) {
    return this.data[Math.floor(target / this.tall) * this.columns + Math.floor(source / this.wide)];
  }

  /** The weights of one token over the other side, as {at, weight}, the largest first. */
  partners(name) {
    const { side, at } = placeOf(name);
    const count = side === "t" ? this.width : this.height;
    const weight = side === "t" ? (other) => this.at(at, other) : (other) => this.at(other, at);
    const all = Array.from({ length: count }, (_, other) => ({ at: other, weight: weight(other) }));
    return all.sort((one, other) => other.weight - one.weight);
  }

  /** How many rows say nothing: a first token that can see but one gives it all its attention. */
  get alone() {
    return this.rows > 1 && this.data[0] > 0.9995 ? 1 : 0;
  }

  /** The largest weight of all, or from a row on. */
  strongest(from = 0) {
    let best = from * this.columns;
    for (let at = best + 1; at < this.data.length; at++) if (this.data[at] > this.data[best]) best = at;
    return { target: Math.floor(best / this.columns) * this.tall, source: (best % this.columns) * this.wide, weight: this.data[best] };
  }

  /** At most so many rows and columns, pooled by maximum. */
  pooled(rows, columns) {
    const [tall, wide] = [Math.ceil(this.rows / rows), Math.ceil(this.columns / columns)];
    if (tall <= 1 && wide <= 1) return this;
    const shape = [Math.ceil(this.rows / tall), Math.ceil(this.columns / wide)];
    const data = new Float32Array(shape[0] * shape[1]);
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < this.columns; column++) {
        const to = Math.floor(row / tall) * shape[1] + Math.floor(column / wide);
        data[to] = Math.max(data[to], this.data[row * this.columns + column]);
      }
    }
    return new Weights({ shape, data }, this.height, this.width);
  }
}

/** "t3" is the fourth token of the target, "s0" the first of the source. */
export function placeOf(name) {
  return { side: name[0], at: Number(name.slice(1)) };
}
