/** What is to be played: a drop, a controller with its target, or a log. */

import { chosen, choose, find, remark } from "./elements.js";
import { duration } from "./control.js";

export class Runs {
  /** `run(question)` is asked to play it, `picked(what)` told what was chosen; `control` has the panel of laws. */
  constructor({ run, picked, pose, control }) {
    this.picked = picked;
    this.pose = pose;
    this.control = control;
    chosen("what", () => this.choose());
    find("run-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const question = this.question();
      if (question) run({ do: "play", ...question });
    });
  }

  what() {
    return document.querySelector("input[name=what]:checked").value;
  }

  /** Show the controls of what is to be played, and no others. */
  choose(what = this.what()) {
    choose("what", what);
    for (const each of document.querySelectorAll("[data-for]")) each.hidden = !each.dataset.for.split(" ").includes(what);
    this.picked(what);
  }

  /** Return what is to be run from the pose on the sliders; null where there is nothing. */
  question() {
    if (!this.pose()) return null;
    const what = this.what();
    const field = find("duration");
    const wanted = field.valueAsNumber || 5;
    const seconds = duration();
    remark(field, wanted === seconds ? "" : `from ${field.min} to ${field.max} s`);
    field.value = seconds;
    const { q, qd } = this.pose();
    if (what === "drop") return { what, q, qd, duration: seconds, stops: find("stops").checked };
    return what === "control" ? { what, ...this.control.question() } : null;
  }
}
