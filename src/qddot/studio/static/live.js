/** The state on the screen, asked for as often as the server answers, and no more often. */

const WINDOW = 1000; // [ms] over which the rate is measured

export class Live {
  /** `show` is given every answer, `refused` every problem. */
  constructor(socket, { show, refused }) {
    this.socket = socket;
    this.show = show;
    this.refused = refused;
    this.wanted = null;
    this.busy = false;
    this.arrivals = [];
  }

  /** Ask for a state, or what a function returns when it is sent; `tag` comes back with the answer. Only the newest that waits is asked for. */
  want(state, tag) {
    this.wanted = { state, tag };
    this.pump();
  }

  async pump() {
    if (this.busy || !this.wanted || !this.socket.open) return;
    const { state, tag } = this.wanted;
    this.wanted = null;
    this.busy = true;
    try {
      const now = await this.socket.ask({ do: "at", ...(typeof state === "function" ? state() : state) });
      this.arrivals.push(performance.now());
      this.show(now, tag);
    } catch (problem) {
      this.refused(problem);
    }
    this.busy = false;
    this.pump();
  }

  /** Return how many answers came in the last second. */
  rate() {
    const since = performance.now() - WINDOW;
    while (this.arrivals.length && this.arrivals[0] < since) this.arrivals.shift();
    return this.arrivals.length;
  }
}
