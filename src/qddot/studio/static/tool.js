/** The tool: its pose in fields, the handle that pulls it, keys that move it, and what hinders it. */

import { chosen, fill, find, write } from "./elements.js";
import { say } from "./messages.js";
import { angles, minus, plain } from "./numbers.js";
import { axesOf, fromRpy, moved, rows } from "./poses.js";

const BASE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const STEP = 0.005, TURN = Math.PI / 90; // [m] and [rad] of a key
const BURST = 800; // [ms] between keys that are undone together
const SMALL = [2e-3, 2e-4]; // [rad] and [m] that nobody misses
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [2, -1], PageUp: [2, 1] };

export class Tool {
  /** `desk` has ask, want, begun, robot, pose and again: questions, and what the page does with them. */
  constructor(desk) {
    this.desk = desk;
    this.fields = [...document.querySelectorAll("#pose-form input")];
    this.axes = "base";
    this.keys = false;
    this.forget();
    chosen("axes", (which) => {
      this.axes = which;
      desk.again();
    });
    find("pose-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.go();
    });
    find("jog").addEventListener("click", () => this.jog());
    find("arm").addEventListener("keydown", (event) => this.key(event), { capture: true });
  }

  /** Another robot came, or there is none. */
  forget() {
    this.place = null; // {p, R, rpy} of the frame on the screen
    this.frame = null; // that the server is ready to drag
    this.stuck = false; // whether no joint carries it
    this.words = "";
    this.letGo();
  }

  /** The arm was moved otherwise: what is on its way is not wanted any more. */
  letGo() {
    this.target = null; // {p, R, part, anywhere} to which it is pulled
    this.arrived = true; // whether the arm comes no nearer to it
    this.held = false;
    this.limits = [];
  }

  /** Show where the frame is. */
  at({ tip, rpy }, frame) {
    if (tip.includes(null) || rpy.includes(null)) return;
    const old = this.place;
    this.place = { p: tip, R: fromRpy(rpy), rpy };
    if (this.frame !== frame) this.grip(frame);
    if (!old || JSON.stringify([old.p, old.rpy]) !== JSON.stringify([tip, rpy])) this.show();
  }

  /** Write the pose into the fields, in the unit of the moment. */
  show() {
    if (!this.place) return;
    const f = angles.factor(true);
    this.numbers = [...this.place.p, ...this.place.rpy.map((x) => x * f)];
    this.shown = this.numbers.map((x) => plain(x, angles.degrees ? 3 : 4));
    this.fields.forEach((field, k) => fill(field, this.shown[k]));
    write(find("pose-unit"), angles.unit(true));
  }

  /** Let the server compile what a drag of this frame needs. */
  async grip(frame) {
    const { arm } = this.desk.robot();
    this.frame = frame;
    this.ready = false;
    this.stuck = false;
    try {
      await this.desk.ask({ do: "grip", arm, frame });
    } catch (problem) {
      if (problem.stale || problem.cancelled) return;
      this.stuck = true;
    }
    if (this.frame !== frame || this.desk.robot().arm !== arm) return;
    this.ready = true;
    for (const id of ["go", "ways", "jog"]) find(id).disabled = this.stuck;
    this.desk.again();
    if (this.target) this.want();
  }

  /** Return the handle as the view draws it; null where there is none. */
  handle(hot) {
    if (!this.place || this.stuck) return null;
    const { p, R } = this.target ?? this.place;
    const axes = this.axes === "base" ? BASE : axesOf({ R });
    return { at: p, axes, hot, to: this.target ? this.place.p : null };
  }

  /** Return what pulls the tool from here on: it is given metres along base axes, an axis and an angle. */
  taken() {
    const start = this.place;
    let begun = false;
    this.letGo();
    this.held = true;
    return {
      pull: ({ along, turn, axis }) => {
        if (!begun) this.desk.begun();
        begun = true;
        this.towards({ ...moved(start, along, axis, turn), part: turn ? "rotation" : "position" });
      },
      end: () => {
        this.held = false;
        if (this.arrived) this.target = null; // else the arm is still on its way
        this.desk.again();
      },
    };
  }

  towards(target) {
    this.target = target;
    this.arrived = false;
    if (this.ready && !this.stuck) this.want();
  }

  want() {
    const { part, anywhere } = this.target;
    this.desk.want({ do: "drag", pose: rows(this.target), part, ...(anywhere ? { anywhere } : {}) }, this.target);
  }

  /** An answer came: returns whether the arm goes there. */
  answer(now, target) {
    if (!this.target) return false;
    this.limits = now.limits;
    const words = hindered(now, this.desk.robot().joints);
    if (words !== this.words) say(words, !words);
    this.words = words;
    if (target !== this.target) return true; // a newer one is on its way
    this.arrived = !now.moving;
    if (!this.arrived) this.want();
    else if (!this.held) this.target = null;
    return true;
  }

  /** Bring the frame to the pose in the fields. */
  go() {
    if (!this.place || this.stuck) return;
    // what nobody changed is not rounded
    const entered = this.fields.map((field, k) => (field.value === this.shown[k] ? this.numbers[k] : field.valueAsNumber));
    const wrong = entered.findIndex((x) => !Number.isFinite(x));
    if (wrong >= 0) {
      this.fields[wrong].focus();
      say("A pose needs six numbers.", false);
      return;
    }
    const f = angles.factor(true);
    this.desk.begun();
    this.letGo();
    this.towards({ p: entered.slice(0, 3), R: fromRpy(entered.slice(3).map((x) => x / f)), part: "position", anywhere: true });
  }

  /** Let the keys on the arm move the tool, or the view again. */
  jog() {
    this.keys = !this.keys;
    find("jog").setAttribute("aria-pressed", String(this.keys));
    say(this.keys ? "← → move the tool along x, ↓ ↑ along y, Page ↓ ↑ along z; with Shift they turn it. M ends it." : "The arrow keys turn the view.");
    if (this.keys) find("arm").focus();
  }

  key(event) {
    const step = KEYS[event.key];
    if (!this.keys || !step || !this.place || this.stuck || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const [k, sign] = step;
    const from = this.target ?? this.place;
    const axis = (this.axes === "base" ? BASE : axesOf(from))[k];
    if (event.timeStamp - (this.last ?? -Infinity) > BURST) this.desk.begun();
    this.last = event.timeStamp;
    const along = event.shiftKey ? [0, 0, 0] : axis.map((x) => sign * STEP * x);
    this.towards({ ...moved(from, along, axis, event.shiftKey ? sign * TURN : 0), part: event.shiftKey ? "rotation" : "position" });
  }
}

/** Return in words what keeps the tool from where it is pulled; "" if nothing does. */
export function hindered({ found, moving, limits, reach, missing: [turn, away], match, singular }, joints) {
  const words = [];
  const names = limits.map((i) => joints[i].name);
  const gap = [
    match !== "rotation" && away > SMALL[1] ? length(away) : "",
    match !== "position" && turn > SMALL[0] ? angle(turn) : "",
  ].filter(Boolean).join(" and ");
  if (names.length) words.push(`at the limit of ${names.join(", ")}`);
  if (!found && !moving && gap) words.push(reach ? `out of reach by ${gap}` : `${gap} are missing`);
  if (singular) words.push("near singular");
  const all = words.join(" · ");
  return all.charAt(0).toUpperCase() + all.slice(1);
}

const length = (x) => (x >= 1 ? `${x.toFixed(2)} m` : x >= 0.01 ? `${(100 * x).toFixed(0)} cm` : `${(1000 * x).toFixed(1)} mm`);
const angle = (x) => `${minus((x * angles.factor(true)).toFixed(angles.degrees ? 0 : 2))} ${angles.unit(true)}`;
