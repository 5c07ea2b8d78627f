/** A loop that runs while its gains are turned: pieces of it are asked for just before they are shown. */

const AHEAD = 0.15; // [s] of what is shown, that is computed before it is needed
const PIECE = 0.1; // [s] of a piece, at the speed of life
const LONGEST = 1; // [s] of a piece
const LISTS = ["t", "q", "qd", "tau", "error", "V", "reference", "place", "place_wanted"];

export class LiveRun {
  /**
   * `ask(question)` asks for a piece; `question()` says of what, as it is now; `came(motion)` is told when there is
   * more of it, `ended(problem)` when there is none any more; `time()` says what is shown, `speed()` how fast.
   */
  constructor(told) {
    this.told = told;
    this.motion = null;
  }

  get running() {
    return this.motion !== null;
  }

  start() {
    this.motion = { what: "live", events: [], good: true };
    this.first = true;
    this.pump();
  }

  stop(problem = null) {
    if (!this.running) return;
    this.motion = null;
    this.told.ended(problem);
  }

  /** Ask for pieces, one after the other, as long as too little is computed ahead. */
  async pump() {
    const mine = this.motion;
    if (this.asking || !mine) return;
    this.asking = true;
    while (this.motion === mine) {
      const speed = this.told.speed();
      if (!this.first && mine.ends - this.told.time() > AHEAD * speed) break;
      const question = this.told.question();
      try {
        const seconds = Math.min(LONGEST, PIECE * Math.max(speed, 0.25));
        const piece = await this.told.ask({ do: "live", ...question, seconds, again: this.first });
        if (this.motion !== mine) break;
        this.take(piece, question);
      } catch (problem) {
        this.asking = false;
        if (this.motion === mine) this.stop(problem);
        return;
      }
      if (!mine.good) {
        this.asking = false;
        this.stop(new Error("The arm ran away: lower the gains, or start the live run again."));
        return;
      }
    }
    this.asking = false;
    if (this.motion && this.motion !== mine) this.pump();
  }

  take(piece, question) {
    const { motion } = this;
    const same = motion.law === piece.law;
    if (!this.first && motion.error_names?.join() !== piece.error_names.join()) for (const key of LISTS) delete motion[key]; // of joints before, of a frame now
    for (const key of LISTS) if (piece[key]) (motion[key] ??= []).push(...piece[key]);
    if (!piece.V) delete motion.V;
    const text = JSON.stringify(question);
    if (this.last && this.last !== text && !this.first) motion.events.push({ t: piece.t[0], text: same ? "gains or settings changed" : `law: ${piece.law.replaceAll("_", " ")}` });
    this.last = text;
    Object.assign(motion, { law: piece.law, error_names: piece.error_names, error_units: piece.error_units, axes: piece.axes, frame: piece.frame, rms: piece.rms, ends: piece.ends, good: piece.good });
    const n = motion.t.length;
    if (motion.V && motion.V.length < n) motion.V = [...Array(n - motion.V.length).fill(null), ...motion.V];
    this.first = false;
    this.told.came(motion);
  }
}

/** Return the last seconds of a motion. */
export function lately(motion, seconds) {
  const from = motion.t[motion.t.length - 1] - seconds;
  const k = motion.t.findIndex((t) => t >= from);
  if (k <= 0) return motion;
  return { ...motion, ...Object.fromEntries(LISTS.filter((key) => motion[key]).map((key) => [key, motion[key].slice(k)])), events: motion.events.filter(({ t }) => t >= from) };
}
