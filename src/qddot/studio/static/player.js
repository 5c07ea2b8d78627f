/** Time: plays a motion at any speed, forwards, from any moment, again and again. */

import { find, write } from "./elements.js";
import { rowAt } from "./plot.js";

const STEP = 0.02; // of the motion, for one press of a key

export class Player {
  /** `shown(state)` is given what the motion is at each time: {t, q, qd, qdd, tau}. */
  constructor(shown) {
    this.shown = shown;
    this.motion = null;
    this.playing = false;
    this.growing = false; // whether there will be more of the motion
    this.time = 0;
    find("play").addEventListener("click", () => this.toggle());
    find("scrubber").addEventListener("input", () => this.seek(Number(find("scrubber").value)));
  }

  load(motion, play) {
    this.growing = motion.what === "live" && this.growing;
    this.motion = motion;
    [this.from, this.to] = [motion.t[0], motion.t[motion.t.length - 1]];
    const scrubber = find("scrubber");
    [scrubber.min, scrubber.max] = [this.from, this.to];
    scrubber.disabled = find("play").disabled = false;
    this.seek(this.from);
    if (play) this.play();
  }

  /** More of a motion came, that is still being made; it is played on as it comes. */
  grow(motion) {
    this.growing = true;
    if (this.motion !== motion) {
      this.load(motion, true);
      return;
    }
    [this.from, this.to] = [motion.t[0], motion.t[motion.t.length - 1]];
    [find("scrubber").min, find("scrubber").max] = [this.from, this.to];
  }

  clear() {
    this.pause();
    this.motion = null;
    find("scrubber").disabled = find("play").disabled = true;
    find("scrubber").value = 0;
    this.fill();
    write(find("clock"), "–");
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (!this.motion || this.playing) return;
    if (this.time >= this.to) this.seek(this.from);
    this.mark(true);
    this.last = null;
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.mark(false);
  }

  mark(playing) {
    this.playing = playing;
    find("play").classList.toggle("playing", playing);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  tick(now) {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : (now - this.last) / 1000;
    this.last = now;
    let time = this.time + passed * Number(find("speed").value);
    if (time >= this.to) {
      if (this.growing) time = this.to;
      else if (find("loop").checked) time = this.from + ((time - this.to) % (this.to - this.from) || 0);
      else {
        time = this.to;
        this.pause();
      }
    }
    this.seek(time);
    if (this.playing) requestAnimationFrame((then) => this.tick(then));
  }

  /** Go a step on or back. */
  step(direction) {
    if (!this.motion) return;
    this.pause();
    this.seek(this.time + direction * STEP * (this.to - this.from));
  }

  seek(time) {
    if (!this.motion) return;
    this.time = Math.min(Math.max(time, this.from), this.to);
    find("scrubber").value = this.time;
    this.fill();
    write(find("clock"), `${this.time.toFixed(2)} / ${this.to.toFixed(2)} s`);
    find("scrubber").setAttribute("aria-valuetext", `${this.time.toFixed(2)} seconds`);
    this.shown(this.state());
  }

  fill() {
    const part = this.motion ? (100 * (this.time - this.from)) / (this.to - this.from || 1) : 0;
    find("scrubber").style.setProperty("--from", "0%");
    find("scrubber").style.setProperty("--to", `${part}%`);
  }

  /** Return the motion at this time, between its rows. */
  state() {
    const { t, q, qd, qdd, tau } = this.motion;
    const k = rowAt(t, this.time);
    const next = Math.min(k + 1, t.length - 1);
    const part = next > k ? (this.time - t[k]) / (t[next] - t[k] || 1) : 0;
    const between = (rows) =>
      rows ? rows[k].map((a, i) => (a === null || rows[next][i] === null ? a : a + part * (rows[next][i] - a))) : null;
    const zeros = q[k].map(() => 0);
    return { t: this.time, q: between(q), qd: between(qd) ?? zeros, qdd: between(qdd) ?? zeros, tau: between(tau) };
  }
}
