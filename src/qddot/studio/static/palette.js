/** Colours of joints, the same on sliders, in plots and on the arm; the colour-blind can tell them. */

// M. Okabe, K. Ito, Color universal design, 2002; the seventh is black there, which a dark page hides
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"];
const DASHES = [[], [6, 3], [2, 2], [7, 2, 2, 2]];

export const colour = (i) => COLOURS[i % COLOURS.length];
export const dashes = (i) => DASHES[Math.floor(i / COLOURS.length) % DASHES.length];

const known = new Map(); // asking the page for a colour makes it compute all its styles

/** Return a custom property of the page's style, such as "--ink". */
export function property(name) {
  if (!known.has(name)) known.set(name, getComputedStyle(document.body).getPropertyValue(name).trim());
  return known.get(name);
}

/** Call back when the page turns dark or light. */
export function onScheme(listener) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    known.clear();
    listener();
  });
}
