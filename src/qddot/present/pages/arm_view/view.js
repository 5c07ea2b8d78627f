/* A robot arm in three dimensions on a two-dimensional canvas: no WebGL, nothing to load.

     const view = new ArmView(canvas, {label: "the arm"});
     view.show({lines, joints, bodies, ellipsoids, arrows, turns, traces, solids,
                floor, box, up, look, scale});

   Drag or arrow keys turn it, wheel, pinch, + and - bring it nearer, a double click or Home shows
   it as at first. Lengths are metres, angles radians.                                            */

const START = {azimuth: -0.9, elevation: 0.32};
const VIEW = 0.5; // [rad], how much is seen: little, so that near links do not swell
const STEEPEST = 1.5; // [rad]
const FILLED = 0.9; // the corners of a box are where no arm gets to
const FARTHEST = 0.2, NEAREST = 12; // zooms
// where words may stand beside what they name: to the right, down
const PLACES = [[1, 0], [-1, 0], [1, 1.1], [1, -1.1], [-1, 1.1], [-1, -1.1],
  [1.5, 2.2], [1.5, -2.2], [-1.5, 2.2], [-1.5, -2.2]];
const MOST_PIXELS = 1.5e6;
const SLOW = 14; // [ms], a picture that takes longer is drawn coarser while things move
const REST = 160; // [ms] without a change, and the finest picture is drawn

class ArmView {
  constructor(canvas, {label = "a robot arm"} = {}) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.scene = null;
    this.box = [[-1, -1, -1], [1, 1, 1]];
    this.zoom = 1;
    this.angles = {...START};
    this.coarse = this.ratio = 1;
    this.stage = new Stage(this);
    this.tracer = new Tracer();
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label);
    canvas.tabIndex = 0;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    handle(this);
    this.resize();
  }

  show(scene) {
    const fresh = !this.scene, front = JSON.stringify([scene.up, scene.look]);
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

  reset() {
    this.zoom = 1;
    this.angles = {...this.front};
    this.request();
  }

  png() {
    this.draw(1);
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
    this.draw(1);
  }

  // draw before the browser shows its next picture
  request() {
    this.waiting = this.waiting || requestAnimationFrame(() => {
      this.waiting = 0;
      const start = performance.now();
      this.draw(this.coarse);
      const took = performance.now() - start;
      if (took > SLOW) this.coarse = 2;
      else if (took < SLOW / 5) this.coarse = 1;
      clearTimeout(this.rest);
      if (this.coarse > 1) this.rest = setTimeout(() => this.draw(1), REST);
    });
  }

  draw(coarse) {
    const {canvas, pen, scene} = this;
    this.drawn = true;
    this.colours = LOOKS[this.dark.matches && !this.printing ? "dark" : "light"];
    if (!scene) {
      pen.fillStyle = this.colours.sky;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      return;
    }
    this.cam = this.camera(this.angles, this.whole() / this.zoom);
    this.focal = canvas.height / 2 / Math.tan(VIEW / 2);
    this.solids = solidsOf(scene, this.scale, this.colours);
    const glass = (scene.ellipsoids || []).map(
      (e) => solid("sphere", e.at, e.axes, e.colour || "#009E73"));
    if (!this.image || this.image.width !== canvas.width || this.image.height !== canvas.height) {
      this.image = pen.createImageData(canvas.width, canvas.height);
    }
    this.stage.draw(this.image);
    this.tracer.draw(this.image, this.cam, this.focal, this.solids, glass, this.colours, coarse);
    pen.putImageData(this.image, 0, 0);
    this.labels();
  }

  // half the diagonal of what must be in view
  get radius() {
    return Math.max(size(sub(this.box[1], this.box[0])) / 2, 1e-3);
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
    const {target, ahead, right, over} = this.camera(this.front, 0);
    const up = Math.tan(VIEW / 2), side = (up * this.canvas.width) / this.canvas.height;
    const [low, high] = this.box;
    let least = 0;
    for (let k = 0; k < 8; k++) {
      const d = sub([0, 1, 2].map((i) => (k >> i & 1 ? high : low)[i]), target);
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
    const target = by(add(this.box[0], this.box[1]), 0.5);
    const ahead = by(out, -1), right = unit(cross(ahead, up));
    return {up, first, second, ahead, right, over: cross(right, ahead), target,
      eye: add(target, by(out, distance))};
  }

  // where a point is on the canvas: right, down, depth
  seen(p) {
    const {eye, right, over, ahead} = this.cam, d = sub(p, eye), depth = dot(d, ahead);
    const k = this.focal / Math.max(depth, 1e-4);
    return [this.canvas.width / 2 + dot(d, right) * k, this.canvas.height / 2 - dot(d, over) * k,
      depth];
  }

  labels() {
    const {pen, scene, ratio, colours} = this, taken = [], high = 16 * ratio;
    pen.font = `600 ${11.5 * ratio}px system-ui, sans-serif`;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const free = (x, y, wide) => !taken.some(
      (t) => Math.abs(t.y - y) < high && x < t.x + t.wide && t.x < x + wide);
    const write = (words, at, room = 0.03) => {
      const [x, y, depth] = this.seen(at);
      if (!words || depth < 1e-3) return;
      const wide = pen.measureText(words).width + 8 * ratio;
      const away = (room * this.scale * this.focal) / depth + 3 * ratio;
      // beside it; where other words are, a little farther
      const places = PLACES.map(([i, j]) => [x + i * away - (i < 0 ? wide : 0), y + j * high]);
      const [wanted, middle] = places.find(([u, v]) => free(u, v, wide)) || places[0];
      const left = clamp(wanted, 0, this.canvas.width - wide);
      taken.push({x: left, y: middle, wide});
      pen.fillStyle = colours.halo;
      pen.beginPath();
      pen.roundRect(left, middle - high / 2, wide, high, 4 * ratio);
      pen.fill();
      pen.fillStyle = colours.ink;
      pen.fillText(words, left + 4 * ratio, middle + ratio);
    };
    for (const e of scene.ellipsoids || []) write(e.label, e.at);
    for (const joint of scene.joints || []) write(joint.label, joint.at, 0.075);
    for (const turn of scene.turns || []) write(turn.label, turn.at, 0.2);
    for (const arrow of scene.arrows || []) write(arrow.label, arrow.to);
  }
}
