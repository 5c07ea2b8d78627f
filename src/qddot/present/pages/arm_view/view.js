/* A robot arm in three dimensions, drawn by WebGL 2; a browser without it shows a sentence.

     const view = new ArmView(canvas, {label: "the arm"});
     view.show({surfaces, poses, ghosts, lines, joints, bodies, ellipsoids, arrows, turns, frames,
                traces, solids, marked, handle, floor, box, up, look, scale});
     view.pick(x, y)     // which body is under a point of the canvas: {body, ghost, at}, or null
     view.hand = {begin, hover, over}    // who may take the pointer instead (see hands.js, handle.js)

   Drag or arrow keys turn it; with the right button, two fingers or Shift they move it; wheel,
   pinch, + and - bring it nearer; a double click or Home shows it as at first. Lengths are metres,
   angles radians. It draws when something has changed, before the browser's next picture.      */

const START = {azimuth: -0.9, elevation: 0.32};
const VIEW = 0.5; // [rad], how much is seen: little, so that near links do not swell
const STEEPEST = 1.5; // [rad]
const FILLED = 0.76; // the corners of a box are where no arm gets to
const FARTHEST = 0.2, NEAREST = 12; // zooms
const MOST_PIXELS = 4e6, MOST_WIDE = 4096; // [px]
const SLOW = 24; // [ms], a picture that takes longer is drawn coarser while things move
const COARSE = [1, 1.5, 2, 3]; // pixels that one pixel of such a picture is wide
const REST = 160; // [ms] without a change, and the finest picture is drawn, or as long as it takes
const LONGEST_REST = 2000; // [ms], and no longer than this
const WITHOUT = ["The arm is not drawn:", "this browser has no WebGL 2, or it is switched off."];

class ArmView {
  constructor(canvas, {label: words = "a robot arm"} = {}) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.scene = null;
    this.box = [[-1, -1, -1], [1, 1, 1]];
    this.zoom = 1;
    this.angles = {...START};
    this.shift = [0, 0, 0];
    this.ratio = 1;
    this.coarse = painter().slow ? 2 : 1;
    this.hand = null;
    this.wait = REST;
    canvas.setAttribute("role", "img");
    this.words = words;
    canvas.setAttribute("aria-label", words);
    canvas.tabIndex = 0;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    handle(this);
    this.resize();
  }

  show(scene) {
    const fresh = !this.scene, front = JSON.stringify([scene.up, scene.look]);
    if (!fresh && alike(scene, this.scene)) return;
    this.scene = scene;
    // a scene that says what must be in view may change it; another keeps what the first one had
    if (scene.box || fresh) this.box = scene.box || around(scene);
    if (fresh || front !== this.seenFrom) this.reset();
    this.seenFrom = front;
    this.request();
  }

  look({azimuth = this.angles.azimuth, elevation = this.angles.elevation, distance} = {}) {
    this.angles = {azimuth, elevation: clamp(elevation, -STEEPEST, STEEPEST)};
    if (distance) this.zoom = clamp(this.whole() / distance, FARTHEST, NEAREST);
    this.request();
  }

  get pose() {
    return {...this.angles, distance: this.whole() / this.zoom};
  }

  closer(times) {
    this.zoom = clamp(this.zoom * times, FARTHEST, NEAREST);
    this.request();
  }

  // move what is looked at, by pixels of the page to the right and down
  move(right, down) {
    const {cam} = this;
    if (!cam) return;
    const metres = ((this.whole() / this.zoom) * this.ratio) / this.focal;
    this.shift = add(this.shift, add(by(cam.right, -right * metres), by(cam.over, down * metres)));
    this.request();
  }

  reset() {
    this.zoom = 1;
    this.shift = [0, 0, 0];
    this.angles = {...this.front};
    this.request();
  }

  png() {
    this.draw(this.finest);
    return this.canvas.toDataURL("image/png");
  }

  resize() {
    const {width, height} = this.canvas.getBoundingClientRect();
    if (!width || !height) return;
    const most = Math.sqrt(MOST_PIXELS / (width * height));
    this.ratio = Math.min(window.devicePixelRatio || 1, 2, Math.max(most, 0.5));
    const [w, h] = [width, height].map((x) => Math.max(Math.round(x * this.ratio), 2));
    if (w === this.canvas.width && h === this.canvas.height && this.drawn) return;
    this.canvas.width = w;
    this.canvas.height = h;
    this.paint();
  }

  // draw before the browser shows its next picture
  request() {
    this.waiting = this.waiting || requestAnimationFrame(() => {
      this.waiting = 0;
      this.paint();
    });
  }

  // draw as fine as there is time for, and the finest picture when nothing changes any more
  paint() {
    const start = performance.now();
    this.draw(this.coarse);
    const took = performance.now() - start, step = took > SLOW ? 1 : took < SLOW / 3 ? -1 : 0;
    const {coarse} = this;
    this.coarse = COARSE[clamp(COARSE.indexOf(coarse) + step, 0, COARSE.length - 1)];
    clearTimeout(this.rest);
    if (coarse > this.finest) this.rest = setTimeout(() => this.refine(), clamp(this.wait, REST, LONGEST_REST));
  }

  // the finest picture, or one that does not keep a hand waiting
  refine() {
    const start = performance.now(), held = this.held();
    this.draw(held ? 1 : this.finest);
    if (!held) this.wait = performance.now() - start;
  }

  // where edges are not smooth of themselves, four pixels are drawn for one
  get finest() {
    return painter().slow ? 0.5 : 1;
  }

  // a picture, of coarse × coarse pixels each
  draw(coarse = 1) {
    const {canvas, pen, scene} = this, {width, height} = canvas;
    this.drawn = true;
    this.colours = LOOKS[this.dark.matches && !this.printing ? "dark" : "light"];
    if (!scene) {
      pen.fillStyle = this.colours.sky;
      pen.fillRect(0, 0, width, height);
      return;
    }
    this.high = Math.tan(VIEW / 2);
    this.wide = (this.high * width) / height;
    this.focal = height / 2 / this.high;
    this.cam = this.camera(this.angles, this.whole() / this.zoom);
    this.items = [...itemsOf(scene, this.scale, this.colours), ...handleItems(this)];
    const card = painter();
    if (!card) return this.excuse();
    const [w, h] = [width, height].map((x) => Math.min(Math.ceil(x / coarse), MOST_WIDE));
    card.draw(this, this.items, w, h, coarse <= this.finest);
    card.copy(pen, w, h);
    card.forget(this.items);
    return label(this);
  }

  // say why there is no picture
  excuse() {
    const {canvas, pen, ratio} = this, {width, height} = canvas;
    pen.fillStyle = this.colours.sky;
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = this.colours.ink;
    pen.font = `${14 * ratio}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    WITHOUT.forEach((words, k) => pen.fillText(words, width / 2, height / 2 + (k - 0.5) * 20 * ratio, 0.96 * width));
    canvas.setAttribute("aria-label", `${this.words}. ${WITHOUT.join(" ")}`);
  }

  // the ray through a point of the canvas, in pixels of the page
  ray(x, y) {
    const {cam, ratio, canvas} = this;
    const right = (x * ratio - canvas.width / 2) / this.focal;
    const down = (y * ratio - canvas.height / 2) / this.focal;
    return {from: cam.eye, along: unit(add(cam.ahead, add(by(cam.right, right), by(cam.over, -down))))};
  }

  // which body of the robot, or of a ghost of it (by its place in the scene), is under such a point
  pick(x, y) {
    if (!this.cam) return null;
    const {from, along} = this.ray(x, y);
    let best = Infinity, found = null;
    for (const item of this.items) {
      if (item.body === null || !(item.alpha > 0)) continue;
      const m = item.matrix, own = (v) => [0, 4, 8].map((k) => m[k] * v[0] + m[k + 1] * v[1] + m[k + 2] * v[2]);
      const t = met(item.mesh, own(sub(from, [m[12], m[13], m[14]])), own(along));
      if (t < best) [best, found] = [t, item];
    }
    return found && {body: found.body, ghost: found.ghost, at: add(from, by(along, best))};
  }

  part(x, y, slack = 9) {
    return partAt(this, x, y, slack);
  }

  joint(x, y) {
    return jointAt(this, x, y);
  }

  pull(part, x, y) {
    return puller(this, part, x, y);
  }

  // half the diagonal of what must be in view
  get radius() {
    return Math.max(size(sub(this.box[1], this.box[0])) / 2, 1e-3);
  }

  get middle() {
    return by(add(this.box[0], this.box[1]), 0.5);
  }

  get target() {
    return add(this.middle, this.shift);
  }

  // what every thickness is a part of
  get scale() {
    return this.scene.scale || this.radius;
  }

  // how the scene is looked at first
  get front() {
    return {...START, ...(this.scene && this.scene.look)};
  }

  // how far away the eye is when, from the front, everything just fits
  whole() {
    const {ahead, right, over} = this.camera(this.front, 0);
    const up = Math.tan(VIEW / 2), side = (up * this.canvas.width) / this.canvas.height;
    const [low, high] = this.box;
    let least = 0;
    for (let k = 0; k < 8; k++) {
      const d = sub([0, 1, 2].map((i) => (k >> i & 1 ? high : low)[i]), this.middle);
      const fits = Math.max(Math.abs(dot(d, right)) / side, Math.abs(dot(d, over)) / up);
      least = Math.max(least, FILLED * fits - dot(d, ahead));
    }
    return Math.max(least, 1.4 * this.radius);
  }

  camera({azimuth, elevation}, distance) {
    const up = unit((this.scene && this.scene.up) || [0, 0, 1]);
    // the direction that is nearest to x, or to y, and level
    const level = [[1, 0, 0], [0, 1, 0]].map((e) => sub(e, by(up, dot(e, up))));
    const first = unit(level.find((e) => size(e) > 0.5)), second = cross(up, first);
    const round = add(by(first, Math.cos(azimuth)), by(second, Math.sin(azimuth)));
    const out = add(by(round, Math.cos(elevation)), by(up, Math.sin(elevation)));
    const ahead = by(out, -1), right = unit(cross(ahead, up));
    return {up, first, second, ahead, right, over: cross(right, ahead),
      eye: add(this.target, by(out, distance))};
  }

  // where a point is on the canvas: right, down, depth
  seen(p) {
    const {eye, right, over, ahead} = this.cam, d = sub(p, eye), depth = dot(d, ahead);
    const k = this.focal / Math.max(depth, 1e-4);
    return [this.canvas.width / 2 + dot(d, right) * k, this.canvas.height / 2 - dot(d, over) * k,
      depth];
  }
}

// whether two scenes are the same picture; surfaces are compared by what they are, not by their numbers
function alike(a, b) {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(
    (key) => a[key] === b[key] || (key !== "surfaces" && JSON.stringify(a[key]) === JSON.stringify(b[key])));
}
