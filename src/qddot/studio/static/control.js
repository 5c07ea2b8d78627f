/** What a law is to do and what it knows: the panel of control. The state of it is `setup`. */

import { fill, find, make, options, write } from "./elements.js";
import { Gains } from "./gains.js";
import { angles, plain } from "./numbers.js";
import { Slider } from "./slider.js";

const USUAL = "computed_torque";
const OF_JOINTS = ["sine", "fourier"]; // references that a law of a frame cannot follow
const TARGETED = ["setpoint", "move"];
const PLACED = ["line", "pose"];
const PATIENCE = 150; // [ms] after the last change, before the law is asked about again

/** Return how the panel is when nobody has touched it. */
export const unset = () => ({
  law: USUAL,
  gains: {},
  reference: { kind: "move", joints: null, place: null, turn: null, amplitude: 0.2, frequency: 0.5 },
  model: { payload: null, friction: 1, masses: 1, lengths: 1 },
  sampling: { period: null, delay: 0, noise_q: 0, noise_qd: 0 },
  effort: true,
});

const spoken = (name) => name.replaceAll("_", " ");

export class Control {
  /**
   * `changed()` is told after each change and `begun()` before; `ask(question)` asks the server about a law;
   * `pose()` is what the sliders show.
   */
  constructor({ changed, begun, ask, pose }) {
    this.told = { changed, begun, ask, pose };
    this.laws = [];
    this.setup = unset();
    this.seen = { place: [0, 0, 0], turn: [0, 0, 0] }; // where the frame is on the screen
    this.gains = new Gains({ begun, changed: () => this.set({ gains: { ...this.gains.given } }) });
    const picked = (id, listener) => find(id).addEventListener("change", () => {
      begun();
      listener(find(id).value);
    });
    picked("law", (law) => {
      const { reference } = this.setup;
      const lost = OF_JOINTS.includes(reference.kind) && this.laws.find(({ name }) => name === law)?.moves === "frame";
      this.set({ law, gains: {}, reference: lost ? { ...reference, kind: "hold" } : reference }, true);
    });
    picked("reference", (kind) => this.refer({ kind }));
    find("target-here").addEventListener("click", () => {
      begun();
      this.refer({ joints: [...pose().q], place: [...this.seen.place], turn: [...this.seen.turn] });
    });
    this.vectors("place", () => 1);
    this.vectors("turn", () => angles.factor(true));
    this.entry("amplitude", (value) => this.refer({ amplitude: Math.max(0, value) / angles.factor(true) }));
    this.entry("frequency", (value) => this.refer({ frequency: Math.max(0.01, value) }));
    this.models();
    this.entry("period", (value) => this.sample({ period: value > 0 ? value : null }), true);
    this.entry("delay", (value) => this.sample({ delay: Math.min(1000, Math.max(0, value)) }));
    this.entry("noise-q", (value) => this.sample({ noise_q: Math.max(0, value) }));
    this.entry("noise-qd", (value) => this.sample({ noise_qd: Math.max(0, value) }));
    find("effort").addEventListener("change", () => {
      begun();
      this.set({ effort: find("effort").checked });
    });
  }

  /** Offer the laws that the server has. */
  offer(laws) {
    this.laws = laws;
    options(find("law"), laws.map(({ name, words }) => [name, spoken(name), words]), this.setup.law);
  }

  get law() {
    return this.laws.find(({ name }) => name === this.setup.law) ?? this.laws[0];
  }

  /** A robot came; `setup` is what an address or a file asked for. */
  build(robot, setup = null) {
    const kept = setup ?? { ...this.setup, gains: {}, reference: { ...this.setup.reference, joints: null, place: null, turn: null } };
    this.robot = robot;
    this.gains.clear();
    this.fields = robot.joints.map((joint, i) => {
      const field = make("input", { type: "number", step: 0.05, "aria-label": `Target of ${joint.name}` });
      field.addEventListener("change", () => {
        const value = (field.valueAsNumber || 0) / angles.factor(joint.turns);
        this.told.begun();
        this.refer({ joints: this.target.map((x, k) => (k === i ? value : x)) });
      });
      return field;
    });
    find("target-fields").replaceChildren(
      ...robot.joints.map((joint, i) => make("label", { title: joint.name }, make("span", { text: `q${i + 1}` }), this.fields[i])),
    );
    find("known-payload-slider").disabled = false;
    this.put(kept, true);
  }

  /** The frame on the screen is here. */
  at({ tip, rpy }) {
    this.seen = { place: tip, turn: rpy };
  }

  /** Return the target of the joints: the robot's start where none was set. */
  get target() {
    const { joints } = this.setup.reference;
    return joints?.length === this.robot.n ? joints : this.robot.q;
  }

  /** Show another setup, without telling anybody. */
  put(setup, again = false) {
    const other = again || setup.law !== this.setup.law;
    const start = unset();
    this.setup = { ...start, ...setup, ...Object.fromEntries(["reference", "model", "sampling"].map((key) => [key, { ...start[key], ...setup[key] }])) };
    if (!this.laws.some(({ name }) => name === this.setup.law) && this.laws.length) this.setup.law = USUAL;
    if (!other) this.gains.put(this.setup.gains);
    this.show();
    if (other) this.learn();
  }

  set(part, other = false) {
    this.setup = { ...this.setup, ...part };
    this.show();
    if (other) this.learn();
    this.told.changed();
  }

  refer(part) {
    const reference = { ...this.setup.reference, ...part };
    if (PLACED.includes(reference.kind)) {
      reference.place ??= [...this.seen.place];
      reference.turn ??= [...this.seen.turn];
    }
    this.set({ reference });
  }

  know(part) {
    this.set({ model: { ...this.setup.model, ...part } });
    this.learnSoon();
  }

  sample(part) {
    this.set({ sampling: { ...this.setup.sampling, ...part } });
  }

  // what stands in the panel

  /** Have a number field tell its value; an empty one may mean none. */
  entry(id, listener, empty = false) {
    const field = find(id);
    field.addEventListener("change", () => {
      if (!Number.isFinite(field.valueAsNumber) && !empty) return this.show();
      this.told.begun();
      listener(Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : 0);
    });
    field.addEventListener("keydown", (event) => event.key === "Enter" && field.blur());
  }

  vectors(id, factor) {
    const fields = [...find(id).querySelectorAll("input")];
    fields.forEach((field, i) =>
      field.addEventListener("change", () => {
        this.told.begun();
        const now = this.setup.reference[id] ?? this.seen[id];
        this.refer({ [id]: now.map((x, k) => (k === i ? (field.valueAsNumber || 0) / factor() : x)) });
      }),
    );
  }

  models() {
    const slider = (name, low, high, to, more) => {
      const found = new Slider(find(`known-${name}-slider`), find(`known-${name}`), { begun: this.told.begun, changed: (value) => this.know({ [name]: to(value) }) });
      found.between(low, high, { step: 1, decimals: 3, ...more });
      return found;
    };
    const off = (value) => Number((1 + value / 100).toFixed(6));
    this.known = {
      payload: slider("payload", 0, 10, (value) => value, { least: 0, step: 0.1 }),
      friction: slider("friction", 0, 200, (value) => Number((value / 100).toFixed(6)), { least: 0, most: 10_000 }),
      masses: slider("masses", -50, 50, off, { least: -99, most: 900 }),
      lengths: slider("lengths", -20, 20, off, { least: -99, most: 900 }),
    };
    find("knows-all").addEventListener("click", () => {
      this.told.begun();
      this.know(unset().model);
    });
  }

  show() {
    const { law, setup } = this;
    if (!law || !this.robot) return;
    const { reference, model, sampling } = setup;
    find("law").value = setup.law;
    write(find("law-words"), law.words);
    write(find("law-equation"), law.equation);
    write(find("law-model"), `Its model is ${law.model}.`);
    for (const option of find("reference").options) option.disabled = law.moves === "frame" && OF_JOINTS.includes(option.value);
    find("reference").value = reference.kind;
    const aimed = TARGETED.includes(reference.kind);
    find("target").hidden = !aimed;
    find("target-buttons").hidden = !aimed && !PLACED.includes(reference.kind);
    find("unset").hidden = !aimed || Boolean(reference.joints);
    find("place").hidden = !PLACED.includes(reference.kind);
    find("turn").hidden = reference.kind !== "pose";
    find("swing").hidden = reference.kind !== "sine";
    this.fields.forEach((field, i) => {
      const { turns } = this.robot.joints[i];
      fill(field, plain(this.target[i] * angles.factor(turns), angles.degrees && turns ? 2 : 4));
    });
    for (const [id, factor] of [["place", 1], ["turn", angles.factor(true)]])
      [...find(id).querySelectorAll("input")].forEach((field, i) => fill(field, plain((reference[id] ?? this.seen[id])[i] * factor, 4)));
    write(find("turn").querySelector(".unit"), angles.unit(true));
    const units = [...new Set(this.robot.joints.map(({ turns }) => angles.unit(turns)))].join(", ");
    write(find("amplitude-unit"), units);
    fill(find("amplitude"), plain(reference.amplitude * angles.factor(true), 4));
    fill(find("frequency"), plain(reference.frequency, 4));
    this.known.payload.show(model.payload ?? this.robot.payload?.mass ?? 0);
    this.known.friction.show(100 * model.friction);
    this.known.masses.show(100 * (model.masses - 1));
    this.known.lengths.show(100 * (model.lengths - 1));
    find("knows-all").disabled = JSON.stringify(model) === JSON.stringify(unset().model);
    fill(find("period"), sampling.period ? String(sampling.period) : "");
    fill(find("delay"), String(sampling.delay));
    fill(find("noise-q"), String(sampling.noise_q));
    fill(find("noise-qd"), String(sampling.noise_qd));
    find("effort").checked = setup.effort;
    const late = sampling.delay || sampling.noise_q || sampling.noise_qd;
    write(find("sampling-hint"), sampling.period ? `${plain(1000 / sampling.period, 2)} Hz` : late ? "1000 Hz" : "asked all the time; live at 1000 Hz");
  }

  /** The robot's payload or friction changed. */
  follow(robot) {
    this.robot = robot;
    this.show();
    this.learnSoon();
  }

  learnSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.learn(), PATIENCE);
  }

  /** Ask the server for the gains that it would choose and what the law relies on. */
  async learn() {
    clearTimeout(this.timer);
    if (!this.wanted || !this.robot || !this.told.pose()) return;
    const facts = await this.told.ask({ do: "law", ...this.question() });
    if (!facts || facts.law !== this.setup.law) return;
    this.gains.build(facts.gains, this.setup.gains);
    write(find("law-note"), facts.note);
    find("law-needs").querySelector("ul").replaceChildren(...facts.relies_on.map(assumption));
  }

  /** Whether the panel is on the screen; the server is asked only then. */
  open(shown) {
    const first = shown && !this.wanted;
    this.wanted = shown;
    if (first) this.learn();
  }

  /** Return what the server is asked for: the law, its reference, and what it takes the arm for. */
  question() {
    const { reference, model, sampling, gains, effort } = this.setup;
    const { q, qd } = this.told.pose();
    const frame = this.law?.moves === "frame";
    const control = { law: this.setup.law, frame: find("frame").value, reference: this.followed(reference, q, frame) };
    if (Object.keys(gains).length) control.gains = gains;
    if (!effort) control.effort = "report";
    if (sampling.period) control.rate = 1000 / sampling.period;
    if (sampling.delay) control.delay = sampling.delay / 1000;
    for (const key of ["noise_q", "noise_qd"]) if (sampling[key]) control[key] = sampling[key];
    const wrong = Object.fromEntries(Object.entries(model).filter(([key, value]) => (key === "payload" ? value !== null : value !== 1)));
    return { q, qd, duration: duration(), control, ...(Object.keys(wrong).length ? { model: wrong } : {}) };
  }

  followed(reference, q, frame) {
    const { kind, place, turn, amplitude, frequency } = reference;
    const pose = [...(place ?? this.seen.place), ...(turn ?? this.seen.turn)];
    return {
      hold: () => ({ kind: "setpoint", joints: q }),
      setpoint: () => ({ kind: "setpoint", joints: this.target }),
      move: () => ({ kind: "move", joints: this.target }),
      line: () => ({ kind: "line", target: pose.slice(0, 3) }),
      pose: () => (frame ? { kind: "move", pose } : { kind: "to_pose", target: pose }),
      sine: () => ({ kind: "sine", amplitude, frequency }),
      fourier: () => ({ kind: "fourier" }),
    }[kind]();
  }
}

/** Return how long a run lasts [s], as the field says. */
export function duration() {
  const field = find("duration");
  return Math.min(Math.max(field.valueAsNumber || 5, Number(field.min)), Number(field.max));
}

/** Return an assumption as a row: whether it holds, what it says, and why. */
export const assumption = ({ statement, holds, why }) =>
  make("li", { class: `holds-${holds}` }, make("b", { text: holds }), make("span", { text: statement }), make("small", { text: why }));
