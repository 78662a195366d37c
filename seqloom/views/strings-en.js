// English.

const plural = (count, one, several) => `${count} ${count === 1 ? one : several}`;

export default {
  code: "en",
  title: "seqloom studio",
  views: { weave: "Weave", inside: "Inside", whatif: "What if", runs: "Runs", data: "Data", words: "Words" },
  views_say: {
    weave: "what the model looks at while it answers",
    inside: "figure, formula, code and numbers of every part",
    whatif: "change a word, or the model, and compare",
    runs: "how it was trained",
    data: "what it gets wrong",
    words: "where words lie",
  },
  ask: {
    model: "Model", key: "Key", text: "Your text", placeholder: "Type here", another: "Example",
    wait: "the model is loading …", took: (ms) => `${ms} ms`, cut: "The text was longer than the model reads; its beginning is shown.",
    was: (text) => `with all heads, and its own words: ${text}`, same: "the answer stays the same", back: "Undo",
    parameters: (count) => `${count} parameters`, temperature: "Temperature", again: "Draw again", greedy: "always the most probable",
  },
  trouble: {
    gone: "The server does not answer. This page will go on when it is back.", back: "The server is back.",
    key: "This server wants a key.",
    empty: "Write a few words, and the model answers.",
  },
  theme: { label: "Colours", auto: "as the system", light: "light", dark: "dark" },
  language: "Language",
  saving: { save: "Save this view", svg: "Picture (SVG)", png: "Picture (PNG)", json: "Numbers (JSON)", csv: "Numbers (CSV)" },
  row: { source: "What is read", target: "What is written" },
  parts: { encoder: "encoder", decoder: "decoder", classifier: "classifier", tagger: "tagger", "language model": "language model" },
  groups: { cross: "output to input", encoder: "within the input", decoder: "within the output", self: "within the text" },
  weave: {
    title: "Weave", group: "Which attention", layer: "layer", head: "head", key: "attention weight",
    hint: "Point at a word: its threads stay. Arrow keys walk along the rows.",
    mean: (what) => `all ${what}s`, nth: (what, number) => `${what} ${number}`,
    target: (token, partner, weight) => `${token} looks most at ${partner}, ${weight}`,
    source: (token, partner, weight) => `${token} is looked at most by ${partner}, ${weight}`,
  },
  matrix: {
    title: "The weights", says: "Each row sums to 1: how one word shares its attention among the words of the input.",
    cell: (target, source, weight) => `${target} gives ${source} a weight of ${weight}`,
    pooled: (tall, wide) => `Pooled by maximum: a cell stands for ${tall} × ${wide} tokens.`,
  },
  heads: {
    title: (layers, heads) => `${plural(layers, "layer", "layers")} of ${plural(heads, "head", "heads")}`,
    hint: "A picture shows where a head looks. Switch one off and see what the answer becomes.",
    order: "Order", byPlace: "by layer", bySharp: "sharpest first", mean: "Show the mean of all",
    sharpness: "how much of its attention goes to a single token, on average",
    name: (layer, head) => `${layer}.${head}`,
    look: (layer, head, sharp) => `Layer ${layer}, head ${head}: sharpness ${sharp.toFixed(2)}`,
    off: (layer, head) => `Switch off layer ${layer}, head ${head}`,
    says: (layer, head, sharp) => `The sharpest is head *${head}* of layer *${layer}*: it gives ${sharp} of its attention to a single token, on average.`,
  },
  steps: {
    title: "What could stand here", previous: "Previous token", next: "Next token", hint: "Take another token, and the rest is written again from there.",
    count: (at, of) => `${at} of ${of}`, undo: "Back to its own words", instead: (token) => `Write ${token} instead`,
    says: (token, p, next, q) => (next ? `*${token}* has probability ${p}; next comes *${next}*, ${q}` : `*${token}* has probability ${p}`),
  },
  tree: {
    title: "Beam search",
    says: (kept, lanes, depth) => `${plural(lanes, "hypothesis is", "hypotheses are")} followed side by side for ${plural(depth, "token", "tokens")}; the bold one became the answer.`,
  },
  strips: {
    title: "Gates and states over time", cell: "Which cell", forward: "→", backward: "←",
    hint: "A column for each token, a line for each unit. Point at a column to read it.",
    key: "gates: 0 shut, 1 open", signedKey: "states: from −1 to 1",
    says: (name, token, mean, kind) => (kind === "gate" ? `The gate *${name}* is most open at *${token}*: ${mean} on average.` : `*${name}* is largest at *${token}*: ${mean} on average.`),
    at: (token, values) => `At *${token}*, on average: ${values}`,
  },
  influence: {
    title: "What is still remembered at the end",
    says: (strongest, first, part) => `*${strongest}* matters most to the last state; the first token, *${first}*, has ${part} % of the influence of the last.`,
  },
  salience: {
    title: "Which words mattered", method: "How it is measured", left_out: "leaving it out", gradient: "by gradient",
    says: (token, value, label, method, helps) => `*${token}* speaks ${helps ? "for" : "against"} *${label}*: ${value}${method === "left_out" ? " without it, in the logit" : ", gradient × input"}`,
  },
  whatif: {
    title: "What if", hint: "Click a word to leave it out, or write another text below.",
    edit: "The text with your change", against: "Answered by", same: "the same model", drop: (word) => `Leave out “${word}”`,
    asItIs: "As it is", withChange: "With the change", by: (model) => `By ${model}`, nothing: "Nothing is changed yet.",
    start: "Leave out a word and see whether the answer needs it.",
    unchanged: (answer) => `The answer stays ${answer}.`,
    changed: (one, other) => `The answer turns from ${one} into ${other}.`,
    surer: (answer, p, q) => `It is still ${answer}; the probability goes from ${p} to ${q}.`,
  },
  origin: {
    title: "Where it came from", hint: "Choose an output: warm colours speak for it, cold ones against it.",
    method: "How it is measured", methods: { integrated: "integrated gradients", gradient: "gradient × input", "leave-one-out": "leaving one out" },
    outputs: "Outputs", inputs: "Inputs", key: "what the log-odds of the output gain",
    says: (input, output, weight, helps) => `${input} speaks most ${helps ? "for" : "against"} ${output}: ${weight}`,
  },
  labels: { title: "How sure it is" },
  tags: {
    title: "Tags", others: "What else it could be", word: (word, tag, p) => `${word}: ${tag}, ${p}`,
    says: (word, tag, p, least) => (least ? `It is least sure of *${word}*: ${tag}, ${p}` : `*${word}* is ${tag}, ${p}`),
  },
  surprise: {
    title: "Surprise, token by token", bits: (count) => `${count} bits`, key: "surprise: −log₂ of the probability",
    token: (token, p, bits) => `*${token}* had probability ${p}: ${bits} bits of surprise`,
    says: (mean, token, bits) => `${mean} bits a token; most surprising was *${token}*, ${bits} bits.`,
  },
  inside: { wait: "opening the model …" },
  runs: {
    wait: "reading the runs …", none: "No learning curves are kept with these models.", step: "step", loss: "Loss", logged: "Training: loss",
    metric: (name) => name.replace("valid_", "Validation: ").replaceAll("_", " "),
    says: (model, name, value, step) => `*${model}* ends at ${name} ${value} after ${step} steps.`,
    facts: (run) => `${run.model}: ${run.facts.step?.toLocaleString("en") ?? 0} steps, ${Number(run.facts.epoch ?? 0).toFixed(1)} epochs, ${Math.round((run.facts.tokens ?? 0) / 1000).toLocaleString("en")} thousand tokens`,
  },
  map: {
    title: "Words on a plane", wait: "laying out the words …", near: "Nearest", find: "Find a word", side: "Which vocabulary", key: "frequency",
    hint: "The two directions in which the embeddings differ most. Point at a word; click it for its neighbours.",
    rare: "rare", frequent: "frequent", sides: { source: "what is read", target: "what is written", text: "all" },
    says: (count) => `The ${count} most frequent tokens by their embeddings: tokens that are used alike lie close together.`,
    nearest: (word, other, cosine) => `*${word}* is nearest to *${other}*: cosine ${cosine}`,
  },
  tour: {
    start: "Tour", next: "Next", back: "Back", end: "Done", step: (at, of) => `${at} of ${of}`, close: "End the tour",
    steps: [
      ["A text goes in, a text comes out", "The model reads the text on the left, token by token, and writes its answer on the right. How does it know what to write *next*? The tour follows one token."],
      ["Attention: where it looks", "To write each token below, the model looks back at the tokens above. *A wide thread is a strong look*, a thin one a glance. Here is one token with its threads; point at others, or press the arrow keys."],
      ["The same, as numbers", "Every thread is a number from 0 to 1. *Each row sums to 1*: a token has one unit of attention, and shares it among all tokens of the input. The darkest cell is the widest thread."],
      ["From looking to writing", "With what it has seen, the model gives every token of its vocabulary a *probability*. Usually the most probable is written. Take another one, and watch the rest follow from it."],
      ["All of it is arithmetic", "This is the model itself: the figure, the formula and the code say the same thing. Point at any symbol and see *the numbers of this very text*. Boxes open."],
    ],
  },
};
