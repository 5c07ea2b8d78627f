/** All ways to have the tool where it is: ghosts to choose from, a list, and a slider where a joint is to spare. */

import { find, make, options, write } from "./elements.js";
import { angles, minus } from "./numbers.js";
import { colour } from "./palette.js";
import { rows } from "./poses.js";
import { Slider } from "./slider.js";

const FAINT = 0.3, CLEAR = 0.62; // how dense ghosts are
const SAME = 1e-6; // [rad or m], a position that is the arm's own

export class Ways {
  /** `desk` has ask, begun, robot, pose, put, again and refused. */
  constructor(desk) {
    this.desk = desk;
    this.found = null; // the server's answer
    this.hot = null; // the way under the pointer
    this.asking = false;
    find("next-way").addEventListener("click", () => this.step(1));
    find("previous-way").addEventListener("click", () => this.step(-1));
    find("close-ways").addEventListener("click", () => this.close());
    const changed = (value) => this.ask({ joint: this.found.free.joint, free: value / angles.factor(this.spare.turns) });
    find("free-joint").addEventListener("change", ({ target }) => this.ask({ joint: Number(target.value) }));
    this.slider = new Slider(find("free-slider"), find("free"), { changed, begun: desk.begun });
  }

  /** Look for all ways to a pose of a frame. */
  async open(place, frame) {
    this.about = { pose: rows(place), frame };
    await this.ask({});
  }

  /** Ask for them, of a joint to spare and its newest position; the arm goes along. */
  async ask(given) {
    this.given = given;
    if (this.asking) return;
    this.asking = true;
    const { arm } = this.desk.robot();
    try {
      do {
        this.asked = this.given;
        const answer = await this.desk.ask({ do: "solutions", arm, q: this.desk.pose().q, ...this.about, ...this.asked });
        if (this.about && this.desk.robot().arm === arm) this.show(answer);
      } while (this.about && this.given !== this.asked);
    } catch (problem) {
      this.close();
      this.desk.refused(problem);
    }
    this.asking = false;
  }

  show(answer) {
    this.found = answer;
    const { joints } = this.desk.robot();
    const { free, choices, q, family } = answer;
    find("ways-list").hidden = false;
    find("free-row").hidden = !free;
    this.spare = free && joints[free.joint];
    if (free) {
      const f = angles.factor(this.spare.turns);
      const [low, high] = this.spare.span.map((x) => x * f);
      this.slider.between(low, high, { least: low, most: high, step: angles.degrees ? 1 : 0.01 });
      this.slider.show(free.value * f);
      options(find("free-joint"), choices.map((k) => [k, joints[k].name]), free.joint);
      write(find("free-unit"), angles.unit(this.spare.turns));
      if (this.asked?.free !== undefined && q.length) this.desk.put(q[0]); // along the curve of what the arm can do
    }
    const count = q.length === 1 ? "1 solution" : `${q.length || "No"} solutions`;
    write(find("ways-words"), `${count}${free ? ` with ${this.spare.name} here` : ""}${family ? ", singular" : ""}`);
    find("ways-rows").replaceChildren(...q.map((way, k) => this.row(way, k)));
    this.mark();
  }

  row(way, k) {
    const { joints } = this.desk.robot();
    const words = way.map((x, i) => minus((x * angles.factor(joints[i].turns)).toFixed(angles.degrees && joints[i].turns ? 0 : 2))).join("  ");
    const dot = make("i", { class: "dot" });
    dot.style.setProperty("--own", colour(k));
    const over = (hot) => () => this.point(hot);
    const on = { click: () => this.take(k), pointerenter: over(k), pointerleave: over(null), focus: over(k), blur: over(null) };
    return make("li", {}, make("button", { type: "button", title: "Take this one", on }, dot, words));
  }

  /** Bring the arm to a way. */
  take(k) {
    if (!this.found?.q[k]) return;
    this.desk.begun();
    this.desk.put(this.found.q[k]);
    this.mark();
  }

  /** Take the next one of the list, or the one before. */
  step(by) {
    const count = this.found?.q.length;
    if (count) this.take((Math.max(this.current(), by > 0 ? -1 : 0) + by + count) % count);
  }

  /** Return which way the arm has, -1 if none. */
  current() {
    const { q } = this.desk.pose();
    return (this.found?.q ?? []).findIndex((way) => way.every((x, i) => Math.abs(x - q[i]) < SAME));
  }

  mark() {
    const own = this.current();
    [...find("ways-rows").children].forEach((item, k) => item.firstChild.setAttribute("aria-pressed", String(k === own)));
    this.desk.again();
  }

  /** The pointer is at a ghost or its row; null: at none. */
  point(k) {
    if (k === this.hot) return;
    this.hot = k;
    this.desk.again();
  }

  /** Return the ghosts as the view draws them, each with the number of its way. */
  ghosts() {
    const own = this.current();
    const ghost = (poses, k) => ({ poses, colour: colour(k), alpha: k === this.hot ? CLEAR : FAINT, way: k });
    return (this.found?.poses ?? []).map(ghost).filter(({ way }) => way !== own);
  }

  /** The unit of angles changed. */
  rescale() {
    this.asked = null;
    if (this.found) this.show(this.found);
  }

  close() {
    if (!this.about) return;
    this.about = this.found = this.hot = null;
    find("ways-list").hidden = true;
    this.desk.again();
  }
}
