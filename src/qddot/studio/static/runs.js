/** What is to be played: a drop, a controller with its target, or a log. */

import { chosen, choose, find, make, options, remark, write } from "./elements.js";
import { angles, plain } from "./numbers.js";

export class Runs {
  /** `run(question)` is asked to play it. */
  constructor(run, pose) {
    this.pose = pose;
    this.laws = [];
    chosen("what", () => this.choose());
    find("law").addEventListener("change", () => this.words());
    find("reference").addEventListener("change", () => this.choose());
    find("target-here").addEventListener("click", () => this.aim(this.pose().q));
    find("run-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const question = this.question();
      if (question) run(question);
    });
  }

  /** Offer the laws that the server has. */
  offer(laws) {
    this.laws = laws;
    options(find("law"), laws.map(({ name, words, title }) => [name, title ?? spoken(name), words]));
    if (laws.some(({ name }) => name === "computed_torque")) find("law").value = "computed_torque";
    this.words();
    this.choose();
  }

  /** A robot came: the target is its own start. */
  build(robot) {
    this.robot = robot;
    this.target = robot.q;
    this.fields = robot.joints.map((joint, i) => {
      const field = make("input", { type: "number", step: 0.05, "aria-label": `Target of ${joint.name}` });
      field.addEventListener("change", () => {
        const value = (field.valueAsNumber || 0) / angles.factor(joint.turns);
        this.aim(this.target.map((x, k) => (k === i ? value : x)));
      });
      return field;
    });
    find("target-fields").replaceChildren(
      ...robot.joints.map((joint, i) => make("label", { title: joint.name }, make("span", { text: `q${i + 1}` }), this.fields[i])),
    );
    this.aim(robot.q);
  }

  /** Set the target pose. */
  aim(q) {
    this.target = [...q];
    this.fields.forEach((field, i) => {
      const { turns } = this.robot.joints[i];
      field.value = plain(q[i] * angles.factor(turns), angles.degrees && turns ? 2 : 4);
    });
  }

  what() {
    return document.querySelector("input[name=what]:checked").value;
  }

  /** Show the controls of what is to be played, and no others. */
  choose(what = this.what()) {
    choose("what", what);
    for (const each of document.querySelectorAll("[data-for]")) each.hidden = !each.dataset.for.split(" ").includes(what);
    // a wave swings round the pose and has no target
    if (what === "control") find("target").hidden = find("target-here").hidden = find("reference").value === "fourier";
    this.words();
  }

  words() {
    const law = this.laws.find(({ name }) => name === find("law").value);
    write(find("law-words"), law?.equation ?? law?.words ?? "");
    find("law-words").title = [law?.words, law?.equation].filter(Boolean).join("\n");
  }

  /** Return the question that runs it, from the pose on the sliders. */
  question() {
    if (!this.pose()) return null;
    const { q, qd } = this.pose();
    const what = this.what();
    const field = find("duration");
    const wanted = field.valueAsNumber || 5;
    const duration = Math.min(Math.max(wanted, Number(field.min)), Number(field.max));
    remark(field, wanted === duration ? "" : `from ${field.min} to ${field.max} s`);
    field.value = duration;
    if (what === "drop") return { do: "play", what, q, qd, duration, stops: find("stops").checked };
    if (what === "control") {
      const kind = find("reference").value;
      const reference = kind === "fourier" ? { kind } : { kind, joints: this.target };
      return { do: "play", what, q, qd, duration, control: { law: find("law").value, frame: find("frame").value, reference } };
    }
    return null;
  }
}

/** Return a law's name as words: computed_torque → computed torque. */
const spoken = (name) => name.replaceAll("_", " ");
