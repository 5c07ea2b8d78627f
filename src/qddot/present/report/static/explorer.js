/* The arm under the reader's hands: sliders in, numbers out. */

const ROUNDED = 1e-3; // of a slider's length, what a field leaves of a number
const NEAR = 1 / 200; // of a slider's length round 0, where it is taken for 0

function explorer() {
  const root = find("explorer");
  if (!root) return;
  const view = new ArmView(find("arm"), { label: find("arm").getAttribute("aria-label") });
  const inputs = [...root.querySelectorAll("input[type=range]")];
  const cells = [...root.querySelectorAll(".entry")].map((button) => ({
    button, of: button.dataset.of, at: button.dataset.at.split(",").map(Number),
  }));
  const coriolis = root.querySelector("details.coriolis");
  const on = (id) => find(id)?.checked ?? false;

  function picture() {
    view.show(sceneAt(state.q, {
      bodies: on("show-bodies"), torques: on("show-torques"), ellipsoid: on("show-mass"),
    }));
  }

  function numbers() {
    const { q, qd } = state, M = KERNELS.mass_matrix?.(q);
    const shown = { M, g: KERNELS.gravity_torque?.(q), c: KERNELS.velocity_torque?.(q, qd), f: KERNELS.friction_torque?.(qd) };
    if (coriolis?.open) shown.C = KERNELS.coriolis_matrix(q, qd);
    const most = {};
    for (const [of, values] of Object.entries(shown)) most[of] = Math.max(...(values ?? []).flat().map(Math.abs), 1e-300);
    for (const { button, of, at } of cells) {
      if (!shown[of]) continue;
      const value = at.reduce((x, k) => x[k], shown[of]), words = digits(value, 4, most[of]);
      if (button.textContent === words) continue;
      button.textContent = words;
      // the larger, the darker; by its root, so that small ones are told apart
      button.style.setProperty("--part", Math.sqrt(Math.abs(value) / most[of]).toFixed(2));
    }
    if (M) {
      const { values } = eigen(M);
      const ends = values.length > 8 ? [...values.slice(0, 3), null, ...values.slice(-3)] : values;
      put("eigenvalues", ends.map((x) => (x === null ? "…" : digits(x))).join("   "));
      put("condition", digits(values[values.length - 1] / values[0]));
    }
    if (KERNELS.kinetic_energy) put("kinetic", `${digits(KERNELS.kinetic_energy(q, qd))} J`);
    if (KERNELS.potential_energy) put("potential", `${digits(KERNELS.potential_energy(q))} J`);
    if (KERNELS.mobility) put("masses", `${principalMasses(q).masses.map((m) => digits(m)).join("   ")} kg`);
  }

  function handles() {
    for (const input of inputs) {
      const value = state[input.dataset.kind][input.dataset.index];
      if (document.activeElement !== input) input.value = value;
      const field = input.nextElementSibling, [unit, factor] = angles.shown(input.dataset.unit);
      const words = field.nextElementSibling;
      if (words.textContent !== unit) {
        words.textContent = unit;
        field.setAttribute("aria-label", field.getAttribute("aria-label").replace(/[^,]*$/, ` ${unit}`));
        field.step = factor === 1 ? 0.01 : 1;
      }
      if (document.activeElement !== field) field.value = String(Number((value * factor).toFixed(factor === 1 ? 3 : 2)));
    }
  }

  function set(input, value) {
    put("slider-status", "");
    state[input.dataset.kind][input.dataset.index] = value;
    moved();
  }
  for (const input of inputs) {
    const [low, high] = [Number(input.min), Number(input.max)], field = input.nextElementSibling;
    input.addEventListener("input", () => {
      // pixels seldom fall on 0, where an arm is at rest and dry friction is none
      if (Math.abs(input.value) < NEAR * (high - low)) input.value = 0;
      set(input, Number(input.value));
    });
    field.addEventListener("change", () => {
      const [unit, factor] = angles.shown(input.dataset.unit), entered = field.valueAsNumber / factor;
      if (!Number.isFinite(entered)) return moved();
      // an end of the slider that was typed as it is shown is not beyond it
      const value = within(entered, low, high), beyond = Math.abs(value - entered) > ROUNDED * (high - low);
      set(input, value);
      field.value = String(Number((value * factor).toFixed(factor === 1 ? 3 : 2)));
      const [asked, end] = [entered, value].map((x) => `${digits(x * factor)} ${unit}`);
      put("slider-status", beyond ? `${asked} is ${entered > high ? "above" : "below"} ${end}, where this slider ends.` : "");
    });
  }
  for (const id of ["show-bodies", "show-torques", "show-mass"]) find(id)?.addEventListener("change", picture);
  coriolis?.addEventListener("toggle", numbers);

  find("reset").addEventListener("click", () => {
    put("slider-status", "");
    state.q = [...home];
    state.qd = home.map(() => 0);
    moved();
  });
  followers.push(picture, numbers, handles);
}
