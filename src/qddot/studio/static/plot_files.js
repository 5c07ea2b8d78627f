/** The plots as files: a table of their curves, the run as JSON, a picture. */

import { property } from "./palette.js";

const quoted = (words) => (/[",\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words);

/** Return the curves that share the motion's times, as CSV: SI units, or degrees where the page shows them. */
export function csvOf(motion, drawn) {
  const columns = [["t [s]", motion.t]];
  for (const [name, [curves]] of Object.entries(drawn))
    for (const curve of curves)
      if (!curve.t && !curve.beyond) columns.push([`${name}: ${curve.name}${curve.unit ? ` [${curve.unit}]` : ""}`, curve.values]);
  const rows = motion.t.map((_, k) => columns.map(([, values]) => values[k] ?? "").join(","));
  return `${columns.map(([name]) => quoted(name)).join(",")}\n${rows.join("\n")}\n`;
}

/** Return a run with its figures and what it was made from, as JSON in SI units. */
export function jsonOf(motion, state) {
  const { id, is, arm, scenes, ...run } = motion;
  return `${JSON.stringify({ made_by: "qddot studio", state, run })}\n`;
}

/** Return a picture of some plots, one below or beside the other as they stand on the page. */
export function pngOf(grid, plots) {
  const outer = grid.getBoundingClientRect();
  const ratio = devicePixelRatio || 1;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(outer.width * ratio), Math.ceil(outer.height * ratio)];
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = property("--paper") || "white";
  pen.fillRect(0, 0, outer.width, outer.height);
  pen.font = "600 11.5px system-ui, sans-serif";
  for (const { canvas: drawn, heading } of plots) {
    const [at, title] = [drawn.getBoundingClientRect(), heading.getBoundingClientRect()];
    pen.drawImage(drawn, at.left - outer.left, at.top - outer.top, at.width, at.height);
    pen.fillStyle = property("--ink");
    pen.fillText(heading.textContent, title.left - outer.left + 8, title.bottom - outer.top - 4);
  }
  return canvas.toDataURL("image/png");
}
