// What can be chosen as a model: the models, and runs as they were at earlier steps.

import { element } from "seqloom/dom.js";

/** Models to choose from, and below them what they were at earlier steps. */
export function modelOptions(models, checkpoints, words) {
  const option = (value, text) => element("option", { value }, text);
  const kept = checkpoints.map((one) => option(one.name, words.ask.at_step(one.of, one.step.toLocaleString(words.code))));
  return [...models.map(({ name }) => option(name, name)), ...(kept.length ? [element("optgroup", { label: words.ask.checkpoints }, ...kept)] : [])];
}
