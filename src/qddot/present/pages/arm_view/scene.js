/* From a scene, which is plain data, to solids; every thickness is a part of one radius. */

function solidsOf(scene, radius, look) {
  const {lines = [], thin = [], joints = [], bodies = [], solids = []} = scene;
  const {arrows = [], turns = [], traces = [], up = [0, 0, 1]} = scene;
  const found = [];
  const [thick, ink] = bodies.length ? [0.026 * radius, look.bone] : [0.042 * radius, look.link];
  for (const line of lines) {
    for (let k = 1; k < line.length; k++) {
      if (size(sub(line[k], line[k - 1])) < 1e-6) continue;
      found.push(capsule(line[k - 1], line[k], thick, ink));
    }
  }
  for (const line of thin) {
    line.slice(1).forEach((p, k) => found.push(capsule(line[k], p, 0.008 * radius, look.link)));
  }
  for (const joint of joints) found.push(...jointOf(joint, radius, look));
  for (const body of bodies) {
    found.push(solid("sphere", body.at, body.axes, body.colour || look.link));
  }
  for (const {kind, at, axes, colour} of solids) {
    if (Object.hasOwn(HITS, kind)) found.push(solid(kind, at, axes, colour));
  }
  // what is not a thing casts no shadow
  const signs = [...arrows.map((a) => arrowOf(a, radius)),
    ...turns.map((t) => turnOf(t, radius, up)),
    ...traces.map((t) => traceOf(t, radius, look))].flat();
  for (const s of signs) s.weightless = true;
  return [...found, ...signs].slice(0, 65000);
}

function jointOf({at, axis, turns, colour}, radius, look) {
  const r = 0.056 * radius, z = unit(axis);
  if (!turns) {
    const [x, y, long] = frameOf(z, 0.85 * r, 1.5 * r);
    return [solid("box", at, [x, y, long], colour)];
  }
  // a drum on an axle
  const half = by(z, 1.3 * r), axle = by(z, 1.45 * r);
  return [stick("cylinder", sub(at, half), add(at, half), r, colour),
    stick("cylinder", sub(at, axle), add(at, axle), 0.5 * r, look.link)];
}

function arrowOf({from, to, colour = "#D55E00"}, radius) {
  const along = sub(to, from), length = size(along);
  if (length < 1e-6) return [];
  const head = by(unit(along), Math.min(0.13 * radius, 0.6 * length)), neck = sub(to, head);
  return [capsule(from, neck, 0.014 * radius, colour),
    stick("cone", neck, to, 0.04 * radius, colour)];
}

// a circular arrow that begins at the top: the longer round, the more torque
function turnOf({at, axis, amount, colour = "#D55E00"}, radius, up) {
  const part = clamp(Math.abs(amount), 0, 1);
  if (!(part > 0.01)) return [];
  const z = by(unit(axis), Math.sign(amount)), rise = sub(up, by(z, dot(up, z)));
  const x = size(rise) > 0.2 ? unit(rise) : across(z), y = cross(z, x);
  const r = 0.17 * radius, thick = radius * (0.009 + 0.009 * part);
  const on = (w) => add(at, add(by(x, r * Math.cos(w)), by(y, r * Math.sin(w))));
  const sweep = 0.5 + 4.6 * part, steps = Math.ceil(sweep / 0.2), found = [];
  for (let k = 0; k < steps; k++) {
    found.push(capsule(on((sweep * k) / steps), on((sweep * (k + 1)) / steps), thick, colour));
  }
  const tip = on(sweep), ahead = by(unit(sub(on(sweep + 0.3), tip)), 5.5 * thick);
  return [...found, stick("cone", tip, add(tip, ahead), 2.6 * thick, colour)];
}

function traceOf({points, colour}, radius, look) {
  const every = Math.max(1, Math.ceil(points.length / 500));
  const kept = points.filter((_, k) => k % every === 0 || k === points.length - 1);
  return kept.slice(1).map((p, k) => capsule(kept[k], p, 0.006 * radius, colour || look.trace));
}

// the box round a scene that does not say what must be in view
function around({lines = [], joints = [], bodies = []}) {
  const points = [...lines.flat(), ...joints.map((j) => j.at), ...bodies.map((b) => b.at)];
  if (!points.length) return [[-1, -1, -1], [1, 1, 1]];
  const low = [0, 1, 2].map((i) => points.reduce((m, p) => Math.min(m, p[i]), Infinity));
  const high = [0, 1, 2].map((i) => points.reduce((m, p) => Math.max(m, p[i]), -Infinity));
  const room = 0.1 * Math.max(size(sub(high, low)), 0.1);
  return [low.map((v) => v - room), high.map((v) => v + room)];
}
