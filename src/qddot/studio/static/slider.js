/** A slider with its number field: one value, two ways to set it. */

import { fill, remark } from "./elements.js";
import { minus, plain } from "./numbers.js";

export class Slider {
  /**
   * `changed(value, done)` is told every change; `done` is false while a drag goes on.
   * `begun()` is told once before a drag or an entry changes anything.
   */
  constructor(range, field, { changed, begun = () => {} }) {
    this.range = range;
    this.field = field;
    this.decimals = 4;
    this.stop = [Infinity, -Infinity];
    this.log = false;
    let dragging = false;
    const begin = () => {
      if (!dragging) begun();
      dragging = true;
    };
    const end = () => (dragging = false);
    range.addEventListener("input", () => {
      begin();
      remark(field, "");
      const value = this.value();
      this.show(value);
      changed(value, false);
    });
    range.addEventListener("change", () => {
      end();
      changed(this.value(), true);
    });
    range.addEventListener("blur", end);
    field.addEventListener("change", () => {
      const entered = field.valueAsNumber;
      const value = this.within(entered);
      const [least, most] = this.stop.map((x) => minus(plain(x, this.decimals)));
      const beyond = Number.isFinite(entered) && value !== entered;
      remark(field, beyond ? `${minus(plain(entered))} is ${entered > value ? `above the limit ${most}` : `below the limit ${least}`}` : "");
      begun();
      this.show(value);
      changed(value, true);
    });
    // Enter in a field is an entry, not a submission of anything else
    field.addEventListener("keydown", (event) => event.key === "Enter" && field.blur());
  }

  /** Return where the slider is; of a logarithmic one to three digits. */
  value() {
    const at = Number(this.range.value);
    return this.log ? Number((10 ** at).toPrecision(3)) : at;
  }

  /** Set the ends of the slider, those of the field (null: none), how fine both are, and whether it is logarithmic. */
  between(low, high, { least = null, most = null, step = "any", decimals = 4, log = false } = {}) {
    this.log = log;
    [this.range.min, this.range.max, this.range.step] = [this.along(low), this.along(high), "any"];
    this.field.min = least ?? "";
    this.field.max = most ?? "";
    this.field.step = step;
    this.decimals = decimals;
    this.stop = [least ?? -Infinity, most ?? Infinity];
    this.ends = [this.along(Number(low)), this.along(Number(high))];
  }

  /** Return where on the slider a value is. */
  along(value) {
    return this.log ? Math.log10(Math.max(value, Number.MIN_VALUE)) : value;
  }

  within(value) {
    if (!Number.isFinite(value)) return this.value();
    return Math.min(Math.max(value, this.stop[0]), this.stop[1]);
  }

  show(value) {
    // as many decimals as the field has room for
    const words = this.log ? String(Number(value.toPrecision(4))) : plain(value, Math.max(0, this.decimals - Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)))));
    fill(this.field, words);
    this.range.value = this.along(value);
    this.paint(value);
  }

  /** Colour the track from zero to the value. */
  paint(value) {
    const [low, high] = this.ends ?? [Number(this.range.min), Number(this.range.max)];
    const part = (x) => Math.min(100, Math.max(0, (100 * (x - low)) / (high - low || 1)));
    const [zero, here] = [this.log ? 0 : part(0), part(this.along(value))];
    this.range.style.setProperty("--from", `${Math.min(zero, here)}%`);
    this.range.style.setProperty("--to", `${Math.max(zero, here)}%`);
  }
}
