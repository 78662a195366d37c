// The words around a definition that is opened, in each language; what is said of its lines comes with it.

const en = {
  code: "en", language: "Language", theme: { label: "Colours", auto: "as the system", light: "light", dark: "dark" },
  hint: "Point at any symbol in the figure, the formula or the code. A click keeps it here, Escape lets it go.",
  open: (name) => `Open ${name}`, one: "one number", release: "Let go (Escape)", pinned: "pinned",
  numbers: (name) => `The numbers of ${name}`, by_token: (name) => `The numbers of ${name}, token by token`,
  arithmetic: "How this number was made", more: (count) => `${count} smaller products`, rest: (count) => `${count} products that are not on this page`,
  rest_terms: (count) => `${count} numbers that are not on this page`,
  boxes: "boxes with ⊕ open",
  time: { tokens: "Tokens", token: "Token", back: "Previous token", ahead: "Next token", play: "Play", pause: "Pause", count: (at, of) => `${at} of ${of}` },
  saving: { save: "Save this view", svg: "Picture (SVG)", png: "Picture (PNG)", json: "Numbers (JSON)", csv: "Numbers (CSV)" },
  part: (note) => note, copied: ["Copied", "Selected: press Ctrl+C"],
  texts: {},
};

const zh = {
  code: "zh", language: "语言", theme: { label: "配色", auto: "跟随系统", light: "浅色", dark: "深色" },
  hint: "指向图、公式或代码中的任意符号。点击可固定在这里，按 Esc 放开。",
  open: (name) => `打开 ${name}`, one: "一个数", release: "放开 (Esc)", pinned: "已固定",
  numbers: (name) => `${name} 的数值`, by_token: (name) => `${name} 在每个词元处的数值`,
  arithmetic: "这个数是怎样得出的", more: (count) => `另外 ${count} 个较小的乘积`, rest: (count) => `本页之外的 ${count} 个乘积`,
  rest_terms: (count) => `本页之外的 ${count} 个数`,
  boxes: "带 ⊕ 的方框可以打开",
  time: { tokens: "词元", token: "词元", back: "上一个词元", ahead: "下一个词元", play: "播放", pause: "暂停", count: (at, of) => `${at} / ${of}` },
  saving: { save: "保存此图", svg: "图像 (SVG)", png: "图像 (PNG)", json: "数值 (JSON)", csv: "数值 (CSV)" },
  copied: ["已复制", "已选中：请按 Ctrl+C"],
  part: (note) => note.split("; ").map(partly).join("；"),
  texts: {
    "Copy LaTeX": "复制 LaTeX", Time: "时间", "Where you are": "所在位置", Value: "数值", "Parts of the model": "模型的各部分",
    item: "成员", number: "数", operation: "运算", call: "部件", family: "一族",
    "Whole model": "整个模型", Figure: "图", Formula: "公式", Code: "代码", Symbols: "符号", Copy: "复制", symbol: "符号", kind: "类别", shape: "形状", meaning: "含义", parameters: "参数",
    "parameters in all": "参数合计", input: "输入", weight: "权重", state: "状态", value: "中间值", part: "部件", parts: "部件", result: "结果",
    encoder: "编码器", bridge: "桥接", decoder: "解码器", classifier: "分类器", tagger: "标注器", "language model": "语言模型",
  },
};

/** The words of a language, with `texts` of what is shown: {zh: {English: Chinese}}. */
export function wordsOf(code, texts = {}) {
  const words = { en, zh }[code];
  return { ...words, texts: { ...words.texts, ...texts[code] } };
}

/** A text that Python wrote, in the words of a language. */
export const inWords = (text, { texts }) => (Object.hasOwn(texts, text) ? texts[text] : text);

/** Put all that Python wrote into the words of a language. */
export function translated(root, words) {
  for (const place of root.querySelectorAll("h1, h2, th, td, .caption, [data-text], [data-copies], [role=tab]")) {
    const text = place.textContent.trim();
    if (!place.children.length && Object.hasOwn(words.texts, text)) place.textContent = words.texts[text];
  }
  for (const place of root.querySelectorAll("[aria-label]")) {
    const label = place.getAttribute("aria-label");
    const [, kind, rest] = /^(\w+) (.+)$/.exec(label) ?? []; // a node of a figure
    const known = Object.hasOwn(words.texts, label) || !kind;
    place.setAttribute("aria-label", known ? inWords(label, words) : `${inWords(kind, words)} ${inWords(rest, words)}`);
  }
}

/** Which part of a value is shown, in Chinese. */
function partly(note) {
  return note
    .replace(/^the most probable ([\d,]+) of ([\d,]+)$/, "$2 个中概率最大的 $1 个")
    .replace(/^most probable first$/, "按概率从大到小")
    .replace(/^for ([\d,]+) of ([\d,]+)$/, "$2 个中的 $1 个")
    .replace(/^the newest (.+) of (.+)$/, "$2 中最新的 $1")
    .replace(/^the first (.+) of (.+)$/, "$2 中开头的 $1");
}
