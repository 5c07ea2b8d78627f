/** Sliders of the joints: positions, velocities or accelerations, within what the robot can do. */

import { chosen, choose, find, make, shortened, write } from "./elements.js";
import { angles } from "./numbers.js";
import { colour } from "./palette.js";
import { Slider } from "./slider.js";

const FAST = { true: Math.PI, false: 1 }; // [rad/s] or [m/s], where its speed has none
const HARD = { true: 10, false: 5 }; // [rad/s²] or [m/s²]
const ENDS = 1e-6; // [rad or m] from a limit, a joint is at it
const NAMES = ["q", "qd", "qdd"];
const WORDS = ["Position", "Velocity", "Acceleration"];

export class Joints {
  /** `changed(state)` is given q, qd and qdd after each change, `begun()` is told before. */
  constructor({ changed, begun }) {
    this.changed = changed;
    this.begun = begun;
    this.order = 0;
    this.rows = [];
    chosen("order", (value) => this.choose(Number(value)));
  }

  /** Build the sliders of a robot. */
  build(robot, state) {
    this.robot = robot;
    const names = shortened(robot.joints.map(({ name }) => name));
    this.rows = robot.joints.map((joint, i) => this.row(joint, i, names[i]));
    find("joints").replaceChildren(...this.rows.map((row) => row.element));
    this.order = 0;
    choose("order", "0");
    this.scale();
    this.show(state);
  }

  row(joint, i, name) {
    const range = make("input", { type: "range", id: `joint-${i}` });
    const field = make("input", { type: "number" });
    const unit = make("span", { class: "unit" });
    const label = make("label", { for: `joint-${i}`, title: joint.name }, make("i", { class: "dot" }), name);
    const element = make("div", { class: "slider joint" }, label, range, field, unit);
    element.style.setProperty("--own", colour(i));
    const slider = new Slider(range, field, {
      begun: this.begun,
      changed: (value) => this.set(i, value / angles.factor(joint.turns)),
    });
    return { element, slider, unit, range, field, joint };
  }

  set(i, value) {
    const name = NAMES[this.order];
    const state = { ...this.state, [name]: this.state[name].map((x, k) => (k === i ? value : x)) };
    this.show(state);
    this.changed(state);
  }

  choose(order) {
    this.order = order;
    this.scale();
    this.show(this.state);
  }

  /** Give the sliders their ends, in the unit of the moment. */
  scale() {
    for (const { slider, unit, joint, range, field } of this.rows) {
      const f = angles.factor(joint.turns);
      const [low, high, hard] = this.ends(joint);
      const step = angles.degrees && joint.turns ? 1 : 0.01;
      slider.between(low * f, high * f, { least: hard ? low * f : null, most: hard ? high * f : null, step });
      const words = angles.unit(joint.turns, this.order);
      write(unit, words);
      const name = `${WORDS[this.order]} of ${joint.name}, ${words}`;
      range.setAttribute("aria-label", name);
      field.setAttribute("aria-label", name);
    }
  }

  /** Return the ends of a joint's slider, and whether the field ends there too. */
  ends(joint) {
    if (this.order === 0) {
      return [...joint.span, joint.low !== null && joint.high !== null];
    }
    const most = this.order === 1 ? (joint.velocity ?? FAST[joint.turns]) : HARD[joint.turns];
    return [-most, most, false];
  }

  /** Show a state, without telling anybody. */
  show(state) {
    this.state = state;
    const values = state[NAMES[this.order]];
    this.rows.forEach(({ element, joint: { low, high } }, i) => {
      const q = state.q[i];
      element.classList.toggle("ends", (low !== null && q <= low + ENDS) || (high !== null && q >= high - ENDS));
    });
    this.rows.forEach(({ slider, joint }, i) => slider.show(values[i] * angles.factor(joint.turns)));
  }

  /** The unit of angles changed. */
  rescale() {
    this.scale();
    this.show(this.state);
  }
}
