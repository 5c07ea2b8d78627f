/** The studio: what the parts of the page tell each other. */

import { Arm } from "./arm.js";
import { Control, duration, unset } from "./control.js";
import { choose, chosen, find, options, write } from "./elements.js";
import { Equation } from "./equation.js";
import { packed, save, takeFiles } from "./files.js";
import { Hand } from "./hand.js";
import { History } from "./history.js";
import { Joints } from "./joints.js";
import { Judged } from "./judged.js";
import { takeKeys } from "./keys.js";
import { Live } from "./live.js";
import { forget, refused, say, tell, Work } from "./messages.js";
import { angles } from "./numbers.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { offerRobots, showFacts, showName } from "./robot_bar.js";
import { Runs } from "./runs.js";
import { Saving } from "./saving.js";
import { Settings } from "./settings.js";
import { Socket } from "./socket.js";
import { fromAddress, hashOf, toAddress } from "./state.js";
import { Tables } from "./tables.js";
import { Tool } from "./tool.js";
import { Tuning } from "./tuning.js";
import { Ways } from "./ways.js";

const FIRST = "panda"; // shown where nothing was asked for
const LOOKS = 9; // moments of a motion that tell where it goes
const FILE = "file:"; // before the name of a file that was opened

let robotFiles = [".urdf", ".xml", ".toml"]; // every other file is a log
let robot = null; // as the server told it last; robot.arm is its number, which questions about it carry
let source = null; // the question that brought it, to ask again after a reconnection
let pose = null; // {q, qd, qdd} on the sliders
let motion = null; // played last
let following = false; // whether the screen shows the motion rather than the sliders
let wanted = null; // its gravity, payload and friction as they were set last
let builtIn = []; // [name, name, description]
let missing = null; // {name, state} of an address about a file that this page does not have
let view = null; // what is to be run and shown, as it was before its last change

const arm = new Arm((scene) => besides(scene));
const socket = new Socket({ opened, lost });
const work = new Work(socket);
const live = new Live(socket, { show, refused });
const past = new History({ take: snapshot, put: restore });
const begun = () => past.remember();
const joints = new Joints({ changed: steer, begun });
const settings = new Settings({ changed: change, begun });
const tables = new Tables((entry) => equation.show(entry, robot));
const equation = new Equation({ ask: (entry) => work.ask({ do: "equation", arm: robot.arm, ...entry }, "Deriving the equation…"), refused });
const judged = new Judged(() => motion && plots.draw());
const plots = new Plots((t) => player.seek(t), () => judged.kept);
const player = new Player(follow);
const control = new Control({ begun, changed: () => tuning.changed(), pose: () => pose, ask: (question) => tuning.askLaw(question) });
const runs = new Runs({ run, picked, pose: () => pose, control });
const desk = {
  arm, socket, work, robot: () => robot, source: () => source, motion: () => motion, show: showMotion,
  control: () => control, player: () => player, runs: () => runs,
};
const tuning = new Tuning(desk);
const grasp = {
  ask: (question) => socket.ask(question), begun, refused, robot: () => robot, pose: () => pose, again: () => arm.again(), view: arm.view,
  want: (question, target) => {
    hold();
    live.want(() => ({ ...drawn(), ...question, ...pose }), { target });
  },
  set: (q) => put({ ...pose, q }),
  put: (q) => put({ ...pose, q }, true),
};
const tool = new Tool(grasp);
const ways = new Ways(grasp);
const hand = new Hand({ ...grasp, tool, ways });
const saving = new Saving(desk);

// the connection

async function opened() {
  find("lost").hidden = true;
  try {
    const welcome = await socket.ask({ do: "welcome" });
    builtIn = welcome.robots.map(({ name, description }) => [name, name, description]);
    robotFiles = welcome.robot_suffixes ?? robotFiles;
    offerRobots(builtIn);
    if (!source) control.offer(welcome.laws);
    if (source && (await restored())) return;
    if (await openAddress()) return;
    const known = builtIn.map(([each]) => each);
    await load({ do: "robot", name: [welcome.robot, FIRST].find((each) => known.includes(each)) ?? known[0] });
  } catch (problem) {
    refused(problem);
  }
}

function lost(reason) {
  const words = "The studio's server is gone. If you stopped it, start it again with “qddot studio”; this page comes back by itself.";
  write(find("lost"), reason ? `${reason} Trying again…` : words);
  find("lost").hidden = false;
  player.pause();
  tuning.loop.stop();
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
async function load(question, state = {}) {
  const words = question.do === "file" ? `Reading ${question.name}…` : `Loading ${question.name}…`;
  loading += 1;
  try {
    arrived = { answer: await work.ask(question, words), question, state };
    forget("problem");
  } catch (problem) {
    // the server ends what was asked for before another robot
    if (!problem.cancelled || loading === 1) refused(problem);
  }
  loading -= 1;
  if (loading) return;
  if (arrived) {
    source = arrived.question;
    const { answer, state } = arrived;
    arrived = null;
    take(answer, state);
  }
  if (robot) showName(robot, source);
}

/** Return what a robot is called among those of this page: its name, or that of its file. */
const nameOf = ({ do: how, name }) => (how === "file" ? `${FILE}${name}` : name);

/** Choose another robot; the same again begins anew. */
function chooseRobot(question) {
  const same = source && nameOf(source) === nameOf(question);
  const awaited = missing && question.do === "file" && question.name === missing.name ? missing.state : {};
  if (missing) forget("warning");
  missing = null;
  if (!same) past.remember();
  return load(question, same ? { setup: unset() } : awaited).then(() => same && past.clear());
}

/** Show what the address says; returns whether it names a robot that is there. */
async function openAddress() {
  const { name, state } = fromAddress();
  const whole = { setup: unset(), ...state };
  if (source && name === nameOf(source)) {
    await load(source, whole);
    return true;
  }
  if (name?.startsWith(FILE)) {
    missing = { name: name.slice(FILE.length), state: whole };
    tell(`The address does not hold “${missing.name}”: open that file again, or drop it here.`, "warning");
    return false;
  }
  if (!builtIn.some(([known]) => known === name)) return false;
  await load({ do: "robot", name }, whole);
  return true;
}

/** Show a robot that came, as a state has it. */
function take(answer, state) {
  tuning.loop.stop();
  robot = answer;
  wanted = Settings.of(robot);
  if (changing) changing.next = null; // it was meant for the robot before
  document.querySelector("main").inert = false;
  arm.take(robot.scene_still);
  tool.forget();
  ways.close();
  const zeros = robot.joints.map(() => 0);
  const fits = (x) => x?.length === robot.n;
  pose = { q: fits(state.q) ? state.q.map(within) : robot.q, qd: fits(state.qd) ? state.qd : zeros, qdd: fits(state.qdd) ? state.qdd : zeros };
  forgetMotion();
  judged.clear();
  options(find("frame"), robot.frames, robot.frames.includes(state.frame) ? state.frame : robot.tip);
  joints.build(robot, pose);
  settings.build(robot);
  tables.build(robot);
  control.build(robot, state.setup ?? null);
  if (state.set) change(state.set);
  showView(state);
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
      control.follow(robot);
    }
    showFacts(robot);
    look();
  }
  changing = null;
  if (equation.entry) equation.show(equation.entry, robot);
}

// the pose

function steer(state, keep = false) {
  if (!keep) ways.close();
  tool.letGo();
  hold();
  pose = state;
  look();
}

/** The sliders are what is shown, not a motion; a motion is left where it is. */
function hold() {
  if (following) pose = { ...pose, q: player.state().q };
  player.pause();
  following = false;
}

/** Show a state; `keep` leaves the ghosts of other solutions. */
function put(state, keep = false) {
  steer(state, keep);
  joints.show(pose);
}

/** Return what is drawn besides the arm and its overlays. */
function besides({ joints: drawnJoints }) {
  if (!pose || following) return { handle: null, ghosts: [], marked: {} };
  const handle = hand.mode === "tool" ? tool.handle(hand.hot) : null;
  return { handle, ghosts: ways.ghosts(), marked: hand.marked(drawnJoints ?? [], tool.limits) };
}

function allWays() {
  if (robot && tool.place && !tool.stuck) ways.open(tool.place, find("frame").value);
}

/** Return all that is set, to come back to. */
function snapshot() {
  return robot && { source, pose, set: wanted, setup: control.setup, ...view };
}

/** Set all of it again. */
function restore(state) {
  if (nameOf(state.source) !== nameOf(source)) {
    load(state.source, { ...state.pose, ...state });
    return;
  }
  if (state.pose !== pose) put(state.pose);
  if (state.set !== wanted) change(state.set);
  if (state.setup !== control.setup) {
    control.put(state.setup);
    tuning.changed();
  }
  showView(state);
}

/** Show what is to be run, how long, and of which frame. */
function showView({ what, duration: seconds, stops, frame }) {
  view = null; // nobody changed it by hand
  if (seconds) find("duration").value = seconds;
  if (stops !== undefined) find("stops").checked = stops;
  if (robot.frames.includes(frame)) find("frame").value = frame;
  if (what && what !== runs.what()) runs.choose(what);
  view = seen();
  look();
}

/** Return what is to be run and shown, as the page has it. */
function seen() {
  return { what: runs.what(), duration: duration(), stops: find("stops").checked, frame: find("frame").value };
}

/** What is to be run or shown was changed. */
function viewed() {
  if (robot) past.remember({ ...snapshot(), ...view });
  view = seen();
}

/** Return all that is set as plain data, for an address. */
function plainState() {
  return { q: pose.q, qd: pose.qd, qdd: pose.qdd, set: settings.changes(), setup: control.setup, ...seen() };
}

function reset() {
  if (!robot) return;
  begun();
  const zeros = robot.joints.map(() => 0);
  put({ q: robot.q, qd: zeros, qdd: zeros });
}

function atRest() {
  if (!robot) return;
  begun();
  const zeros = robot.joints.map(() => 0);
  put({ ...joints.state, qd: zeros, qdd: zeros });
}

/** Ask for the state on the sliders, or that of the motion. */
function look() {
  if (!robot || !socket.open) return;
  const { q, qd, qdd } = following ? player.state() : pose;
  live.want({ ...drawn(), q, qd, qdd }, { path: arm.path });
}

/** Return what every question about a state says: the robot, its frame, and what is drawn. */
const drawn = () => ({ arm: robot.arm, frame: find("frame").value, ellipsoid: find("ellipsoid").checked, torques: find("torques").checked });

function show(now, asked) {
  // an answer may still be about the robot before, or about the motion before
  if (now.arm !== robot?.arm) return;
  if (now.is === "dragged") {
    if (!tool.answer(now, asked.target)) return; // something else moved the arm meanwhile
    ways.close();
    pose = { ...pose, q: now.q };
    joints.show(pose);
  }
  if (!following) tool.at(now, find("frame").value);
  if (now.warning) tell(now.warning, "warning");
  arm.show(now, { moving: following, ...asked });
  if (!following) control.at(now);
  tables.show(now, following ? player.state().tau : null);
  write(find("tau-words"), following && motion.tau ? "τ of the motion" : "τ = M q̈ + c + g + friction");
  equation.follow(now);
}

// motions

async function run(question) {
  if (!robot) return;
  const words = { drop: "Letting go…", control: "Closing the loop…", log: "Reading the log…" }[question.what];
  const [asker, still] = [robot.arm, matchMedia("(prefers-reduced-motion: reduce)").matches];
  tuning.loop.stop();
  find("run").disabled = true;
  try {
    const answer = await work.ask({ arm: asker, ...question }, words);
    const scenes = robot.arm === asker ? await moments(answer) : [];
    // meanwhile another robot may have come, whose motion this is not
    if (robot.arm === asker) {
      forget("problem");
      arm.widen(scenes);
      arm.begin();
      showMotion(answer);
      if (motion.report) tuning.side("control");
      say(motion.status ?? "", motion.good !== false);
      player.pause();
      player.load(motion, !still);
    }
  } catch (problem) {
    refused(problem);
  }
  find("run").disabled = false;
}

/** What is to be played was chosen: a law is tuned at the side. */
function picked(what) {
  tuning.side(what === "control" ? "control" : "equations");
  if (what !== "control") tuning.loop.stop();
  if (view) viewed();
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
  tuning.changed();
  look();
}

/** Show the plots and figures of a motion, of its last part where that is given; null forgets the one before. */
function showMotion(shown, part = shown) {
  if (!shown) {
    forgetMotion();
    return;
  }
  motion = shown;
  plots.show(part, robot);
  judged.show(motion, robot);
}

function forgetMotion() {
  tuning.loop.stop();
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
    if (robotFiles.includes(suffix)) await chooseRobot({ do: "file", ...sent });
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

// everything that can be pressed

const flip = (id) => {
  find(id).checked = !find(id).checked;
  look();
};
find("robots").addEventListener("change", ({ target: { value } }) => chooseRobot(value.startsWith(FILE) ? source : { do: "robot", name: value }));
for (const id of ["duration", "stops", "frame"]) find(id).addEventListener("change", viewed);
find("reset").addEventListener("click", reset);
find("stop").addEventListener("click", atRest);
find("ways").addEventListener("click", allWays);
find("close-plots").addEventListener("click", closeMotion);
find("save-csv").addEventListener("click", () => exported("csv", "Writing the table…"));
find("save-toml").addEventListener("click", () => exported("toml", "Writing the robot…"));
find("save-report").addEventListener("click", () => exported("report", "Writing the report…"));
for (const id of ["ellipsoid", "torques", "inertia", "frame", "trace"]) find(id).addEventListener("change", look);
angles.choose(angles.remembered());
choose("angles", angles.remembered());
chosen("angles", (unit) => {
  angles.choose(unit);
  if (!robot) return;
  joints.rescale();
  tool.show();
  ways.rescale();
  control.show();
  if (motion) {
    plots.draw();
    judged.show(motion, robot);
  }
});
takeFiles(taken);
addEventListener("hashchange", () => {
  past.remember();
  openAddress();
});
takeKeys([
  ["Space", "play or pause", () => player.toggle()],
  [",", "a step back in time", () => player.step(-1)],
  [".", "a step on in time", () => player.step(1)],
  ["Enter", "run from the pose on the sliders", () => find("run-form").requestSubmit()],
  ["L", "loop", () => flip("loop")],
  ["R", "reset the pose", reset],
  ["V", "live: run while you turn the gains", () => runs.what() === "control" && tuning.toggle()],
  ["Ctrl Z", "undo the last change, of anything", () => past.undo()],
  ["Ctrl Y", "make it again", () => past.redo()],
  ["M", "arrow keys on the arm move the tool, or the view again", () => find("jog").click()],
  ["A", "all solutions of the tool's pose", allWays],
  ["E", "effective mass on or off", () => flip("ellipsoid")],
  ["G", "gravity torques on or off", () => flip("torques")],
  ["I", "inertia of the links on or off", () => flip("inertia")],
  ["T", "trace on or off", () => flip("trace")],
  ["O", "open a file", () => find("file").click()],
  ["P", "save a picture", () => saving.picture()],
  ["Esc", "cancel what is being computed, a live run too", () => tuning.cancel() || work.cancel()],
  ["?", "this list", () => find("shortcuts").showModal()],
]);
setInterval(() => {
  const rate = live.rate();
  write(find("rate"), rate > 4 ? `${rate} updates/s` : "");
  if (robot && pose && !changing) toAddress(hashOf({ robot: source.do === "file" ? { file: source.name } : source.name, ...plainState() }, robot));
}, 500);
