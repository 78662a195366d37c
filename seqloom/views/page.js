// The entry: read what Python recorded, and bring the page to life.

import { experiment } from "seqloom/experiment.js";
import { explanation } from "seqloom/explanation.js";
import { themeSwitch } from "seqloom/theme.js";

const data = JSON.parse(document.getElementById("data").textContent);
themeSwitch(document.getElementById("theme"));
({ explanation, experiment })[data.page](data);
