/* Colours of the room, of light and of dark pages; light is mixed as light. */

const LOOKS = {
  light: {
    sky: "#fbfcfd", edge: "#dde2e9", grid: "#3c4858", ink: "#1c2128",
    halo: "rgba(255,255,255,0.78)", link: "#c9ced6", bone: "#8d97a5", trace: "#0072B2",
    shadow: 0.5, lines: 0.3, air: 0.66, ground: 0.3, key: 2.0, exposure: 0.84,
  },
  dark: {
    sky: "#262c34", edge: "#121519", grid: "#becadc", ink: "#e8ebef",
    halo: "rgba(20,23,27,0.72)", link: "#aeb6c1", bone: "#78828f", trace: "#56B4E9",
    shadow: 0.62, lines: 0.3, air: 0.42, ground: 0.16, key: 1.7, exposure: 0.66,
  },
};

const AXES = ["#d62f2f", "#2c9f45", "#2b6fd6"]; // x, y, z of a frame

const known = new Map();
function linear(hex) {
  if (!known.has(hex)) {
    const full = /^#[0-9a-f]{6}$/i.test(hex) ? hex : "#888888";
    known.set(hex, [1, 3, 5].map((k) => (parseInt(full.slice(k, k + 2), 16) / 255) ** 2.2));
  }
  return known.get(hex);
}
