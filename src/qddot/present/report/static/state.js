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
