/** How numbers, angles and units are written. */

const NOISE = 1e-12; // below this a number is rounding, or this part of the largest beside it
const SMALL = 5e-5; // below this four decimals show nothing

/** Return a number in about five characters: 0.0123, 1.234, 12.34, 123.4, 1.2e−6, 1.23e6. `most` is the largest beside it. */
export function short(x, most = 1) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size < NOISE * Math.max(1, most)) return "0";
  if (size < SMALL) return minus(x.toExponential(1));
  if (size >= 99999.5) return minus(x.toExponential(2).replace("e+", "e"));
  const decimals = size < 0.99995 ? 4 : size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
  return minus(x.toFixed(decimals));
}

/** Return a number to so many significant digits; what is below `noise` is 0. */
export function exact(x, digits = 7, noise = NOISE) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (Math.abs(x) < noise) return "0";
  return minus(String(Number(x.toPrecision(digits))));
}

/** Return a number in words with a minus sign where it has one; what is rounded to zero has none. */
export const minus = (words) => (/^-[0.]+$/.test(words) ? words.slice(1) : words.replaceAll("-", "−"));

/** Return 12 as ₁₂. */
export const subscript = (k) => String(k).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);

/** Return what the browser's number fields want: a plain decimal without noise. */
export const plain = (x, decimals = 4) => String(Number(x.toFixed(decimals)));

const REMEMBERED = "qddot.angles"; // "deg" or "rad"

/** Angles are shown in radians or degrees, as was chosen last; everything else, and every message, is SI. */
export const angles = {
  degrees: false,
  /** Choose "rad" or "deg", for this page and the next ones. */
  choose(unit) {
    this.degrees = unit === "deg";
    try {
      localStorage.setItem(REMEMBERED, unit);
    } catch {
      // a browser may forbid it; then nothing is remembered
    }
  },
  /** Return what was chosen last. */
  remembered() {
    try {
      return localStorage.getItem(REMEMBERED) === "deg" ? "deg" : "rad";
    } catch {
      return "rad";
    }
  },
  /** Return how a number with one of the server's units, "rad", "m" or "", is shown: its unit, and the factor. */
  shown(unit) {
    return unit === "rad" ? [this.unit(true), this.factor(true)] : [unit, 1];
  },
  factor(turns) {
    return turns && this.degrees ? 180 / Math.PI : 1;
  },
  /** Return the unit of the order-th rate of a joint. */
  unit(turns, order = 0) {
    const first = turns ? (this.degrees ? "°" : "rad") : "m";
    return first + ["", "/s", "/s²"][order];
  },
};

/** Return the unit of an entry of M, C, g or c, which depends on how the joints move. */
export function unitOf(matrix, joints, row, column) {
  const turning = Number(joints[row].turns);
  if (matrix === "g" || matrix === "c") return turning ? "N·m" : "N";
  const metres = ["kg", "kg·m", "kg·m²"][turning + Number(joints[column].turns)];
  return matrix === "C" ? `${metres}/s` : metres;
}

/** Return round numbers between two, about as many as wanted. */
export function ticks(low, high, wanted = 4) {
  const raw = (high - low) / wanted || 1;
  const ten = 10 ** Math.floor(Math.log10(raw));
  const part = raw / ten;
  const step = ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return found.map((x) => [x, minus(Math.abs(x) >= 1e5 ? x.toExponential(0) : x.toFixed(Math.min(decimals, 6)))]);
}
