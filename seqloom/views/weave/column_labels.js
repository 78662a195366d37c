// Tokens over or under the columns of a picture: upright where one fits, else turned.

import { pageColour, pageFont } from "seqloom/colour.js";
import { textWidth } from "seqloom/scene.js";
import { shown } from "seqloom/tokens.js";

const LONGEST = 110; // pixels of a label that is turned
const UPRIGHT = 26; // pixels of the row of those that are not
const CHARACTERS = 15;

/** For columns that are `cell` pixels wide. */
export function columnLabels(tokens, cell, size = 14) {
  const font = pageFont("serif");
  const labels = tokens.map((token) => {
    const text = shortened(shown(token));
    const wide = textWidth(text, size, font);
    return { text, wide, turned: text.length > 1 && wide + 4 > cell };
  });
  const height = Math.max(UPRIGHT, ...labels.filter(({ turned }) => turned).map(({ wide }) => Math.min(wide, LONGEST) + 14));
  return {
    height,
    /** `x` is the left of the first column, `y` the edge of the picture that they stand at. */
    draw(scene, x, y, under = false) {
      const how = { fill: pageColour("soft"), size, font };
      labels.forEach(({ text, turned }, at) => {
        const middle = x + (at + 0.5) * cell;
        if (turned) scene.text(middle, under ? y + 8 : y - 6, text, { ...how, anchor: under ? "end" : "start", turn: -90 });
        else scene.text(middle, under ? y + 15 : y - 12, text, how);
      });
    },
  };
}

export const shortened = (text) => (text.length > CHARACTERS ? `${text.slice(0, CHARACTERS - 1)}…` : text);
