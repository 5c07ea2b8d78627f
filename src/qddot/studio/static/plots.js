/** The plots of a motion: q, q̇, τ and the energies, with one cursor and one legend. */

import { find, make } from "./elements.js";
import { angles, subscript } from "./numbers.js";
import { colour, dashes, onScheme } from "./palette.js";
import { Plot } from "./plot.js";

const ENERGIES = [
  ["kinetic", "#0072B2"],
  ["potential", "#D55E00"],
  ["total", "#009E73"],
];

export class Plots {
  /** `sought(t)` is told which time was pressed in a plot. */
  constructor(sought) {
    const told = { sought, hovered: (t, plot) => this.hover(t, plot) };
    this.plots = {
      q: new Plot("q", told),
      qd: new Plot("q̇", told),
      tau: new Plot("τ", told),
      energy: new Plot("Energy", told),
    };
    find("plots-grid").replaceChildren(...Object.values(this.plots).map((plot) => plot.element));
    new ResizeObserver(() => this.motion && this.each((plot) => plot.resize())).observe(find("plots-grid"));
    onScheme(() => this.motion && this.each((plot) => plot.draw()));
    this.hidden = new Set();
    this.now = 0;
  }

  each(action) {
    Object.values(this.plots).forEach(action);
  }

  /** Plot a motion of a robot. */
  show(motion, robot) {
    if (this.robot?.joints !== robot.joints) this.hidden.clear();
    [this.motion, this.robot] = [motion, robot];
    find("plots").hidden = false;
    this.legend();
    this.draw();
  }

  clear() {
    this.motion = null;
    find("plots").hidden = true;
  }

  draw() {
    const { motion, robot } = this;
    const { t, events } = motion;
    const column = (rows, i, factor) => rows.map((row) => (row?.[i] === null || row?.[i] === undefined ? null : row[i] * factor));
    const curves = (rows, more, scaled) =>
      robot.joints.map((joint, i) => ({
        name: joint.name, colour: colour(i), dashes: dashes(i), hidden: this.hidden.has(i),
        values: column(rows, i, scaled ? angles.factor(joint.turns) : 1), ...more,
      }));
    const units = (order) => [...new Set(robot.joints.map((joint) => angles.unit(joint.turns, order)))].join(", ");
    const wanted = motion.reference
      ? curves(motion.reference, { faint: true, dashes: [4, 3] }, true).map((each) => ({ ...each, name: `${each.name}, wanted` }))
      : [];
    this.plots.q.set(t, [...wanted, ...curves(motion.q, {}, true)], units(0), events);
    this.plots.qd.set(t, motion.qd ? curves(motion.qd, {}, true) : [], units(1), events);
    const torques = [...new Set(robot.joints.map((joint) => (joint.turns ? "N·m" : "N")))].join(", ");
    const model = motion.tau_model
      ? curves(motion.tau_model, { faint: true, dashes: [4, 3] }, false).map((each) => ({ ...each, name: `${each.name}, model` }))
      : [];
    this.plots.tau.set(t, [...model, ...(motion.tau ? curves(motion.tau, {}, false) : [])], torques, events);
    this.plots.energy.set(
      t, ENERGIES.filter(([name]) => motion[name]).map(([name, paint]) => ({ name, colour: paint, dashes: [], values: motion[name] })), "J", events,
    );
    const key = ENERGIES.filter(([name]) => motion[name]).map(([name, paint]) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", paint);
      return make("span", { class: "key" }, dot, name);
    });
    this.plots.energy.heading.append(...key);
    this.cursor(this.now);
  }

  /** One button a joint, which hides and shows its curves. */
  legend() {
    const buttons = this.robot.joints.map((joint, i) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", colour(i));
      const button = make("button", { type: "button", class: "key", title: `${joint.name}: hide or show`, "aria-label": joint.name, "aria-pressed": String(!this.hidden.has(i)) }, dot, `q${subscript(i + 1)}`);
      button.addEventListener("click", () => {
        if (!this.hidden.delete(i)) this.hidden.add(i);
        button.setAttribute("aria-pressed", String(!this.hidden.has(i)));
        this.draw();
      });
      return button;
    });
    find("legend").replaceChildren(...buttons);
  }

  cursor(t) {
    this.now = t;
    if (this.motion) this.each((plot) => plot.cursor(t, plot.hover ?? null));
  }

  hover(t, where) {
    this.each((plot) => plot.cursor(this.now, t));
    where.read(t);
  }
}
