// The page of a comparison: charts, and the attention of every model side by side.

import { experiment } from "seqloom/experiment.js";
import { themeSwitch } from "seqloom/theme.js";
import { showRuns } from "seqloom/weave/page.js";

export function comparison() {
  const data = JSON.parse(document.getElementById("data").textContent);
  themeSwitch(document.getElementById("theme"));
  experiment(data);
  showRuns(data.runs, document.documentElement.lang); // the page is written in one language
}
