// The entry: read what Python recorded, and bring the page to life.

import { copyButtons } from "seqloom/copy.js";
import { experiment } from "seqloom/experiment.js";
import { explanation } from "seqloom/explanation.js";
import { themeSwitch } from "seqloom/theme.js";
import { walkthrough } from "seqloom/walkthrough.js";

const data = JSON.parse(document.getElementById("data").textContent);
themeSwitch(document.getElementById("theme"));
({ explanation, experiment, walkthrough })[data.page](data);
copyButtons(document);
