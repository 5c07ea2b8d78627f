/** What a pointer on the arm does: it pulls the tool by its handle, turns joints by their links, chooses ghosts. */

import { chosen, find } from "./elements.js";
import { dot } from "./poses.js";

const CLICK = 5; // [px] that a finger may slip

export class Hand {
  /** `desk` has view, tool, ways, pose, robot, begun, set (positions of the joints) and again. */
  constructor(desk) {
    this.desk = desk;
    this.mode = "tool";
    this.hot = null; // the part of the handle, or the body, under the pointer
    chosen("drag", (mode) => this.choose(mode));
    desk.view.hand = {
      begin: (x, y, slack) => this.begin(x, y, slack),
      hover: (x, y, slack) => this.hover(x, y, slack),
      over: (x, y, slack) => Boolean(this.part(x, y, slack)),
    };
    const canvas = find("arm");
    let down = [0, 0];
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]), { capture: true });
    canvas.addEventListener("click", (event) => {
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > CLICK || this.pulled) return;
      const way = this.ghost(event.offsetX, event.offsetY);
      if (way !== null) desk.ways.take(way);
    });
    canvas.addEventListener("pointerleave", () => this.light(null));
  }

  choose(mode) {
    this.mode = mode;
    this.hot = null;
    this.desk.again();
  }

  part(x, y, slack) {
    if (this.mode === "tool") return this.desk.view.part(x, y, slack);
    return this.mode === "joints" ? this.desk.view.joint(x, y) : null;
  }

  /** Return which way's ghost is there; null: none. */
  ghost(x, y) {
    if (!this.desk.ways.found) return null;
    const found = this.desk.view.pick(x, y);
    return found && found.ghost !== null ? this.desk.view.scene.ghosts[found.ghost].way : null;
  }

  hover(x, y, slack) {
    const part = this.part(x, y, slack);
    this.light(part?.name ?? null);
    const way = part ? null : this.ghost(x, y);
    this.desk.ways.point(way);
    find("arm").style.cursor = part ? "move" : way === null ? "" : "pointer";
  }

  light(name) {
    if (name === this.hot) return;
    this.hot = name;
    this.desk.again();
  }

  begin(x, y, slack) {
    const part = this.part(x, y, slack);
    this.pulled = Boolean(part);
    if (!part) return null;
    const pull = this.desk.view.pull(part, x, y);
    this.light(part.name);
    const held = this.mode === "tool" ? this.desk.tool.taken() : this.joint(part);
    return {
      move: (u, v) => held.pull(pull(u, v)),
      end: () => {
        held.end();
        this.light(null);
      },
    };
  }

  /** A joint is held by its link. */
  joint({ body, axis }) {
    const { desk } = this;
    const index = indexOf(desk.view.scene.joints[body]);
    const { low, high } = desk.robot().joints[index];
    const { q } = desk.pose();
    let begun = false;
    return {
      pull: ({ along, turn }) => {
        if (!begun) desk.begun();
        begun = true;
        const value = q[index] + turn + dot(along, axis);
        desk.set(q.map((x, i) => (i === index ? Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity) : x)));
      },
      end: () => {},
    };
  }

  /** Return the colours of bodies: those at a limit that holds the tool back, and the one under the pointer. */
  marked(joints, limits) {
    const found = {};
    joints.forEach((joint, body) => {
      if (limits.includes(indexOf(joint))) found[body] = "#D55E00";
      if (this.hot === `joint ${body}`) found[body] = "#f0a500";
    });
    return found;
  }
}

/** Return which coordinate moves a joint: joints are q1, q2 ... */
const indexOf = ({ label }) => Number(label.slice(1)) - 1;
