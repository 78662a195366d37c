// The page of a comparison: charts, and the attention of every model side by side.

import { attentionMaps } from "seqloom/attention.js";
import { experiment } from "seqloom/experiment.js";
import { themeSwitch } from "seqloom/theme.js";

export function comparison() {
  const data = JSON.parse(document.getElementById("data").textContent);
  themeSwitch(document.getElementById("theme"));
  experiment(data);
  attentionMaps(data.maps);
}
