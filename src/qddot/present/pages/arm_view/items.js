/* From a scene, which is plain data, to items: a mesh, its place, its colour, and how it is drawn.

   `kind` is "solid" (opaque, casts a shadow), "sign" (opaque, no shadow: it is not a thing),
   "ghost" (translucent, and nothing of it is seen through itself) or "glass" (ellipsoids).
   Every thickness is a part of one radius.                                                     */

const XRAY = 0.3; // how dense surfaces are where the bodies inside are shown

function itemsOf(scene, radius, look) {
  const {lines = [], thin = [], joints = [], bodies = [], solids = [], frames = []} = scene;
  const {arrows = [], turns = [], traces = [], ellipsoids = [], up = [0, 0, 1]} = scene;
  const {marked = {}} = scene; // colours of bodies, in place of their own
  const found = [], robot = scene.surfaces && scene.poses ? scene.surfaces : null;
  const parts = robot && partsOf(robot);
  const put = (mesh, matrix, colour, kind = "solid", more = {}) =>
    found.push({mesh, matrix, colour, kind, alpha: 1, body: null, ghost: null, ...more});
  const shape = (name, at, axes, colour, kind) => put(MESHES[name], placed(axes, at), colour, kind);
  const stick = (name, a, b, r, colour, kind) => {
    const along = sub(b, a);
    shape(name, by(add(a, b), 0.5), frameOf(along, r, size(along) / 2), colour, kind);
  };
  const ball = (at, r, colour, kind) => shape("sphere", at, frameOf([0, 0, 1], r, r), colour, kind);
  const rod = (line, r, colour) => line.forEach((p, k) => {
    ball(p, r, colour);
    if (k && size(sub(p, line[k - 1])) > 1e-6) stick("cylinder", line[k - 1], p, r, colour);
  });
  const standing = (poses, kind, alpha, ghost = null, colour = null) => {
    for (const part of parts) {
      if (part.body < 0 && ghost !== null) continue; // the base is where the robot's own is
      const pose = part.body < 0 ? IDENTITY : poses[part.body] && posed(poses[part.body]);
      const own = ghost === null && marked[part.body];
      if (pose) put(part.mesh, pose, own || colour || part.colour, kind, {alpha, ghost, body: part.body});
    }
  };

  if (robot) {
    standing(scene.poses, bodies.length ? "ghost" : "solid", bodies.length ? XRAY : 1);
    (scene.ghosts || []).forEach(({poses, colour, alpha = 0.42}, k) => standing(poses, "ghost", alpha, k, colour));
  } else {
    const [thick, ink] = bodies.length ? [0.026 * radius, look.bone] : [0.042 * radius, look.link];
    for (const line of lines) rod(line, thick, ink);
    for (const joint of joints) drum(joint);
  }
  for (const line of thin) if (line.length > 1) put(tube(line, 0.008 * radius), IDENTITY, look.link);
  for (const body of bodies) shape("sphere", body.at, body.axes, body.colour || look.link);
  for (const {kind, at, axes, colour} of solids) {
    if (Object.hasOwn(MESHES, kind) && axes.length === 3) shape(kind, at, axes, colour);
  }
  for (const e of ellipsoids) shape("sphere", e.at, e.axes, e.colour || "#009E73", "glass");
  for (const arrow of arrows) pointer(arrow.from, arrow.to, 0.012 * radius, arrow.colour || "#D55E00");
  for (const frame of frames) {
    const long = frame.size || 0.14 * radius;
    frame.axes.forEach((axis, k) => pointer(frame.at, add(frame.at, by(unit(axis), long)), 0.05 * long, AXES[k]));
  }
  for (const turn of turns) round(turn);
  for (const trace of traces) path(trace);
  return found;

  function pointer(from, to, r, colour) {
    const along = sub(to, from), long = size(along);
    if (long < 1e-9) return;
    const head = Math.min(5 * r, 0.6 * long), neck = sub(to, by(along, head / long));
    stick("cylinder", from, neck, r, colour, "sign");
    stick("cone", neck, to, 2.4 * r, colour, "sign");
  }

  function drum({at, axis, turns: turning, colour}) {
    const r = 0.056 * radius, z = unit(axis);
    if (!turning) return shape("box", at, frameOf(z, 0.85 * r, 1.5 * r), colour);
    const half = by(z, 1.3 * r), axle = by(z, 1.45 * r);
    stick("cylinder", sub(at, half), add(at, half), r, colour);
    return stick("cylinder", sub(at, axle), add(at, axle), 0.5 * r, look.link);
  }

  // a circular arrow that begins at the top: the longer round, the more torque
  function round(turn) {
    const arc = arcOf(turn, radius, up);
    if (!arc) return;
    const {on, sweep, part} = arc, colour = turn.colour || "#D55E00";
    const thick = radius * (0.009 + 0.009 * part), steps = Math.ceil(sweep / 0.12);
    put(tube(Array.from({length: steps + 1}, (_, k) => on((sweep * k) / steps)), thick, 12), IDENTITY, colour, "sign");
    const tip = on(sweep), ahead = by(unit(sub(on(sweep + 0.3), tip)), 5.5 * thick);
    stick("cone", tip, add(tip, ahead), 2.6 * thick, colour, "sign");
  }

  function path({points, colour}) {
    const every = Math.max(1, Math.ceil(points.length / 600));
    const kept = points.filter((_, k) => k % every === 0 || k === points.length - 1);
    if (kept.length > 1) put(tube(kept, 0.006 * radius, 6), IDENTITY, colour || look.trace, "sign");
  }
}

/** Where the circular arrow of a torque runs: `on(w)` of an angle up to `sweep`; null of none. */
function arcOf({at, axis, amount}, radius, up) {
  const part = clamp(Math.abs(amount), 0, 1);
  if (!(part > 0.01)) return null;
  const z = by(unit(axis), Math.sign(amount)), rise = sub(up, by(z, dot(up, z)));
  const x = size(rise) > 0.2 ? unit(rise) : across(z), y = cross(z, x), r = 0.17 * radius;
  const on = (w) => add(at, add(by(x, r * Math.cos(w)), by(y, r * Math.sin(w))));
  return {on, part, sweep: 0.5 + 4.6 * part};
}

const IDENTITY = placed([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]);

// the box round a scene that does not say what must be in view
function around({lines = [], joints = [], bodies = []}) {
  const points = [...lines.flat(), ...joints.map((j) => j.at), ...bodies.map((b) => b.at)];
  if (!points.length) return [[-1, -1, -1], [1, 1, 1]];
  const low = [0, 1, 2].map((i) => points.reduce((m, p) => Math.min(m, p[i]), Infinity));
  const high = [0, 1, 2].map((i) => points.reduce((m, p) => Math.max(m, p[i]), -Infinity));
  const room = 0.25 * Math.max(size(sub(high, low)), 0.1);
  return [low.map((v) => v - room), high.map((v) => v + room)];
}
