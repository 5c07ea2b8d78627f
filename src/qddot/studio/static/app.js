/** The studio: what the parts of the page tell each other. */

import { fromAddress, toAddress } from "./address.js";
import { Arm } from "./arm.js";
import { chosen, find, options, write } from "./elements.js";
import { Equation } from "./equation.js";
import { packed, save, saveAddress, takeFiles } from "./files.js";
import { Joints } from "./joints.js";
import { takeKeys } from "./keys.js";
import { Live } from "./live.js";
import { forget, refused, say, tell, Work } from "./messages.js";
import { angles } from "./numbers.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { showFacts, showName } from "./robot_bar.js";
import { Runs } from "./runs.js";
import { Settings } from "./settings.js";
import { Socket } from "./socket.js";
import { Tables } from "./tables.js";

const FIRST = "panda"; // shown where nothing was asked for
const LOOKS = 9; // moments of a motion that tell where it goes
const MOST_UNDO = 200; // changes

let robotFiles = [".urdf", ".xml", ".toml"]; // every other file is a log
let robot = null; // as the server told it last; robot.arm is its number, which questions about it carry
let source = null; // the question that brought it, to ask again after a reconnection
let pose = null; // {q, qd, qdd} on the sliders
let motion = null; // played last
let following = false; // whether the screen shows the motion rather than the sliders
let wanted = null; // its gravity, payload and friction as they were set last
const before = []; // {pose, wanted} to go back to

const arm = new Arm();
const socket = new Socket({ opened, lost });
const work = new Work(socket);
const live = new Live(socket, { show, refused });
const joints = new Joints({ changed: steer, begun: remember });
const settings = new Settings({ changed: change, begun: remember });
const tables = new Tables((entry) => equation.show(entry, robot));
const equation = new Equation({ ask: (entry) => work.ask({ do: "equation", arm: robot.arm, ...entry }, "Deriving the equation…"), refused });
const plots = new Plots((t) => player.seek(t));
const player = new Player(follow);
const runs = new Runs(run, () => pose);

// the connection

async function opened() {
  find("lost").hidden = true;
  try {
    const welcome = await socket.ask({ do: "welcome" });
    const names = welcome.robots.map(({ name, description }) => [name, name, description]);
    options(find("robots"), names);
    robotFiles = welcome.robot_suffixes ?? robotFiles;
    if (!source) runs.offer(welcome.laws);
    const { name, q } = fromAddress();
    const known = names.map(([each]) => each);
    const first = [name, welcome.robot, FIRST].find((each) => known.includes(each)) ?? known[0];
    if (!source || !(await restored())) await load({ do: "robot", name: first }, first === name ? q : null);
  } catch (problem) {
    refused(problem);
  }
}

function lost(reason) {
  const words = "The studio's server is gone. If you stopped it, start it again with “qddot studio”; this page comes back by itself.";
  write(find("lost"), reason ? `${reason} Trying again…` : words);
  find("lost").hidden = false;
  player.pause();
}

/** After a reconnection: the same robot, settings and pose. Another server may not have that robot. */
async function restored() {
  const changes = settings.changes();
  try {
    const { arm } = await work.ask(source, "Connecting again…");
    robot = { ...robot, arm };
    if (changes) await socket.ask({ do: "set", arm, ...changes });
  } catch (problem) {
    refused(problem);
    return false;
  }
  showName(robot, source);
  say("Connected again.");
  look();
  return true;
}

// the robot

let loading = 0; // robots on their way
let arrived = null; // the last that came, shown when no other is on its way
async function load(question, q = null) {
  const words = question.do === "file" ? `Reading ${question.name}…` : `Loading ${question.name}…`;
  loading += 1;
  try {
    arrived = { answer: await work.ask(question, words), question, q };
    forget("problem");
  } catch (problem) {
    // the server ends what was asked for before another robot
    if (!problem.cancelled || loading === 1) refused(problem);
  }
  loading -= 1;
  if (loading) return;
  if (arrived) {
    source = arrived.question;
    take(arrived.answer, arrived.q);
    arrived = null;
  }
  if (robot) showName(robot, source);
}

/** Show a robot that came. */
function take(answer, q) {
  robot = answer;
  wanted = Settings.of(robot);
  if (changing) changing.next = null; // it was meant for the robot before
  document.querySelector("main").inert = false;
  arm.take(robot.scene_still);
  const zeros = robot.joints.map(() => 0);
  pose = { q: q?.length === robot.n ? q.map(within) : robot.q, qd: zeros, qdd: zeros };
  before.length = 0;
  find("undo").disabled = true;
  forgetMotion();
  options(find("frame"), robot.frames, robot.tip);
  joints.build(robot, pose);
  settings.build(robot);
  tables.build(robot);
  runs.build(robot);
  equation.clear();
  showFacts(robot);
  say(robot.description || "");
  find("warnings").open = false;
  look();
}

/** Return a position within a joint's limits: an address may have been written by hand. */
const within = (x, i) => Math.min(Math.max(x, robot.joints[i].low ?? -Infinity), robot.joints[i].high ?? Infinity);

const merged = (old, set) => ({ ...old, ...set, ...(set.friction ? { friction: { ...old?.friction, ...set.friction } } : {}) });

let changing = null; // settings on their way; newer ones wait here
async function change(set) {
  wanted = merged(wanted, set);
  if (changing) {
    changing.next = merged(changing.next, set);
    return;
  }
  changing = { next: set };
  while (changing.next) {
    const asked = changing.next;
    changing.next = null;
    try {
      const answer = await socket.ask({ do: "set", arm: robot.arm, ...asked });
      if (answer.arm === robot.arm) robot = answer;
    } catch (problem) {
      refused(problem);
    }
    if (!changing.next) {
      wanted = Settings.of(robot);
      settings.show(robot);
    }
    showFacts(robot);
    look();
  }
  changing = null;
  if (equation.entry) equation.show(equation.entry, robot);
}

// the pose

function remember() {
  before.push({ pose, wanted });
  if (before.length > MOST_UNDO) before.shift();
  find("undo").disabled = false;
}

function steer(state) {
  pose = state;
  player.pause();
  following = false;
  look();
}

function put(state) {
  steer(state);
  joints.show(pose);
}

function undo() {
  if (!before.length) return;
  const then = before.pop();
  if (then.pose !== pose) put(then.pose);
  if (then.wanted !== wanted) change(then.wanted);
  find("undo").disabled = before.length === 0;
}

function reset() {
  if (!robot) return;
  remember();
  const zeros = robot.joints.map(() => 0);
  put({ q: robot.q, qd: zeros, qdd: zeros });
}

function atRest() {
  if (!robot) return;
  remember();
  const zeros = robot.joints.map(() => 0);
  put({ ...joints.state, qd: zeros, qdd: zeros });
}

/** Ask for the state on the sliders, or that of the motion. */
function look() {
  if (!robot || !socket.open) return;
  const { q, qd, qdd } = following ? player.state() : pose;
  const drawn = { frame: find("frame").value, ellipsoid: find("ellipsoid").checked, torques: find("torques").checked };
  live.want({ arm: robot.arm, q, qd, qdd, ...drawn }, { path: arm.path });
}

function show(now, asked) {
  // an answer may still be about the robot before, or about the motion before
  if (now.arm !== robot?.arm) return;
  if (now.warning) tell(now.warning, "warning");
  arm.show(now, { moving: following, ...asked });
  tables.show(now, following ? player.state().tau : null);
  write(find("tau-words"), following && motion.tau ? "τ of the motion" : "τ = M q̈ + c + g + friction");
  equation.follow(now);
}

// motions

async function run(question) {
  if (!robot) return;
  const words = { drop: "Letting go…", control: "Closing the loop…", log: "Reading the log…" }[question.what];
  const [asker, still] = [robot.arm, matchMedia("(prefers-reduced-motion: reduce)").matches];
  find("run").disabled = true;
  try {
    const answer = await work.ask({ arm: asker, ...question }, words);
    const scenes = robot.arm === asker ? await moments(answer) : [];
    // meanwhile another robot may have come, whose motion this is not
    if (robot.arm === asker) {
      forget("problem");
      motion = answer;
      arm.widen(scenes);
      arm.begin();
      plots.show(motion, robot);
      say(motion.status ?? "", motion.good !== false);
      player.pause();
      player.load(motion, !still);
    }
  } catch (problem) {
    refused(problem);
  }
  find("run").disabled = false;
}

/** Return what the arm looks like at some moments of a motion. */
async function moments({ arm, q, qd }) {
  const rows = Array.from({ length: LOOKS }, (_, k) => Math.round((k * (q.length - 1)) / (LOOKS - 1)));
  const seen = await Promise.all(rows.map((k) => socket.ask({ do: "at", arm, q: q[k], qd: qd[k] })));
  return seen.map(({ scene }) => scene);
}

/** The motion is at another moment. */
function follow(state) {
  if (following && state.t < (follow.last ?? 0)) arm.begin();
  follow.last = state.t;
  following = true;
  joints.show({ q: state.q, qd: state.qd, qdd: state.qdd });
  plots.cursor(state.t);
  look();
}

function forgetMotion() {
  motion = null;
  following = false;
  arm.begin();
  player.clear();
  plots.clear();
}

function closeMotion() {
  forgetMotion();
  put(pose);
}

// files

async function taken(file) {
  const suffix = file.name.toLowerCase().match(/\.[^.]*$/)?.[0] ?? "";
  try {
    const sent = await packed(file);
    if (robotFiles.includes(suffix)) await load({ do: "file", ...sent });
    else {
      runs.choose("log");
      await run({ do: "play", what: "log", ...sent });
    }
  } catch (problem) {
    tell(problem.message);
  }
}

async function exported(what, words) {
  try {
    save(await work.ask({ do: "export", what, ...(robot ? { arm: robot.arm } : {}) }, words));
  } catch (problem) {
    refused(problem);
  }
}

const picture = () => robot && saveAddress(arm.png(), `${robot.name.replace(/[^\w.-]+/g, "_").slice(0, 60) || "robot"}.png`);

// everything that can be pressed

const flip = (id) => {
  find(id).checked = !find(id).checked;
  look();
};
find("robots").addEventListener("change", (event) => event.target.value && load({ do: "robot", name: event.target.value }));
find("undo").addEventListener("click", undo);
find("reset").addEventListener("click", reset);
find("stop").addEventListener("click", atRest);
find("close-plots").addEventListener("click", closeMotion);
find("save-png").addEventListener("click", picture);
find("save-csv").addEventListener("click", () => exported("csv", "Writing the table…"));
find("save-toml").addEventListener("click", () => exported("toml", "Writing the robot…"));
find("save-report").addEventListener("click", () => exported("report", "Writing the report…"));
for (const id of ["ellipsoid", "torques", "inertia", "frame", "trace"]) find(id).addEventListener("change", look);
chosen("angles", (unit) => {
  angles.degrees = unit === "deg";
  if (!robot) return;
  joints.rescale();
  runs.aim(runs.target);
  if (motion) plots.draw();
});
takeFiles(taken);
takeKeys([
  ["Space", "play or pause", () => player.toggle()],
  [",", "a step back in time", () => player.step(-1)],
  [".", "a step on in time", () => player.step(1)],
  ["Enter", "run from the pose on the sliders", () => find("run-form").requestSubmit()],
  ["L", "loop", () => flip("loop")],
  ["R", "reset the pose", reset],
  ["Ctrl Z", "undo the last change of pose, gravity, payload or friction", undo],
  ["E", "effective mass on or off", () => flip("ellipsoid")],
  ["G", "gravity torques on or off", () => flip("torques")],
  ["I", "inertia of the links on or off", () => flip("inertia")],
  ["T", "trace on or off", () => flip("trace")],
  ["O", "open a file", () => find("file").click()],
  ["P", "save a picture", picture],
  ["Esc", "cancel what is being computed", () => work.cancel()],
  ["?", "this list", () => find("shortcuts").showModal()],
]);
setInterval(() => {
  const rate = live.rate();
  write(find("rate"), rate > 4 ? `${rate} updates/s` : "");
  if (source?.do === "robot" && pose) toAddress(source.name, pose.q);
}, 500);
