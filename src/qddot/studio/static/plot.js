/** One small plot on a canvas: curves over time, a cursor that moves, values where the pointer is. */

import { make } from "./elements.js";
import { short, ticks } from "./numbers.js";
import { property } from "./palette.js";

const EDGE = { left: 46, right: 10, top: 6, bottom: 18 }; // [px]
const AIR = 0.06; // above and below the curves, in parts of their range
const FLAT = 1e-9; // of its size: a curve that moves less is a constant
const GAP = 6; // [px] between two times
const NEAR = 4; // [px] from an event, and its words are shown
const LETTERS = "10.5px system-ui, sans-serif";

export class Plot {
  /** `hovered(t)` is told where the pointer is (null: away), `sought(t)` where it was pressed. */
  constructor(title, { hovered, sought }) {
    this.title = title;
    this.canvas = make("canvas", { role: "img" });
    this.heading = make("figcaption");
    this.values = make("div", { class: "values", hidden: true });
    this.element = make("figure", { class: "plot" }, this.heading, this.canvas, this.values);
    this.still = document.createElement("canvas");
    this.curves = [];
    this.events = [];
    this.t = [0, 1];
    const at = (event) => this.time(event.clientX - this.canvas.getBoundingClientRect().left);
    this.canvas.addEventListener("pointermove", (event) => {
      hovered(at(event), this);
      if (event.buttons) sought(at(event));
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      sought(at(event));
    });
    this.canvas.addEventListener("pointerleave", () => hovered(null, this));
  }

  /**
   * Give the plot its curves: {name, colour, dashes, values, faint, hidden}, over the times t or times `t` of their own.
   * One that is `beyond` is drawn where it is in view, and makes no room for itself.
   */
  set(t, curves, unit, events = []) {
    this.t = t;
    this.curves = curves;
    this.unit = unit;
    this.events = events;
    const words = unit ? `${this.title}, ${unit}` : this.title;
    this.heading.replaceChildren(words);
    const named = curves.filter((curve) => !curve.faint).map((curve) => curve.name);
    this.canvas.setAttribute("aria-label", `${words} over time, ${short(t[0])} s to ${short(t[t.length - 1])} s: ${named.join(", ")}`);
    this.resize();
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.max(1, Math.round(this.width * ratio));
      canvas.height = Math.max(1, Math.round(this.height * ratio));
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.draw();
  }

  x(t) {
    const [from, to] = [this.t[0], this.t[this.t.length - 1]];
    return EDGE.left + ((t - from) / (to - from || 1)) * (this.width - EDGE.left - EDGE.right);
  }

  y(value) {
    const [low, high] = this.range;
    return this.height - EDGE.bottom - ((value - low) / (high - low)) * (this.height - EDGE.top - EDGE.bottom);
  }

  time(x) {
    const [from, to] = [this.t[0], this.t[this.t.length - 1]];
    const part = (x - EDGE.left) / (this.width - EDGE.left - EDGE.right);
    return from + Math.min(1, Math.max(0, part)) * (to - from);
  }

  upright(t) {
    return [[this.x(t), EDGE.top], [this.x(t), this.height - EDGE.bottom]];
  }

  /** Draw all that does not move. */
  draw() {
    const pen = this.still.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    if (this.width < 80 || this.height < 40) return;
    const shown = this.curves.filter((curve) => !curve.hidden);
    this.range = range(shown.filter((curve) => !curve.beyond));
    const [ink, quiet, faint] = ["--ink", "--quiet", "--faint"].map(property);
    pen.font = LETTERS;
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    for (const [value, words] of ticks(...this.range, this.height < 110 ? 3 : 4)) {
      const y = Math.round(this.y(value)) + 0.5;
      line(pen, [[EDGE.left, y], [this.width - EDGE.right, y]], value === 0 ? quiet : faint, value === 0 ? 0.8 : 1);
      pen.fillStyle = quiet;
      pen.textAlign = "right";
      pen.fillText(words, EDGE.left - 6, y);
    }
    this.drawTimes(pen, quiet);
    for (const event of this.events) line(pen, this.upright(event.t), faint, 1, [2, 2]);
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, 0, this.width - EDGE.left - EDGE.right + 1, this.height);
    pen.clip();
    for (const curve of shown) {
      pen.globalAlpha = curve.t ? 0.8 : curve.faint ? 0.55 : 1;
      const points = curve.values.map((value, k) => (value === null ? null : [this.x((curve.t ?? this.t)[k]), this.y(value)]));
      line(pen, points, curve.colour === "ink" ? ink : curve.colour, curve.faint ? 1 : 1.5, curve.dashes);
    }
    pen.restore();
    this.cursor(this.now ?? null, this.hover ?? null);
  }

  /** Write the times under the plot, the last with its unit, none over another. */
  drawTimes(pen, colour) {
    pen.textBaseline = "alphabetic";
    pen.fillStyle = colour;
    let free = this.width + GAP;
    const marks = ticks(this.t[0], this.t[this.t.length - 1], this.width / 55);
    for (const [k, [value, words]] of [...marks.entries()].reverse()) {
      const text = k === marks.length - 1 ? `${words} s` : words;
      const wide = pen.measureText(text).width;
      const left = Math.min(this.x(value) - wide / 2, this.width - wide - 2);
      if (left + wide > free - GAP) continue;
      pen.textAlign = "left";
      pen.fillText(text, left, this.height - 5);
      free = left;
    }
  }

  /** Draw the cursor at a time, and a thin line where the pointer is. */
  cursor(now, hover) {
    [this.now, this.hover] = [now, hover];
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    if (this.still.width > 1) pen.drawImage(this.still, 0, 0, this.width, this.height);
    if (hover !== null) line(pen, this.upright(hover), property("--quiet"), 1, [3, 3]);
    if (now === null) return;
    line(pen, this.upright(now), property("--accent"), 1.5);
    for (const curve of this.curves) {
      if (curve.hidden || curve.faint) continue;
      const value = sample(this.t, curve.values, now);
      if (value === null) continue;
      pen.beginPath();
      pen.arc(this.x(now), this.y(value), 2.6, 0, 2 * Math.PI);
      pen.fillStyle = curve.colour;
      pen.fill();
    }
  }

  /** Show the values of the curves where the pointer is. */
  read(t) {
    this.values.hidden = t === null;
    if (t === null) return;
    const rows = this.curves.filter((curve) => !curve.hidden && !curve.beyond).map((curve) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", curve.colour);
      return make("div", {}, dot, make("span", { text: curve.name }), make("b", { text: short(sample(curve.t ?? this.t, curve.values, t)) }));
    });
    const near = this.events.filter((event) => Math.abs(this.x(event.t) - this.x(t)) < NEAR).slice(0, 3);
    this.values.replaceChildren(
      make("div", { class: "when", text: `${t.toFixed(2)} s` }), ...rows, ...near.map(({ text }) => make("div", { class: "event", text })),
    );
    const right = this.x(t) > this.width / 2;
    this.values.style.left = right ? "" : `${this.x(t) + 10}px`;
    this.values.style.right = right ? `${this.width - this.x(t) + 10}px` : "";
  }
}

/** Return the row at or before a time. */
export function rowAt(t, time) {
  let [low, high] = [0, t.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Return a value between two rows. */
export function sample(t, values, time) {
  const k = rowAt(t, time);
  const [a, b] = [values[k], values[Math.min(k + 1, t.length - 1)]];
  if (a === null || b === null || t[k + 1] === undefined) return a;
  return a + ((time - t[k]) / (t[k + 1] - t[k] || 1)) * (b - a);
}

function range(curves) {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of curves)
    for (const value of values)
      if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [-1, 1];
  const middle = (low + high) / 2;
  // a constant gets room of its own size, so that rounding is not a mountain range
  const flat = high - low < FLAT * Math.max(1, Math.abs(middle));
  const half = flat ? Math.max(1, 0.1 * Math.abs(middle)) : (high - low) / 2;
  return [middle - half * (1 + 2 * AIR), middle + half * (1 + 2 * AIR)];
}

function line(pen, points, colour, width, dash = []) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.setLineDash(dash);
  pen.beginPath();
  let down = false;
  for (const point of points) {
    if (!point) down = false;
    else if (down) pen.lineTo(...point);
    else {
      pen.moveTo(...point);
      down = true;
    }
  }
  pen.stroke();
  pen.setLineDash([]);
}
