/**
 * All that is set on the page, as plain data: for its address, and to come back to.
 *
 *   {robot, q, qd, qdd, set: {gravity, payload, friction}, setup, what, duration, stops, frame}
 *
 * `robot` is a built-in name, or {file} of one that was opened. What comes from outside is checked here for its
 * form; the server checks every number again.
 */

import { unset } from "./control.js";

const LONGEST = 64; // numbers in a list, of joints or of gains
const NAME = 1000; // letters

const number = (x) => typeof x === "number" && Number.isFinite(x);
const text = (x) => typeof x === "string" && x.length <= NAME;
const numbers = (x) => Array.isArray(x) && x.length <= LONGEST && x.every(number);
const none = (check) => (x) => x === null || check(x);
const fields = (checks) => (x) => x !== null && typeof x === "object" && !Array.isArray(x) && Object.entries(x).every(([key, value]) => checks[key]?.(value) ?? false);
const anyOf = (check) => (x) => x !== null && typeof x === "object" && !Array.isArray(x) && Object.entries(x).length <= LONGEST && Object.entries(x).every(([key, value]) => text(key) && check(value));
const flag = (x) => typeof x === "boolean";

const SETUP = {
  law: text,
  gains: anyOf((x) => number(x) || numbers(x) || fields({ times: number })(x)),
  reference: fields({ kind: (x) => ["hold", "setpoint", "move", "line", "pose", "sine", "fourier"].includes(x), joints: none(numbers), place: none(numbers), turn: none(numbers), amplitude: number, frequency: number }),
  model: fields({ payload: none(number), friction: number, masses: number, lengths: number }),
  sampling: fields({ period: none(number), delay: number, noise_q: number, noise_qd: number }),
  effort: flag,
};
const STATE = {
  q: numbers,
  qd: numbers,
  qdd: numbers,
  set: none(fields({ gravity: numbers, payload: fields({ frame: text, mass: number }), friction: anyOf((x) => number(x) || numbers(x)) })),
  setup: fields(SETUP),
  what: (x) => ["drop", "control", "log"].includes(x),
  duration: number,
  stops: flag,
  frame: text,
};

/** Return what of a state has the right form; of other parts nothing is taken. */
function checked(state) {
  if (state === null || typeof state !== "object") return {};
  return Object.fromEntries(Object.entries(STATE).filter(([key, right]) => key in state && right(state[key])).map(([key]) => [key, state[key]]));
}

let known = location.hash; // the address as it was read or written last

/** Return the name of the robot in the address ("file:NAME" of one that was opened) and the state beside it. */
export function fromAddress() {
  known = location.hash;
  const parts = new URLSearchParams(known.slice(1));
  const q = parts.get("q")?.split(",").map(Number) ?? [];
  let rest = {};
  try {
    rest = JSON.parse(parts.get("state") ?? "{}");
  } catch {
    // an address that was cut off still names a robot
  }
  return { name: parts.get("robot"), state: { ...checked(rest), ...(q.length && numbers(q) ? { q } : {}) } };
}

/** Return the address of a state: the robot and its pose to be read, the rest where it is not as usual. */
export function hashOf({ robot, q, qd, qdd, set, setup, what, duration, stops, frame }, { tip }) {
  const short = (x) => Number(x.toFixed(6));
  const moving = [...qd, ...qdd].some(Boolean);
  const usual = unset();
  const own = Object.fromEntries(Object.entries(setup).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key])));
  const rest = {
    ...(moving ? { qd, qdd } : {}),
    ...(set ? { set } : {}),
    ...(Object.keys(own).length ? { setup: own } : {}),
    ...(what === "drop" || what === "log" ? {} : { what }),
    ...(duration === 5 ? {} : { duration }),
    ...(stops ? {} : { stops }),
    ...(frame === tip ? {} : { frame }),
  };
  const more = Object.keys(rest).length ? `&state=${encodeURIComponent(JSON.stringify(rest))}` : "";
  return `#robot=${encodeURIComponent(robot.file ? `file:${robot.file}` : robot)}&q=${q.map(short).join(",")}${more}`;
}

/** Write an address, unless somebody put another one there that was not read yet. */
export function toAddress(hash) {
  if (location.hash !== known || known === hash) return;
  history.replaceState(null, "", hash);
  known = location.hash;
}
