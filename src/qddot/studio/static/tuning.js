/** A law is tuned: its panel at the side, the run that goes on meanwhile, and the program that does the same. */

import { choose, chosen, find, write } from "./elements.js";
import { lately, LiveRun } from "./live_run.js";
import { forget, refused, say } from "./messages.js";

const WINDOW = 10; // [s] of a live run that are plotted

export class Tuning {
  /** `desk` has the parts of the page, and says which robot there is and which motion. */
  constructor(desk) {
    this.desk = desk;
    const ask = (question) => {
      const whole = { arm: desk.robot().arm, ...question };
      return question.again ? desk.work.ask(whole, "Compiling the arm and its law…") : desk.socket.ask(whole);
    };
    this.ask = ask;
    this.loop = new LiveRun({
      ask,
      question: () => desk.control().question(),
      came: (motion) => this.came(motion),
      ended: (problem) => this.ended(problem),
      time: () => desk.player().time,
      speed: () => Number(find("speed").value),
    });
    chosen("side", (which) => this.side(which));
    find("live").addEventListener("click", () => this.toggle());
    find("copy-python").addEventListener("click", () => this.copyPython());
  }

  /** Show equations or control at the side. */
  side(which) {
    choose("side", which);
    for (const each of ["equations", "control"]) find(`side-${each}`).hidden = each !== which;
    document.body.classList.toggle("controlling", which === "control");
    this.desk.control().open(which === "control");
  }

  /** Return what the server says of a law, null where it does not. */
  async askLaw(question) {
    try {
      return await this.ask(question);
    } catch (problem) {
      refused(problem);
      return null;
    }
  }

  /** A gain or a setting changed: a live run goes on with it, and has its next piece asked for at once. */
  changed() {
    if (this.loop.running) this.loop.pump();
  }

  toggle() {
    if (!this.desk.robot()) return;
    if (this.loop.running) {
      this.loop.stop();
      return;
    }
    this.desk.show(null);
    this.mark(true);
    say("Live: turn the gains, the reference or the payload while it runs.");
    this.loop.start();
  }

  /** End a live run, and the piece of it that is being computed; returns whether there was one. */
  cancel() {
    const { running } = this.loop;
    this.loop.stop();
    if (running) this.desk.socket.ask({ do: "cancel" }).catch(() => {});
    return running;
  }

  mark(live) {
    find("live").setAttribute("aria-pressed", String(live));
    write(find("live"), live ? "Stop" : "Live");
  }

  came(motion) {
    forget("problem");
    this.desk.show(motion, lately(motion, WINDOW));
    this.desk.player().grow(motion);
  }

  ended(problem) {
    const [player, motion] = [this.desk.player(), this.desk.motion()];
    this.mark(false);
    player.growing = false;
    player.pause();
    if (problem) refused(problem);
    if (!motion?.t) return;
    this.desk.show(motion);
    say(`Live run: ${motion.t[motion.t.length - 1].toFixed(1)} s.`);
  }

  async copyPython() {
    const question = this.desk.runs().question();
    if (!question) return;
    try {
      const { text } = await this.ask({ do: "script", ...question });
      await navigator.clipboard.writeText(text);
      say("The Python program that does the same is in the clipboard.");
    } catch (problem) {
      refused(problem);
    }
  }
}
