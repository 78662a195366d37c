// The views of the studio, in the order of their tabs. A new view is one module and one line here.
//
//   id            in the address, and in the strings of each language
//   there(model)  whether a model has anything to show in it; undefined as long as nothing is trained
//   reads         whether it shows what the model does with a text, so that the text is asked for
//   open(place, studio) -> {changed(now, before), close()}
//
// `studio` has `state`, `words`, `api`, `model()` (what /api/models says of the chosen one) and `input()`, the text
// that is read; `models()` and `checkpoints()` are all that could be chosen.

import { data } from "seqloom/studio/data.js";
import { inside } from "seqloom/studio/inside.js";
import { runs } from "seqloom/studio/runs.js";
import { weave } from "seqloom/studio/weave.js";
import { whatif } from "seqloom/studio/whatif.js";
import { words } from "seqloom/studio/words.js";

export const VIEWS = [weave, whatif, inside, runs, data, words];
