/* Colours: two looks, and light that is mixed as light and shown through a table. */

const LOOKS = {
  light: {
    sky: "#ffffff", edge: "#e7ebf0", grid: "60,72,88", floor: "255,255,255", ink: "#1c2128",
    halo: "rgba(255,255,255,0.78)", link: "#c9ced6", bone: "#8d97a5", trace: "#0072B2",
    shadow: 0.36, ground: 0.4, air: 0.6, key: 0.6, lift: 0,
  },
  dark: {
    sky: "#20252c", edge: "#121519", grid: "190,202,220", floor: "66,76,90", ink: "#e8ebef",
    halo: "rgba(20,23,27,0.72)", link: "#aeb6c1", bone: "#78828f", trace: "#56B4E9",
    shadow: 0.6, ground: 0.2, air: 0.42, key: 0.62, lift: 0.03,
  },
};

const LEVELS = 1023;
const SHOWN = Uint8ClampedArray.from({length: LEVELS + 1},
  (_, k) => Math.round(255 * (k / LEVELS) ** (1 / 2.2)));
const shown = (x) => SHOWN[x >= 1 ? LEVELS : (x * LEVELS) | 0];

const known = new Map();
function linear(hex) {
  if (!known.has(hex)) {
    const full = /^#[0-9a-f]{6}$/i.test(hex) ? hex : "#888888";
    known.set(hex, [1, 3, 5].map((k) => (parseInt(full.slice(k, k + 2), 16) / 255) ** 2.2));
  }
  return known.get(hex);
}
