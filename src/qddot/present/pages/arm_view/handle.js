/* The handle of a frame that can be pulled: an arrow, a square and a ring for each axis, and a ball.

     scene.handle = {at, axes, hot, to}   // where, along which unit vectors, the part that is lit,
                                          // and where the frame is that does not get there (or null)
     view.part(x, y)                      // the part under a point of the canvas, or null
     view.joint(x, y)                     // the same of the link under it: how its joint moves it
     view.pull(part, x, y)                // what a pointer that went down there means from then on:
                                          // (x, y) => {along: [m], turn: [rad], axis}

   A part is {name, kind, axis, at, point}: "along" an axis, "plane" across it, "turn" about it, or
   "free", in the plane of the picture. `point` is where it was taken.                          */

const HANDLE = [52, 96]; // [px] of an arrow, at least and at most
const HOT = "#f0a500", STRETCHED = "#D55E00";
const TAIL = 0.2, RING = 0.74, SQUARE = [0.36, 0.1], BALL = 0.075; // in parts of an arrow
const EDGE_ON = 0.22, THIN = 0.1; // a ring seen from so flat is pulled along its edge; such a square is none
const CIRCLE = Array.from({length: 41}, (_, k) => [Math.cos((Math.PI * k) / 20), Math.sin((Math.PI * k) / 20), 0]);
// the arrow, the ring and the square of one axis, z; together, since every call of a card costs time
const ARROW = [moved(MESHES.cylinder, [0.018, 0.018, 0.31], [0, 0, 0.51]), moved(MESHES.cone, [0.055, 0.055, 0.1], [0, 0, 0.9])];
const HOOP = tube(CIRCLE.map((p) => by(p, RING)), 0.016, 6);
const KNOB = sphere(12);
const TILE = moved(MESHES.box, [SQUARE[1], SQUARE[1], 0.008], [SQUARE[0], SQUARE[0], 0]);
const SIGNS = {along: together(ARROW), turn: together([HOOP]), plane: together([TILE])};
SIGNS.all = together(Object.values(SIGNS));

// a mesh, stretched along its axes and shifted
function moved({points, normals, triangles}, [a, b, c], at) {
  const stretched = points.map((x, k) => x * [a, b, c][k % 3] + at[k % 3]);
  const turned = Array.from(normals, (x, k) => x / [a, b, c][k % 3]);
  for (let k = 0; k < turned.length; k += 3) {
    const long = size(turned.slice(k, k + 3)) || 1;
    for (let i = k; i < k + 3; i++) turned[i] *= 32767 / long;
  }
  return {points: stretched, normals: Int16Array.from(turned, Math.round), triangles};
}

// how long an arrow is [m], so that it looks as long at any distance
function handleSize(view, at) {
  const depth = Math.max(dot(sub(at, view.cam.eye), view.cam.ahead), 1e-3);
  const [least, most] = HANDLE, wanted = (0.17 * view.canvas.height) / view.ratio;
  return (clamp(wanted, least, most) * view.ratio * depth) / view.focal;
}

// the axis k and the two after it
const turnedTo = (axes, k) => [axes[(k + 1) % 3], axes[(k + 2) % 3], axes[k]];

function handleItems(view) {
  const {handle} = view.scene, found = [];
  if (!handle) return found;
  const {at, axes, hot, to} = handle, long = handleSize(view, at);
  const put = (mesh, sides, where, colour) => found.push({mesh, kind: "sign", body: null, alpha: 1,
    matrix: placed(sides, where), colour});
  axes.forEach((_, k) => {
    const sides = turnedTo(axes, k).map((side) => by(side, long)), [lit, of] = (hot || "").split(" ");
    if (Number(of) !== k || of === undefined) return put(SIGNS.all, sides, at, AXES[k]);
    for (const kind of ["along", "turn", "plane"]) put(SIGNS[kind], sides, at, kind === lit ? HOT : AXES[k]);
  });
  put(KNOB, frameOf([0, 0, 1], BALL * long, BALL * long), at, hot === "free" ? HOT : "#8a93a0");
  const stretch = to ? sub(at, to) : [0, 0, 0];
  if (size(stretch) > 0.05 * long) {
    put(MESHES.cylinder, frameOf(stretch, 0.014 * long, size(stretch) / 2), by(add(at, to), 0.5), STRETCHED);
  }
  return found;
}

// the part of the handle within so many pixels of the page from a point; the nearest of them
function partAt(view, x, y, slack) {
  const {handle} = view.scene;
  if (!handle || !view.cam) return null;
  const {at, axes} = handle, long = handleSize(view, at), {ratio} = view;
  const pixel = (p) => view.seen(p).slice(0, 2).map((value) => value / ratio);
  let best = slack, part = null;
  const offer = (away, name, axis, point) => {
    if (away < best) [best, part] = [away, {name, kind: name.split(" ")[0], axis, at, point}];
  };
  axes.forEach((axis, k) => {
    const [u, v] = turnedTo(axes, k), on = (part) => add(at, by(axis, part * long));
    offer(toSegment([x, y], pixel(on(TAIL)), pixel(on(1))), `along ${k}`, axis, on(0.6));
    const ring = CIRCLE.map(([c, s]) => add(at, by(add(by(u, c), by(v, s)), RING * long)));
    ring.slice(1).forEach((p, i) => offer(toSegment([x, y], pixel(ring[i]), pixel(p)) + 1, `turn ${k}`, axis, p));
    // a square that is seen from its edge is none
    if (Math.abs(dot(axis, unit(sub(at, view.cam.eye)))) < THIN) return;
    const [away, half] = SQUARE.map((part) => part * long);
    const corner = ([i, j]) => pixel(add(at, add(by(u, away + i * half), by(v, away + j * half))));
    if (inside([x, y], [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(corner))) offer(0.5, `plane ${k}`, axis, at);
  });
  const middle = pixel(at);
  offer(Math.max(Math.hypot(x - middle[0], y - middle[1]) - 0.1 * long * view.focal / ratio
    / Math.max(view.seen(at)[2], 1e-3), 0) + 0.6, "free", view.cam.ahead, at);
  return part;
}

// how far a point of the picture is from a line between two others
function toSegment([x, y], [a, b], [c, d]) {
  const [u, v] = [c - a, d - b], t = clamp(((x - a) * u + (y - b) * v) / (u * u + v * v || 1), 0, 1);
  return Math.hypot(x - a - t * u, y - b - t * v);
}

// whether a point is on the same side of all four edges
function inside([x, y], corners) {
  const sides = corners.map(([a, b], k) => {
    const [c, d] = corners[(k + 1) % corners.length];
    return (c - a) * (y - b) - (d - b) * (x - a);
  });
  return sides.every((s) => s >= 0) || sides.every((s) => s <= 0);
}

// the joint that carries what is under a point, as a part that can be pulled
function jointAt(view, x, y) {
  const found = view.pick(x, y), joint = found && found.ghost === null && (view.scene.joints || [])[found.body];
  if (!joint) return null;
  const axis = unit(joint.axis), {at: point, body} = found;
  const at = add(joint.at, by(axis, dot(sub(point, joint.at), axis)));
  return {name: `joint ${body}`, kind: joint.turns ? "turn" : "along", axis, at, point, body};
}

function puller(view, {kind, axis, at, point}, x, y) {
  let last = {along: [0, 0, 0], turn: 0, axis};
  const told = (found) => (last = found ? {...last, ...found} : last);
  if (kind === "along") {
    const start = onLine(view, at, axis, x, y) ?? 0;
    return (u, v) => {
      const t = onLine(view, at, axis, u, v);
      return told(t !== null && {along: by(axis, clamp(t - start, -4 * view.radius, 4 * view.radius))});
    };
  }
  if (kind !== "turn") {
    const start = onPlane(view, at, axis, x, y);
    return (u, v) => {
      const p = onPlane(view, at, axis, u, v);
      return told(p && start && {along: sub(p, start)});
    };
  }
  const first = across(axis), second = cross(axis, first);
  if (Math.abs(dot(axis, view.ray(x, y).along)) < EDGE_ON) { // seen from the edge: along the tangent
    const arm = sub(point, at), r = size(arm) || 1, go = by(cross(axis, arm), 0.01 / r);
    const [a, b] = [view.seen(point), view.seen(add(point, go))].map((p) => p.map((value) => value / view.ratio));
    const way = [(b[0] - a[0]) / 0.01, (b[1] - a[1]) / 0.01], square = way[0] ** 2 + way[1] ** 2 || 1;
    return (u, v) => told({turn: ((u - x) * way[0] + (v - y) * way[1]) / square / r});
  }
  const angle = (u, v) => {
    const p = onPlane(view, at, axis, u, v);
    return p && Math.atan2(dot(sub(p, at), second), dot(sub(p, at), first));
  };
  let before = angle(x, y), sum = 0;
  return (u, v) => {
    const now = angle(u, v);
    if (now === null || before === null) return last;
    sum += Math.atan2(Math.sin(now - before), Math.cos(now - before)); // more than once round
    before = now;
    return told({turn: sum});
  };
}

// where on a line the ray through a point of the canvas comes nearest; null: along the ray
function onLine(view, at, axis, x, y) {
  const {from, along} = view.ray(x, y), w = sub(at, from), b = dot(axis, along);
  return 1 - b * b < 0.01 ? null : (b * dot(along, w) - dot(axis, w)) / (1 - b * b);
}

// where that ray meets a plane; null: nowhere, or nearly along it
function onPlane(view, at, normal, x, y) {
  const {from, along} = view.ray(x, y), down = dot(normal, along), s = dot(normal, sub(at, from)) / down;
  return Math.abs(down) < 0.05 || !(s > 0) ? null : add(from, by(along, s));
}
