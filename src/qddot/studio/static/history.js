/** What was before, and what was taken back: undo and redo of everything that is set. */

import { find } from "./elements.js";

const MOST = 200; // changes

export class History {
  /** `take()` returns what is set now, `put(state)` sets it again. */
  constructor({ take, put }) {
    this.take = take;
    this.put = put;
    this.before = [];
    this.after = [];
    find("undo").addEventListener("click", () => this.undo());
    find("redo").addEventListener("click", () => this.redo());
  }

  /** Something is about to change; `state` is what is set, if not what `take` says. */
  remember(state = this.take()) {
    if (!state) return;
    this.before.push(state);
    if (this.before.length > MOST) this.before.shift();
    this.after.length = 0;
    this.show();
  }

  undo() {
    this.go(this.before, this.after);
  }

  redo() {
    this.go(this.after, this.before);
  }

  go(from, to) {
    if (!from.length) return;
    const state = from.pop();
    to.push(this.take());
    this.put(state);
    this.show();
  }

  clear() {
    this.before.length = this.after.length = 0;
    this.show();
  }

  show() {
    find("undo").disabled = !this.before.length;
    find("redo").disabled = !this.after.length;
  }
}
