// English.

const plural = (count, one, several) => `${count} ${count === 1 ? one : several}`;

const METRICS = { exact: "exact matches", f1: "F1", bleu: "BLEU", chrf: "chrF", ter: "TER" };
const lowered = (name) => name[0].toLowerCase() + name.slice(1);

const duration = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);

const WHATIF = ["What if?", "Click a word to leave it out, or write another text. *If the answer stays the same, the model did not need that word.* Below, every input is coloured by how much the answer owes to it."];
const INSIDE = ["All of it is arithmetic", "This is the whole model as figure, formula and code, with *the numbers of this very input*. Click a box to open it; point at a number and see the sum that made it. There is nothing else inside."];

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
    model: "Model", checkpoints: "Checkpoints", at_step: (model, step) => `${model}, step ${step}`, key: "Key", text: "Your text", placeholder: "Type here", another: "Another example",
    choose: "Choose a picture", picture: "The picture as the model sees it", no_picture: "This is no picture that the browser can read.",
    wait: "the model is loading …", took: (ms) => `${ms} ms`, cut: "The text was longer than the model reads; its beginning is shown.",
    was: (text) => `with all heads, and its own words: ${text}`, same: "the answer stays the same", back: "Undo",
    parameters: (count) => `${count} parameters`, temperature: "Temperature", again: "Draw again", greedy: "always the most probable",
  },
  trouble: {
    gone: "The server does not answer. This page will go on when it is back.", back: "The server is back.",
    key: "This server wants a key.",
    empty: "Write a few words, and the model answers.", no_picture: "Choose a picture, and the model describes it.",
  },
  theme: { label: "Colours", auto: "as the system", light: "light", dark: "dark" },
  language: "Language",
  saving: { save: "Save this view", svg: "Picture (SVG)", png: "Picture (PNG)", json: "Numbers (JSON)", csv: "Numbers (CSV)" },
  row: { source: "What is read", target: "What is written" },
  parts: { encoder: "encoder", decoder: "decoder", classifier: "classifier", tagger: "tagger", "language model": "language model" },
  groups: { cross: "output to input", encoder: "within the input", decoder: "within the output", self: "within the text", pooling: "answer to text" },
  weave: {
    title: "Weave", group: "Which attention", layer: "layer", head: "head", key: "attention weight",
    hint: "The wider a thread, the more the model looked there. Point at a token, and only its threads stay.",
    mean: (what) => `all ${what}s`, nth: (what, number) => `${what} ${number}`,
    target: (token, partner, weight) => `${token} looks most at ${partner}, ${weight}`,
    source: (token, partner, weight) => `${token} is looked at most by ${partner}, ${weight}`,
  },
  picture: {
    title: "Where it looks", hint: "Point at a word or at a region; step through the words with the arrow keys.", words: "Word by word",
    says: "For each word the attention weights of all regions sum to 1. The number beside it is the largest of them.",
    target: (token, row, column, weight) => `*${token}* looks most at row ${row}, column ${column}: ${weight}`,
    region: (row, column, token, weight) => `Row ${row}, column ${column} is looked at most for *${token}*: ${weight}`,
    even: (token) => `*${token}* looks at all regions alike.`,
  },
  matrix: {
    title: "The weights", says: "Each row sums to 1: one token has one unit of attention to share among all that it looks at.",
    cell: (target, source, weight) => `${target} gives ${source} a weight of ${weight}`,
    pooled: (tall, wide) => `Pooled by maximum: a cell stands for ${tall} × ${wide} tokens.`,
  },
  heads: {
    title: (layers, heads) => `${plural(layers, "layer", "layers")} of ${plural(heads, "head", "heads")}`,
    hint: "A small matrix for each head; the number is its sharpness, how much a single token gets. Switch a head off and see what the answer becomes.",
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
    behind: (token, p, other, q) => `*${token}* has probability ${p}; more probable was *${other}*, ${q}`,
    says: (token, p, next, q) => (next ? `*${token}* has probability ${p}; next comes *${next}*, ${q}` : `*${token}* has probability ${p}`),
  },
  tree: {
    title: "Beam search",
    hint: "Which answers were considered at the same time. Where a branch ends, others were more probable.",
    says: (lanes, depth) => `${plural(lanes, "hypothesis is", "hypotheses are")} followed side by side for ${plural(depth, "token", "tokens")}; the bold one became the answer.`,
  },
  strips: {
    title: "Gates and states over time", cell: "Which cell", forward: "→", backward: "←",
    hint: "A column for each token, a line for each unit. A gate at 0 is shut, at 1 open. Point at a column to read it.",
    key: "gates", signedKey: "states", layer: (part, number) => `${part}, layer ${number}`,
    says: (name, token, mean, kind) => (kind === "gate" ? `The gate *${name}* is most open at *${token}*: ${mean} on average.` : `*${name}* is largest at *${token}*: ${mean} on average.`),
    at: (token, values) => `At *${token}*, on average: ${values}`,
  },
  influence: {
    title: "What is still remembered at the end",
    hint: "How much the last state would still change with each token: the size of its gradient.",
    says: (strongest) => `*${strongest}* matters most to the last state.`,
    first: (first, percent) => `Of the first token, *${first}*, ${percent} % as much is left.`,
  },
  salience: {
    title: "Which words mattered", method: "How it is measured", left_out: "leaving it out", gradient: "by gradient",
    hint: "Warm words speak for the answer, cold ones against it. Point at one.", against: "against", helps: "for",
    says: (token, value, label, method, helps) => `*${token}* speaks ${helps ? "for" : "against"} *${label}*: ${value} ${method === "left_out" ? "in the logit, by leaving it out" : "by gradient × input"}`,
  },
  whatif: {
    title: "What if", hint: "Click a word to leave it out, or write another text below.", certain: "Answers are the most probable here, so that none differs by chance.",
    edit: "The text with your change", against: "Answered by", same: "the same model", drop: (word) => `Leave out “${word}”`,
    picture: "Click a region to blank it, or let another model describe the picture.", blank: (row, column) => `Blank row ${row}, column ${column}`,
    asItIs: "As it is", withChange: "With the change", by: (model) => `By ${model}`, nothing: "Nothing is changed yet.",
    start: "Leave out a word and see whether the answer needs it.", start_picture: "Blank a region and see whether the answer needs it.",
    unchanged: (answer) => `The answer stays ${answer}.`,
    changed: (one, other) => `The answer turns from ${one} into ${other}.`,
    surer: (answer, p, q) => `It is still ${answer}; the probability goes from ${p} to ${q}.`,
  },
  origin: {
    wait: "measuring where the answer came from …",
    title: "Where it came from", hint: "Choose an output: warm colours speak for it, cold ones against it.",
    method: "How it is measured", methods: { integrated: "integrated gradients", gradient: "gradient × input", "leave-one-out": "leaving one out" },
    outputs: "Outputs", inputs: "Inputs", region: (row, column) => `row ${row}, column ${column}`, key: "log-odds gained",
    says: (input, output, weight, helps) => `${input} speaks most ${helps ? "for" : "against"} ${output}: ${weight}`,
  },
  data: { wait: "the model is held to its validation data …" },
  confusion: {
    title: "Confusion matrix", hint: "Click a cell, and only its examples are listed.", rows: "right ↓", columns: "predicted →", all: "Show all examples",
    cell: (row, column, count) => (row === column ? `${row}: ${count} right` : `${row} taken for ${column}: ${count}`),
    says: (row, column, count, percent) => `${row} is taken for ${column} most often: ${plural(count, "time", "times")}, ${percent} % of all ${row}.`,
    none: "Nothing is taken for anything else.", left: (count) => `${plural(count, "label that is", "labels that are")} confused less often ${count === 1 ? "is" : "are"} not shown.`,
  },
  examples: {
    title: "Validation examples", hint: "Training never saw these. Click one, and it opens in Weave.", open: "Open in Weave", more: "Show more",
    sort: "Order", orders: { loss: "by loss", length: "by length", label: "by label" },
    which: "Which examples", wrong: (count) => `wrong (${count})`, all: (count) => `all (${count})`,
    expected: "right", predicted: "predicted", right: "right:", loss: (loss) => `loss ${loss}`, tokens: (count) => plural(count, "token", "tokens"),
    says: (wrong, of, first, loss) => `${wrong} of ${plural(of, "example is", "examples are")} wrong. The largest loss, ${loss}, is that of ${first}.`,
    surprised: (first, loss, mean) => `The loss is ${mean} a token on average; largest, ${loss}, at ${first}.`,
    kept: (count, row, column) => `${plural(count, "example", "examples")} where ${row} is right and the model says ${column}.`,
    sample: (count, read) => `A random sample: ${count} of ${read}.`, empty: "The validation part is empty.",
  },
  labels: {
    title: "How sure it is", hint: "The probabilities of all labels sum to 1.", alone: (label, p) => `${label} has probability ${p}.`,
    says: (label, p, next, q) => `${label} has probability ${p}; next comes ${next}, ${q}`,
  },
  tags: {
    title: "Tags", hint: "The line under a word says how sure the model is. Point at a word to see what else it could be.", sure: "probability", others: "What else it could be", word: (word, tag, p) => `${word}: ${tag}, ${p}`,
    says: (word, tag, p, least) => (least ? `It is least sure of *${word}*: ${tag}, ${p}` : `*${word}* is ${tag}, ${p}`),
  },
  surprise: {
    title: "Surprise, token by token", hint: "The less probable a token was, the more it surprised the model. What you wrote is underlined.", bits: (count) => `${count} bits`, key: "surprise",
    token: (token, p, bits) => `*${token}* had probability ${p}: ${bits} bits of surprise`,
    says: (mean, token, bits) => `${mean} bits a token; most surprising was *${token}*, ${bits} bits.`,
  },
  inside: { wait: "opening the model …" },
  runs: {
    wait: "reading the runs …", none: "No learning curves yet.", step: "step", logged: "Training loss",
    metric: (name) => `Validation ${METRICS[name.replace("valid_", "")] ?? name.replace("valid_", "").replaceAll("_", " ")}`,
    says: (model, name, value, step) => `*${model}* after ${step} steps: ${lowered(name)} ${value}.`,
    now: (model, name, value, step) => `*${model}* now, after ${step} steps: ${lowered(name)} ${value}.`,
    status: { running: "training", finished: "finished", stopped: "stopped; it can go on", waiting: "about to begin" },
    stopping: "saving and stopping …", stop: "Stop and save", stop_says: "Saves a checkpoint after this step and stops; seqloom train --resume goes on from there.",
    others: "Runs of other tasks:", toggle: (model) => `Show or hide ${model}`, far: (model) => `How far ${model} is`,
    progress: (run) => [`${run.status === "finished" && run.step < run.steps ? "ended at " : ""}step ${run.step.toLocaleString("en")}${run.steps ? ` of ${run.steps.toLocaleString("en")}` : ""}`, run.seconds_left === null || run.status !== "running" ? "" : `about ${duration(run.seconds_left)} left`].filter(Boolean).join(", "),
    facts: (run) => [
      ["parameters", run.parameters === null ? "" : run.parameters.toLocaleString("en")],
      ["tokens a second", run.tokens_per_second ? Math.round(run.tokens_per_second).toLocaleString("en") : ""],
      ["epochs", run.epoch ? run.epoch.toFixed(1) : ""],
      ["best at step", run.best_step === null ? "" : run.best_step.toLocaleString("en")],
    ].filter(([, value]) => value),
  },
  samples: {
    title: "What it says while it learns", which: "Which run", hint: "The same validation example at every evaluation, the newest first. What is new is marked.",
    says: (model, step) => `This is what *${model}* says after ${step} steps.`,
    settled: (model, step) => `*${model}* has said the same since step ${step}.`,
  },
  map: {
    title: "Words on a plane", wait: "laying out the words …", near: "Nearest", find: "Find a word", side: "Which vocabulary", key: "frequency",
    colour: "Colour", by_label: "by label", by_frequency: "by frequency", others: (count) => `${count} others`,
    labelled: (count) => `The ${count} most frequent tokens by their embeddings, in the colour of what the model says of each one alone.`,
    hint: "The two directions in which the embeddings differ most. Point at a word; click it for its neighbours.",
    rare: "rare", frequent: "frequent", sides: { source: "what is read", target: "what is written", text: "all" },
    says: (count) => `The ${count} most frequent tokens by their embeddings: the closer two lie, the more alike they are to the model.`,
    nearest: (word, other, cosine) => `*${word}* is nearest to *${other}*: cosine ${cosine}`,
  },
  tour: {
    start: "Tour", next: "Next", back: "Back", end: "Done", step: (at, of) => `${at} of ${of}`, close: "End the tour",
    steps: {
      translate: [
        ["A text goes in, a text comes out", "The model reads what you type and writes its answer piece by piece: a word, part of a word, or a single character. Such a piece is called a *token*. Before each one it decides which parts of your text matter right now. That decision is *attention*, and it can be seen."],
        ["Attention: where it looks", "What was read stands above (on a phone: left), what was written below (right). Follow the threads of the one marked token: *the wider a thread, the more the model looked there* while it wrote. Point at another token, or press ← and →."],
        ["The same, as numbers", "Every thread is a number from 0 to 1, and *each row sums to 1*: the framed row is that of the marked token, its strongest cell its widest thread. That is all that attention is: *for each token that is written, how much each token that was read counts*."],
        ["From looking to writing", "What it looked at becomes a *probability* for every token that it knows; these are the most probable ones. Take another one with a click, and the rest is written again from there."],
        INSIDE,
      ],
      caption: [
        ["A picture goes in, a text comes out", "The model looks at a picture and describes it word by word. Before each word it decides which parts of the picture matter right now. That decision is *attention*, and it can be seen."],
        ["Attention: where it looks", "The picture is cut into regions. *The stronger the colour of a region, the more the model looked there* while it wrote the marked word. Point at another word, or press ← and →."],
        ["Word by word", "The same for every word. All weights of a word *sum to 1*: it has one unit of attention to share among all regions, and puts it where something can be seen."],
        ["From looking to writing", "What it looked at becomes a *probability* for every word that it knows; these are the most probable ones. Take another one with a click, and the rest is written again from there."],
        INSIDE,
      ],
      classify: [
        ["A text goes in, a label comes out", "The model reads what you type and chooses one of the labels it was trained with. It never says why. But *which words made it choose* can be measured."],
        ["Which words mattered", "Every word is left out once, and the change of the answer is measured. *Warm words speak for the answer, cold ones against it*; the stronger the colour, the more."],
        ["How sure it is", "Every label gets a *probability*, and all of them sum to 1. A model that is right and unsure is something else than one that is right and sure."],
        WHATIF,
        INSIDE,
      ],
      tag: [
        ["A sentence goes in, a tag for each word comes out", "The model reads all words of a sentence and gives each a tag: its part of speech, or whether it is a name. The same word can get different tags, for *the words around it* are read too."],
        ["A tag over every word", "The bar under a word says how sure the model is. Point at a word that it is unsure of."],
        ["What else it could be", "For the word that is pointed at, every tag has a *probability*. The one that is chosen need not be far ahead."],
        WHATIF,
        INSIDE,
      ],
      generate: [
        ["A text goes in, and goes on", "The model has learned one thing only: which *token* comes next, a word, part of a word or a character. It writes one, reads everything again, and writes the next."],
        ["Surprise, token by token", "The colour says how surprised the model was by a token: *the less probable, the more surprising*. What you typed is underlined; you will surprise it more than it does itself."],
        ["What could stand here", "At each place every token has a *probability*. Take another one with a click, and the text goes on from there. At a higher temperature less probable ones are drawn more often."],
        WHATIF,
        INSIDE,
      ],
    },
  },
};
