/* The arm under the reader's hands: sliders in, numbers out, a fall if it is let go. */

const STEP = 1e-3; // [s] of the fall
const BOUNCE = 0.3; // restitution of the stops at the limits
const ROUNDED = 1e-3; // of a slider's length, what a field leaves of a number
const NEAR = 1 / 200; // of a slider's length round 0, where it is taken for 0
const LONGEST = 0.05; // [s] of the fall in one picture, where the machine is slow

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
      if (document.activeElement !== input || fall.running) input.value = value;
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
    fall.stop("");
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
      put("let-go-status", beyond ? `${asked} is ${entered > high ? "above" : "below"} ${end}, where this slider ends.` : "");
    });
  }
  for (const id of ["show-bodies", "show-torques", "show-mass"]) find(id)?.addEventListener("change", picture);
  coriolis?.addEventListener("toggle", numbers);

  const fall = falling(find("let-go"), (words) => put("let-go-status", words));
  find("reset").addEventListener("click", () => {
    fall.stop("");
    state.q = [...home];
    state.qd = home.map(() => 0);
    moved();
  });
  followers.push(picture, numbers, handles);
}

/** One step of the classical Runge–Kutta method without torques. */
function stepped({ q, qd }, h) {
  const none = q.map(() => 0), rate = (x, v) => KERNELS.forward_dynamics(x, v, none);
  const a1 = rate(q, qd);
  const v2 = plus(qd, a1, h / 2), a2 = rate(plus(q, qd, h / 2), v2);
  const v3 = plus(qd, a2, h / 2), a3 = rate(plus(q, v2, h / 2), v3);
  const v4 = plus(qd, a3, h), a4 = rate(plus(q, v3, h), v4);
  const mean = (x, a, b, c, d) => x.map((y, i) => y + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
  return { q: mean(q, qd, v2, v3, v4), qd: mean(qd, a1, a2, a3, a4) };
}

/** Return the rates after joints that pass their limits have met their stops.

    An impulse at one joint changes all rates, by its column of the inverse of M:

        qd ← qd − (1 + e) qd_i / M⁻¹_ii · M⁻¹ e_i                                              */
function bounced({ q, qd }) {
  let now = qd;
  DATA.live.joints.forEach((joint, i) => {
    const beyond = q[i] > joint.high ? 1 : q[i] < joint.low ? -1 : 0;
    if (!joint.limited || beyond * now[i] <= 0) return;
    const one = q.map((_, k) => (k === i ? 1 : 0)), none = q.map(() => 0);
    const column = plus(KERNELS.forward_dynamics(q, none, one), KERNELS.forward_dynamics(q, none, none), -1);
    now = plus(now, column, (-(1 + BOUNCE) * now[i]) / column[i]);
  });
  return now;
}

/** The button that lets the arm go and holds it again. */
function falling(button, say) {
  const fall = { running: false, stop };
  if (!button) return fall;
  let time = 0, before = null, start = 0, lost = 0;
  const kinetic = (qd) => KERNELS.kinetic_energy(state.q, qd);
  const energy = () => kinetic(state.qd) + KERNELS.potential_energy(state.q);
  const power = () => KERNELS.friction_torque(state.qd).reduce((sum, f, i) => sum + f * state.qd[i], 0);

  function stop(words) {
    if (!fall.running) return;
    fall.running = false;
    button.textContent = "Let go";
    if (words !== undefined) say(words);
  }

  function advance() {
    const spent = power(), next = stepped(state, STEP);
    if (![...next.q, ...next.qd].every(Number.isFinite)) return false;
    Object.assign(state, next);
    lost += (STEP * (spent + power())) / 2;
    const after = bounced(state);
    if (after !== state.qd) {
      lost += kinetic(state.qd) - kinetic(after);
      state.qd = after;
    }
    time += STEP;
    return true;
  }

  function picture(now) {
    if (!fall.running) return;
    const span = Math.min(before === null ? 0 : (now - before) / 1000, LONGEST);
    before = now;
    for (let k = Math.round(span / STEP); k > 0; k--) if (!advance()) return stop("It cannot be computed any further.");
    const drift = energy() + lost - start;
    say(`${time.toFixed(1)} s: energy ${digits(energy())} J, lost ${digits(lost)} J, unaccounted for ${drift.toExponential(0).replaceAll("-", "−")} J`);
    moved();
    requestAnimationFrame(picture);
  }

  button.addEventListener("click", () => {
    if (fall.running) return stop();
    fall.running = true;
    button.textContent = "Hold";
    [time, before, start, lost] = [0, null, energy(), 0];
    requestAnimationFrame(picture);
  });
  return fall;
}
