/** The arm on its canvas: what is drawn on it, what is in view, the path of its tool. */

import { find, make, write } from "./elements.js";
import { minus, short } from "./numbers.js";
import { colour } from "./palette.js";

const LONGEST = 1500; // points of a path
const PATH = "#E69F00";
const HANDLE = 0.1; // of the diagonal of what is in view

export class Arm {
  /** `more(scene)` returns what is drawn besides: the handle, ghosts, colours of bodies. */
  constructor(more) {
    this.more = more;
    this.view = new ArmView(find("arm"), { label: "The arm. Drag or use the arrow keys to turn it, + and − to zoom; the handle at its tool pulls it, with M the arrow keys do." });
    this.take({});
  }

  /** A robot came, with what does not move. */
  take(still) {
    this.still = still;
    this.home = this.box = null; // what must be in view of the robot, and of its motion
    this.path = [];
  }

  /** Start the path of the tool anew. */
  begin() {
    this.path = [];
  }

  /** Draw a state. Its tool is added to the path that was the current one when it was asked for. */
  show(now, { moving, path }) {
    this.home ??= held(boxed(this.still.box ?? now.scene.box, now.scene.lines), now.tip);
    this.box ??= this.home;
    const scene = { ...this.still, ...now.scene, ...(this.box ? { box: this.box } : {}) };
    if (!find("inertia").checked) scene.bodies = [];
    // joints are q1, q2 ...: the same colours as on the sliders
    for (const joint of scene.joints ?? []) joint.colour = colour(Number(joint.label.slice(1)) - 1);
    if (moving && path === this.path) this.path.push(now.tip);
    if (this.path.length > LONGEST) this.path.shift();
    if (moving && find("trace").checked) scene.traces = [...(scene.traces ?? []), { points: this.path, colour: PATH }];
    this.view.show({ ...scene, ...this.more(scene) });
    where(now);
  }

  /** What is drawn besides has changed. */
  again() {
    if (this.view.scene) this.view.show({ ...this.view.scene, ...this.more(this.view.scene) });
  }

  /** Bring all of a motion into view, given some of its moments, without turning the arm. */
  widen(scenes) {
    const { azimuth, elevation } = this.view.pose;
    this.box = boxed(this.home, scenes.flatMap((scene) => scene.lines));
    this.view.show({ ...this.view.scene, box: this.box });
    this.view.look({ azimuth, elevation });
  }

  png() {
    return this.view.png();
  }
}

/** Return the box round a box and the lines of an arm. */
function boxed(box, lines) {
  const points = [...(box ?? []), ...lines.flat()];
  if (!points.length) return null;
  const end = (better) => [0, 1, 2].map((i) => points.reduce((found, p) => better(found, p[i]), points[0][i]));
  return [end(Math.min), end(Math.max)];
}

/** Return a box with room for the handle of a frame. */
function held(box, tip) {
  if (!box || tip.includes(null)) return box;
  const room = HANDLE * Math.hypot(...box[0].map((low, i) => box[1][i] - low));
  return boxed(box, [[-room, room].map((far) => tip.map((x) => x + far))]);
}

/** Say where the chosen frame is and how heavy it feels. */
function where({ tip, effective_mass: masses }) {
  const lines = [[find("frame").value, `${tip.map((x) => minus((x ?? NaN).toFixed(3))).join("  ")} m`]];
  if (masses) lines.push(["feels like", `${masses.map((x) => (x === null ? "∞" : short(x))).join("  ")} kg`]);
  const list = find("where");
  while (list.children.length > lines.length) list.lastChild.remove();
  while (list.children.length < lines.length) list.append(make("div", {}, make("dt"), make("dd")));
  lines.forEach((words, k) => words.forEach((each, side) => write(list.children[k].children[side], each)));
}
