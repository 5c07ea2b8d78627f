/** What the studio tells: problems in the server's own words, work that goes on, the connection. */

import { find, make, write } from "./elements.js";

const PATIENCE = 250; // [ms] before work is worth a bar
const MOST = 5; // messages at a time; the oldest go first

/** Show a message until it is dismissed. The same words are shown once. */
export function tell(words, kind = "problem") {
  const list = find("messages");
  const shown = [...list.children].find((each) => each.querySelector("p").textContent === words);
  const again = shown && document.activeElement && shown.contains(document.activeElement);
  if (again) return;
  shown?.remove();
  const message = make("li", { class: `message ${kind}` });
  const close = () => message.remove();
  message.append(
    make("p", { text: words }),
    make("button", { type: "button", class: "quiet", "aria-label": "Dismiss this message", text: "×", on: { click: close } }),
  );
  list.prepend(message);
  while (list.children.length > MOST) list.lastChild.remove();
}

/** Take away every message of a kind. */
export function forget(kind) {
  for (const message of find("messages").querySelectorAll(`.${kind}`)) message.remove();
}

/** Write into the status line; what is too long for it is its tooltip, and shown by a click. */
export function say(words, good = true) {
  write(find("status"), words);
  find("status").title = words;
  find("status").classList.toggle("bad", !good);
  find("status").classList.remove("open");
}

// a status line that is too long is opened by a click
find("status").addEventListener("click", () => find("status").classList.toggle("open"));

/** Tell why a question has no answer. What somebody ended is no problem, nor what is about a robot that is gone. */
export function refused(problem) {
  if (problem.stale) return;
  if (problem.cancelled) say(/^cancelled\b/i.test(problem.message) ? "Cancelled." : problem.message);
  else tell(problem.message);
}

/** The bar of the work that goes on, with a button that ends it. One work at a time. */
export class Work {
  constructor(socket) {
    this.socket = socket;
    this.running = 0;
    find("cancel").addEventListener("click", () => this.cancel());
  }

  cancel() {
    if (this.running) this.socket.ask({ do: "cancel" }).catch(() => {});
  }

  /** Ask something that may take a while, and show how far it is. */
  async ask(question, words) {
    this.running += 1;
    this.show(words, null);
    const timer = setTimeout(() => (find("work").hidden = this.running === 0), PATIENCE);
    try {
      return await this.socket.ask(question, ({ text, part }) => this.show(text || words, part));
    } finally {
      clearTimeout(timer);
      this.running -= 1;
      if (!this.running) find("work").hidden = true;
    }
  }

  show(words, part) {
    write(find("work-text"), words);
    const bar = find("work-bar");
    if (Number.isFinite(part)) bar.value = part;
    else bar.removeAttribute("value");
  }
}
