/** What belongs to the robot and not to its pose: gravity, payload, friction. */

import { chosen, choose, fill, find, make, options, remark, shortened, write } from "./elements.js";
import { minus, plain } from "./numbers.js";
import { colour } from "./palette.js";
import { Slider } from "./slider.js";

const EARTH = 9.81; // [m/s²]
const AXES = ["x", "y", "z"];
const HEAVIEST = 10; // [kg] on the slider, at least
const PART = 0.5; // of the arm's own mass is a payload's slider's end
const NEAR = 1e-9;

// of "viscous friction": its beginning as a title, and the word that says which
const title = (words) => words[0].toUpperCase() + words.slice(1);
const brief = (words) => words.replace(/ ?friction ?/, "");
// of a number field beside a slider that ends there
const step = (high) => (high < 1 ? high / 100 : 0.1);

export class Settings {
  /** `changed(settings)` is given what was set: gravity, payload or friction; `begun()` is told before. */
  constructor({ changed, begun }) {
    this.changed = changed;
    this.begun = begun;
    this.ends = (name, listener) =>
      new Slider(find(`${name}-slider`), find(name), { begun, changed: (value) => listener(value) });
    const once = (listener) => (value) => {
      begun();
      listener(value);
    };
    this.pull = this.ends("pull", (value) => this.gravity(this.down.map((x) => x * value)));
    this.mass = this.ends("payload", () => this.payload());
    this.pull.between(0, 20, { least: 0, most: 1000, decimals: 3 });
    chosen("gravity", once((value) => this.gravity(this.down.map((x) => x * Number(value)))));
    for (const axis of AXES) find(`gravity-${axis}`).addEventListener("change", once(() => this.vector()));
    find("payload-frame").addEventListener("change", () => Number(find("payload").value) && once(() => this.payload())());
    find("as-loaded").addEventListener("click", once(() => this.changed(this.loaded)));
  }

  /** A robot came: its settings are those to go back to. */
  build(robot) {
    this.loaded = { gravity: robot.gravity, payload: { frame: robot.tip, mass: 0 }, friction: robot.friction };
    const size = Math.hypot(...robot.gravity);
    this.down = size > 0 ? robot.gravity.map((x) => x / size) : [0, 0, -1];
    options(find("payload-frame"), robot.frames, robot.tip);
    this.mass.between(0, Math.max(HEAVIEST, PART * (robot.mass ?? 0)), { least: 0, step: 0.1, decimals: 3 });
    this.sliders(robot);
    this.table(robot);
    this.show(robot);
  }

  /** Show the settings of a robot, without telling anybody. */
  show(robot) {
    this.robot = robot;
    const size = Math.hypot(...robot.gravity);
    if (size > 0) this.down = robot.gravity.map((x) => x / size);
    this.pull.show(size);
    const preset = [EARTH, 1.62, 0].find((value) => Math.abs(value - size) < NEAR);
    choose("gravity", preset === undefined ? null : String(preset));
    AXES.forEach((axis, i) => fill(find(`gravity-${axis}`), plain(robot.gravity[i], 3)));
    this.mass.show(robot.payload?.mass ?? 0);
    if (robot.payload?.mass) find("payload-frame").value = robot.payload.frame;
    const even = Object.entries(robot.friction).map(([kind, values]) => {
      this.rubbing[kind].show(values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)));
      values.forEach((value, i) => fill(this.fields[kind][i], plain(value, 4)));
      return values.every((value) => Math.abs(value - values[0]) < NEAR);
    });
    write(find("friction-hint"), even.every(Boolean) ? "same for all joints" : "differs; largest shown");
    find("as-loaded").disabled = this.asLoaded(robot);
  }

  /** Return the settings of a robot, as they can be set again. */
  static of({ gravity, payload, friction }) {
    return { gravity, payload: { frame: payload.frame, mass: payload.mass }, friction };
  }

  asLoaded({ gravity, payload, friction }) {
    const same = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < NEAR);
    const rubs = Object.entries(this.loaded.friction).every(([kind, values]) => same(friction[kind], values));
    return !payload?.mass && same(gravity, this.loaded.gravity) && rubs;
  }

  /** Return what differs from the robot as it came, to be set again after a reconnection. */
  changes() {
    const { gravity, payload, friction } = this.robot;
    return this.asLoaded(this.robot) ? null : { gravity, friction, ...(payload?.mass ? { payload } : {}) };
  }

  gravity(vector) {
    // 0 × −1 is −0, which nobody wants to read
    this.changed({ gravity: vector.map((x) => x + 0) });
  }

  vector() {
    this.gravity(AXES.map((axis) => find(`gravity-${axis}`).valueAsNumber || 0));
  }

  payload() {
    this.changed({ payload: { frame: find("payload-frame").value, mass: Number(find("payload").value) } });
  }

  /** Build the sliders of the friction that the robot has, each for all joints. */
  sliders(robot) {
    const rows = robot.friction_sliders.map(({ name, words, unit }) => {
      const range = make("input", { type: "range", id: `${name}-slider` });
      const field = make("input", { type: "number", id: name, "aria-label": `${title(words)} of all joints, ${unit}` });
      const short = unit.includes(" or ") ? "mixed" : unit.replace("/rad", "");
      const label = make("label", { for: range.id, text: brief(words), title: words });
      return make("div", { class: "slider" }, label, range, field, make("span", { class: "unit", text: short, title: unit }));
    });
    find("friction-sliders").replaceChildren(...rows);
    this.rubbing = {};
    for (const { name, low, high } of robot.friction_sliders) {
      this.rubbing[name] = this.ends(name, (value) => this.changed({ friction: { [name]: value } }));
      this.rubbing[name].between(low, high, { least: low < 0 ? null : low, step: step(high), decimals: 4 });
    }
  }

  /** Build the table of each joint's own friction. */
  table(robot) {
    this.fields = Object.fromEntries(robot.friction_sliders.map(({ name }) => [name, []]));
    const heads = ["joint", ...robot.friction_sliders.map(({ words }) => brief(words))];
    find("friction-heads").replaceChildren(...heads.map((text) => make("th", { scope: "col", text })));
    const names = shortened(robot.joints.map(({ name }) => name));
    const rows = robot.joints.map((joint, i) => {
      const cells = robot.friction_sliders.map(({ name: kind, words, low, high }) => {
        const least = low < 0 ? -Infinity : low;
        const name = `${title(words)} of ${joint.name}`;
        const field = make("input", { type: "number", min: low < 0 ? null : low, step: step(high), "aria-label": name });
        field.addEventListener("change", () => {
          const entered = field.valueAsNumber;
          remark(field, entered < least ? `${minus(plain(entered))} is below ${plain(least)}` : "");
          this.begun();
          const values = this.fields[kind].map((each) => Math.max(least, each.valueAsNumber || 0));
          this.changed({ friction: { [kind]: values } });
        });
        this.fields[kind].push(field);
        return make("td", {}, field);
      });
      const dot = make("i", { class: "dot" });
      dot.style.setProperty("--own", colour(i));
      return make("tr", {}, make("th", { scope: "row", title: joint.name }, dot, names[i]), ...cells);
    });
    find("friction-joints").replaceChildren(...rows);
  }
}
