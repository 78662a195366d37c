// The words of the studio and of what is drawn there, in each language: one file for each, with the same names.

import english from "seqloom/strings-en.js";
import chinese from "seqloom/strings-zh.js";

/** The words of a language. */
export const words = (code) => ({ en: english, zh: chinese })[code];
