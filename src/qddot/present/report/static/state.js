/* What every part of the page shares: the data, the state of the arm, and who follows it. */

const DATA = JSON.parse(document.getElementById("report-data").textContent);
const MOVES = typeof KERNELS !== "undefined";
const home = MOVES ? DATA.live.home : [];
const state = { q: [...home], qd: home.map(() => 0) };
const followers = []; // functions to call when the state has changed

const find = (id) => document.getElementById(id);
const put = (id, words) => {
  const place = find(id);
  if (place) place.textContent = words;
};

/** Angles are shown in radians or degrees, as was chosen last; the state is in radians. */
const angles = {
  degrees: false,
  /** How a number with a unit is shown: the unit, and how many of it one of the old is. */
  shown(unit) {
    return this.degrees && unit.startsWith("rad") ? [unit.replace("rad", "°"), 180 / Math.PI] : [unit, 1];
  },
};

/** The switch between radians and degrees, which the browser remembers where it may. */
function angleSwitch() {
  const radios = [...document.querySelectorAll("input[name=angles]")];
  const choose = (unit) => {
    angles.degrees = unit === "deg";
    for (const radio of radios) radio.checked = radio.value === unit;
    for (const part of document.querySelectorAll("[data-angles]")) part.hidden = part.dataset.angles !== unit;
    moved();
  };
  let before = "rad";
  try {
    before = localStorage.getItem("qddot.angles");
  } catch {
    // a page from a disk may not be allowed to
  }
  for (const radio of radios) {
    radio.addEventListener("change", () => {
      choose(radio.value);
      try {
        localStorage.setItem("qddot.angles", radio.value);
      } catch {
        // then nothing is remembered
      }
    });
  }
  if (radios.length) choose(before === "deg" ? "deg" : "rad");
}

/** Tell everybody that the arm is elsewhere, once a picture. */
let told = false;
function moved() {
  if (told) return;
  told = true;
  requestAnimationFrame(() => {
    told = false;
    for (const follow of followers) follow();
  });
}

/** The value that an entry of M, C, g, c or f has now; undefined where the page cannot tell. */
const VALUES = {
  M: () => KERNELS.mass_matrix?.(state.q),
  C: () => KERNELS.coriolis_matrix?.(state.q, state.qd),
  g: () => KERNELS.gravity_torque?.(state.q),
  c: () => KERNELS.velocity_torque?.(state.q, state.qd),
  f: () => KERNELS.friction_torque?.(state.qd),
};
const valueOf = (of, at) => (MOVES ? at.reduce((x, k) => x?.[k], VALUES[of]()) : undefined);
