/** The plots of a motion: q, q̇, τ and the energies; under a law its error and V; one cursor, one legend. */

import { find, make } from "./elements.js";
import { angles, subscript } from "./numbers.js";
import { colour, dashes, onScheme } from "./palette.js";
import { Plot } from "./plot.js";

const ENERGIES = [
  ["kinetic", "#0072B2"],
  ["potential", "#D55E00"],
  ["total", "#009E73"],
];
const SHOWN = { control: ["q", "error", "tau", "qd", "V", "energy"], live: ["q", "error", "tau", "V"] };
const USUAL = ["q", "qd", "tau", "energy"];

export class Plots {
  /** `sought(t)` is told which time was pressed in a plot; `kept()` is the run to compare with, or null. */
  constructor(sought, kept) {
    const told = { sought, hovered: (t, plot) => this.hover(t, plot) };
    const titles = { q: "q", qd: "q̇", tau: "τ", energy: "Energy", error: "Error", V: "V" };
    this.plots = Object.fromEntries(Object.entries(titles).map(([name, title]) => [name, new Plot(title, told)]));
    this.kept = kept;
    new ResizeObserver(() => this.motion && this.each((plot) => plot.resize())).observe(find("plots-grid"));
    onScheme(() => this.motion && this.each((plot) => plot.draw()));
    this.hidden = new Set();
    this.shown = [];
    this.now = 0;
  }

  each(action) {
    for (const name of this.shown) action(this.plots[name]);
  }

  /** Plot a motion of a robot. */
  show(motion, robot) {
    if (this.robot?.joints !== robot.joints) this.hidden.clear();
    const again = this.robot?.joints !== robot.joints || !this.motion;
    [this.motion, this.robot] = [motion, robot];
    const shown = (SHOWN[motion.what] ?? USUAL).filter((name) => name !== "V" || motion.V);
    if (shown.join() !== this.shown.join()) {
      this.shown = shown;
      find("plots-grid").replaceChildren(...shown.map((name) => this.plots[name].element));
      find("plots-grid").dataset.count = shown.length;
    }
    find("plots").hidden = false;
    if (again) this.legend();
    this.draw();
  }

  clear() {
    this.motion = null;
    find("plots").hidden = true;
  }

  /** Return the curves of each plot, and their unit. */
  curves() {
    const { motion, robot } = this;
    const kept = motion.error && this.kept() !== motion ? this.kept() : null;
    const column = (rows, i, factor) => rows.map((row) => (row?.[i] === null || row?.[i] === undefined ? null : row[i] * factor));
    const many = (rows, names, [, factor], more, suffix = "") =>
      rows ? names.map((name, i) => ({ name: `${name}${suffix}`, colour: colour(i), dashes: dashes(i), hidden: this.hidden.has(i), values: column(rows, i, factor(i)), ...more })) : [];
    const joints = robot.joints.map(({ name }) => name);
    // of each curve its unit, and how many of it one of SI is
    const turned = (order) => [(i) => angles.unit(robot.joints[i].turns, order), (i) => angles.factor(robot.joints[i].turns)];
    const own = (unit) => [unit, () => 1];
    const metres = own(() => "m");
    const torque = own((i) => (robot.joints[i].turns ? "N·m" : "N"));
    const errs = [(i) => angles.shown(motion.error_units[i])[0], (i) => angles.shown(motion.error_units[i])[1]];
    const units = (list, [unit]) => [...new Set(list.map((_, i) => unit(i)))].filter(Boolean).join(", ");
    const dashed = { faint: true, dashes: [4, 3] };
    const old = (run) => ({ faint: true, dashes: [2, 2], t: run.t });
    const limits = robot.joints.flatMap(({ name, effort }, i) =>
      effort === null || !motion.error ? [] : [1, -1].map((sign) => ({ name: `${name}, limit`, colour: colour(i), dashes: [8, 4], hidden: this.hidden.has(i), values: motion.t.map(() => sign * effort), faint: true, beyond: true })),
    );
    const frame = motion.axes ? [...motion.axes] : null;
    const [is, wanted, names, factor] = frame ? [motion.place, motion.place_wanted, frame.map((axis) => `${motion.frame} ${axis}`), metres] : [motion.q, motion.reference, joints, turned(0)];
    const errors = motion.error_names ?? joints;
    const places = (run, suffix, more) => many(run && (frame ? run.place : run.q), names, factor, more, suffix);
    const alike = kept && kept.axes === motion.axes ? kept : null;
    return {
      q: [[...places(alike, ", kept", alike && old(alike)), ...many(wanted, names, factor, dashed, ", wanted"), ...many(is, names, factor)], units(names, factor)],
      qd: [many(motion.qd, joints, turned(1)), units(joints, turned(1))],
      tau: [[...limits, ...many(kept?.tau, joints, torque, kept && old(kept), ", kept"), ...many(motion.tau_model, joints, torque, dashed, ", model"), ...many(motion.tau, joints, torque)], units(joints, torque)],
      energy: [ENERGIES.filter(([name]) => motion[name]).map(([name, paint]) => ({ name, colour: paint, dashes: [], values: motion[name] })), "J"],
      error: [[...many(alike?.error, errors, errs, alike && old(alike), ", kept"), ...many(motion.error, errors, errs)], motion.error ? units(errors, errs) : ""],
      V: [[...(kept?.V ? [{ name: "V, kept", colour: "#D55E00", values: kept.V, ...old(kept) }] : []), ...(motion.V ? [{ name: "V", colour: "#0072B2", dashes: [], values: motion.V }] : [])], ""],
    };
  }

  draw() {
    const { motion } = this;
    this.drawn = this.curves();
    for (const name of this.shown) this.plots[name].set(motion.t, ...this.drawn[name], motion.events);
    if (motion.axes) this.plots.q.heading.firstChild.textContent = `Place of ${motion.frame}, m`;
    const key = ENERGIES.filter(([name]) => motion[name]).map(([name, paint]) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", paint);
      return make("span", { class: "key" }, dot, name);
    });
    if (this.shown.includes("energy")) this.plots.energy.heading.append(...key);
    this.cursor(this.now);
  }

  /** One button a joint, which hides and shows its curves. */
  legend() {
    const buttons = this.robot.joints.map((joint, i) => {
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", colour(i));
      const button = make("button", { type: "button", class: "key", title: `${joint.name}: hide or show`, "aria-label": `q${subscript(i + 1)}, ${joint.name}`, "aria-pressed": String(!this.hidden.has(i)) }, dot, `q${subscript(i + 1)}`);
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
