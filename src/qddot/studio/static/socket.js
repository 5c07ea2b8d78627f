/** Questions to the server and its answers, over a socket that comes back when the server does. */

const RETRY = 700; // [ms] between two tries to connect

/** What went wrong, in the server's words; `stale` if the question was about the robot before. */
export class Problem extends Error {
  constructor(words, cancelled = false, stale = false) {
    super(words);
    this.cancelled = cancelled;
    this.stale = stale;
  }
}

export class Socket {
  /** `opened` and `lost` are told when the connection comes and goes. */
  constructor({ opened, lost }) {
    this.opened = opened;
    this.lost = lost;
    this.waiting = new Map(); // id → {answer, refuse, progress}
    this.last = 0;
    this.token = document.querySelector("meta[name=token]").content;
    this.connect();
  }

  get open() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    const address = `ws://${location.host}/socket?token=${encodeURIComponent(this.token)}`;
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onopen = () => this.opened();
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = (event) => {
      const gone = new Problem("The connection to the server was lost before it answered.", true);
      for (const { refuse } of this.waiting.values()) refuse(gone);
      this.waiting.clear();
      this.lost(event.reason);
      setTimeout(() => this.again(), RETRY);
    };
  }

  /** Connect again. A server that was started anew has a new token; it stands in its page. */
  async again() {
    try {
      const page = await (await fetch("/", { cache: "no-store" })).text();
      const read = new DOMParser().parseFromString(page, "text/html");
      this.token = read.querySelector("meta[name=token]").content;
    } catch {
      setTimeout(() => this.again(), RETRY);
      return;
    }
    this.connect();
  }

  /** Return the answer to a question; `progress` is told what the server says meanwhile. */
  ask(question, progress = null) {
    if (!this.open) {
      return Promise.reject(new Problem("Not connected to the server, so nothing was asked.", true));
    }
    const id = ++this.last;
    this.socket.send(JSON.stringify({ id, ...question }));
    return new Promise((answer, refuse) => this.waiting.set(id, { answer, refuse, progress }));
  }

  receive(text) {
    const message = JSON.parse(text);
    const asked = this.waiting.get(message.id);
    if (!asked) return;
    if (message.is === "progress") {
      asked.progress?.(message);
      return;
    }
    this.waiting.delete(message.id);
    if (message.is === "stale") asked.refuse(new Problem("Another robot came meanwhile.", true, true));
    else if (message.is === "problem") {
      asked.refuse(new Problem(message.text, /^cancelled\b/i.test(message.text)));
    } else asked.answer(message);
  }
}
