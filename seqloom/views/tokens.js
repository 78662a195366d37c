// Tokens as a reader knows them: spaces and line breaks seen, the mark of a word's beginning left out.

const SIGNS = { "\n": "↵", "\t": "⇥", " ": "␣", "▁": "␣", "": "∅" };
const SPECIAL = /^<(pad|unk|bos|eos|mask)>$/;

/** What is written for a token. */
export function shown(token) {
  if (token in SIGNS) return SIGNS[token];
  const text = token.replace(/^▁/, "").replaceAll("\n", "↵").replaceAll("\t", "⇥");
  return text.trim() === "" ? text.replaceAll(" ", "␣") || "␣" : text;
}

/** Whether a token stands for no text: the end of a sentence, an unknown word. */
export const isSpecial = (token) => SPECIAL.test(token);
