/* Vectors, and the solids that an arm is drawn with.

   Every solid is a sphere, capsule, cylinder, cone or box of size one that three half axes stretch.
   A ray is carried into the solid's own axes, where its hit is a few lines of algebra.           */

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const by = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const size = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => by(a, 1 / (size(a) || 1));
const across = (a) => unit(cross(a, Math.abs(a[0]) < 0.6 * size(a) ? [1, 0, 0] : [0, 1, 0]));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

const MISS = Infinity;

/* Does the ray o + t d enter a solid, and where? In: d in ray[0..2], o and c of OUTSIDE in s.
   Out: t, or MISS, in ray[3]. Numbers travel in an array, so that none is made for every ray.   */
const HITS = {
  sphere(s, ray) {
    const x = ray[0], y = ray[1], z = ray[2];
    const a = x * x + y * y + z * z, b = s.ox * x + s.oy * y + s.oz * z;
    const disc = b * b - a * s.c;
    ray[3] = disc < 0 ? MISS : (-b - Math.sqrt(disc)) / a;
  },
  capsule(s, ray) {
    const x = ray[0], y = ray[1], z = ray[2];
    const a = x * x + y * y, b = s.ox * x + s.oy * y, disc = b * b - a * s.c;
    ray[3] = MISS;
    if (disc < 0) return;
    let end = s.oz > 0 ? s.h : -s.h;
    if (a > 1e-12) {
      const t = (-b - Math.sqrt(disc)) / a, at = s.oz + t * z;
      end = at > 0 ? s.h : -s.h;
      if (at > -s.h && at < s.h) { ray[3] = t; return; }
    }
    const oz = s.oz - end, A = a + z * z, B = b + oz * z;
    const round = B * B - A * (s.c + oz * oz);
    if (round >= 0) ray[3] = (-B - Math.sqrt(round)) / A;
  },
  cylinder(s, ray) {
    const x = ray[0], y = ray[1], z = ray[2];
    const a = x * x + y * y, b = s.ox * x + s.oy * y, disc = b * b - a * s.c;
    ray[3] = MISS;
    if (disc < 0) return;
    if (a > 1e-12) {
      const t = (-b - Math.sqrt(disc)) / a, at = s.oz + t * z;
      if (at >= -1 && at <= 1) { ray[3] = t; return; }
    }
    const t = ((s.oz > 0 ? 1 : -1) - s.oz) / z, px = s.ox + t * x, py = s.oy + t * y;
    if (t > 0 && px * px + py * py <= 1) ray[3] = t;
  },
  cone(s, ray) {
    // the tip at z = 1, a base of radius 1 at z = -1
    const x = ray[0], y = ray[1], z = ray[2], w = (1 - s.oz) / 2, v = -z / 2;
    const a = x * x + y * y - v * v, b = s.ox * x + s.oy * y - w * v, disc = b * b - a * s.c;
    let best = MISS;
    if (disc >= 0) {
      const root = Math.sqrt(disc), t1 = (-b - root) / a, t2 = (-b + root) / a;
      if (t1 > 0 && Math.abs(s.oz + t1 * z) <= 1) best = t1;
      if (t2 > 0 && t2 < best && Math.abs(s.oz + t2 * z) <= 1) best = t2;
    }
    const t = (-1 - s.oz) / z, px = s.ox + t * x, py = s.oy + t * y;
    ray[3] = t > 0 && t < best && px * px + py * py <= 1 ? t : best;
  },
  box(s, ray) {
    const x1 = (-1 - s.ox) / ray[0], x2 = (1 - s.ox) / ray[0];
    const y1 = (-1 - s.oy) / ray[1], y2 = (1 - s.oy) / ray[1];
    const z1 = (-1 - s.oz) / ray[2], z2 = (1 - s.oz) / ray[2];
    const near = Math.max(Math.min(x1, x2), Math.min(y1, y2), Math.min(z1, z2));
    const far = Math.min(Math.max(x1, x2), Math.max(y1, y2), Math.max(z1, z2));
    ray[3] = near <= far && near > 0 ? near : MISS;
  },
};

// the constant of the quadratic equation: how far the eye is outside
const OUTSIDE = {
  sphere: (s) => s.ox * s.ox + s.oy * s.oy + s.oz * s.oz - 1,
  capsule: (s) => s.ox * s.ox + s.oy * s.oy - 1,
  cylinder: (s) => s.ox * s.ox + s.oy * s.oy - 1,
  cone: (s) => s.ox * s.ox + s.oy * s.oy - ((1 - s.oz) / 2) ** 2,
  box: () => 1,
};

// replace the point in p, on the surface, by the outward direction there
const NORMALS = {
  sphere() {},
  capsule(s, p) { p[2] -= clamp(p[2], -s.h, s.h); },
  cylinder(s, p) {
    if (Math.abs(p[2]) > 0.9999) p[0] = p[1] = 0;
    else p[2] = 0;
  },
  cone(s, p) {
    if (p[2] < -0.9999) p[0] = p[1] = 0;
    else p[2] = (1 - p[2]) / 4;
  },
  box(s, p) {
    const a = Math.abs(p[0]), b = Math.abs(p[1]), c = Math.abs(p[2]), most = Math.max(a, b, c);
    if (a < most) p[0] = 0;
    if (b < most) p[1] = 0;
    if (c < most) p[2] = 0;
  },
};

// kind, middle, half axes; h: half the length of a capsule without its ends, in radii
function solid(kind, at, axes, colour, h = 0) {
  return {
    kind, at, axes, colour, h, tint: linear(colour), hit: HITS[kind], normal: NORMALS[kind],
    inverse: axes.map((a) => by(a, 1 / Math.max(dot(a, a), 1e-16))),
  };
}

function frameOf(axis, r, length) {
  const z = unit(size(axis) > 1e-9 ? axis : [0, 0, 1]), x = across(z);
  return [by(x, r), by(cross(z, x), r), by(z, length)];
}

function capsule(a, b, r, colour) {
  const along = sub(b, a);
  return solid("capsule", by(add(a, b), 0.5), frameOf(along, r, r), colour, size(along) / 2 / r);
}

// a cylinder or a cone from one point to another
function stick(kind, a, b, r, colour) {
  const along = sub(b, a);
  return solid(kind, by(add(a, b), 0.5), frameOf(along, r, size(along) / 2), colour);
}

// the middle line of a solid and how thick it is round it: two points and a radius
function core(s) {
  const [x, y, z] = s.axes.map(size);
  if (s.kind === "box") return [sub(s.at, s.axes[2]), add(s.at, s.axes[2]), Math.hypot(x, y)];
  if (s.kind !== "sphere") {
    const end = by(s.axes[2], s.kind === "capsule" ? s.h : 1);
    return [sub(s.at, end), add(s.at, end), x];
  }
  const long = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  const [, r, longest] = [x, y, z].sort((a, b) => a - b);
  const end = by(s.axes[long], longest ? 1 - r / longest : 0);
  return [sub(s.at, end), add(s.at, end), r];
}
