/* Surfaces as triangles: those of the robot, and a few that signs and ellipsoids are made of.

   A mesh is {points, normals, triangles}, typed arrays; it is never changed, so that whoever draws
   it may keep what it made of it.                                                              */

// typed arrays from text; what is no such text is an empty array
function unpacked(text, Kind) {
  try {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const whole = bytes.length - (bytes.length % Kind.BYTES_PER_ELEMENT);
    return new Kind(bytes.buffer, 0, whole / Kind.BYTES_PER_ELEMENT);
  } catch {
    return new Kind(0);
  }
}

const robots = new WeakMap(); // what was unpacked, by the list it came in
function partsOf(surfaces) {
  if (!robots.has(surfaces)) {
    robots.set(surfaces, surfaces.map(({body, colour, points, normals, triangles}) => {
      const mesh = {points: unpacked(points, Float32Array), normals: unpacked(normals, Int16Array)};
      const count = mesh.points.length / 3;
      mesh.triangles = unpacked(triangles, counting(count));
      const fits = mesh.normals.length === mesh.points.length && mesh.triangles.every((k) => k < count);
      return {body, colour, mesh: fits ? bounded(mesh) : null};
    }).filter((part) => part.mesh));
  }
  return robots.get(surfaces);
}

// what counts so many points
const counting = (count) => (count <= 65535 ? Uint16Array : Uint32Array);

// the ball round a mesh, for picking
function bounded(mesh) {
  const {points} = mesh, low = [Infinity, Infinity, Infinity], high = low.map((x) => -x);
  for (let k = 0; k < points.length; k++) {
    low[k % 3] = Math.min(low[k % 3], points[k]);
    high[k % 3] = Math.max(high[k % 3], points[k]);
  }
  return Object.assign(mesh, {middle: by(add(low, high), 0.5), reach: size(sub(high, low)) / 2});
}

// one mesh of several
function together(meshes) {
  const points = [], normals = [], triangles = [];
  for (const mesh of meshes) {
    const start = points.length / 3;
    for (const k of mesh.triangles) triangles.push(k + start);
    points.push(...mesh.points);
    normals.push(...mesh.normals);
  }
  return bounded({points: new Float32Array(points), normals: new Int16Array(normals),
    triangles: new (counting(points.length / 3))(triangles)});
}

// what a lathe makes: pieces of a profile, each a list of [radius, height, outward r, outward z]
function turned(pieces, sides = 28) {
  const points = [], normals = [], triangles = [];
  for (const piece of pieces) {
    piece.forEach(([r, z, nr, nz], row) => {
      const start = points.length / 3;
      for (let k = 0; k <= sides; k++) {
        const w = (2 * Math.PI * k) / sides, c = Math.cos(w), s = Math.sin(w), last = start - sides - 1;
        points.push(r * c, r * s, z);
        normals.push(nr * c, nr * s, nz);
        if (!row || k === sides) continue;
        triangles.push(last + k, last + k + 1, start + k + 1, last + k, start + k + 1, start + k);
      }
    });
  }
  return bounded(typed(points, normals, triangles));
}
const typed = (points, normals, triangles) => ({
  points: new Float32Array(points), normals: Int16Array.from(normals, (x) => Math.round(32767 * x)),
  triangles: new Uint16Array(triangles)});

const sphere = (sides) => turned([Array.from({length: sides / 2 + 1}, (_, k) => {
  const w = (2 * Math.PI * k) / sides - Math.PI / 2;
  return [Math.cos(w), Math.sin(w), Math.cos(w), Math.sin(w)];
})], sides);
const disc = (z) => z < 0 ? [[0, z, 0, -1], [1, z, 0, -1]] : [[1, z, 0, 1], [0, z, 0, 1]];
const MESHES = { // of size one: three half axes stretch them
  sphere: sphere(36),
  cylinder: turned([disc(-1), [[1, -1, 1, 0], [1, 1, 1, 0]], disc(1)]),
  cone: turned([disc(-1), [[1, -1, 0.894, 0.447], [0, 1, 0.894, 0.447]]]),
  box: cube(),
};

function cube() {
  const points = [], normals = [], triangles = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const start = points.length / 3;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]] = [side, u * side, v];
        n[axis] = side;
        points.push(...p);
        normals.push(...n);
      }
      triangles.push(...[0, 1, 2, 0, 2, 3].map((k) => start + k));
    }
  }
  return bounded(typed(points, normals, triangles));
}

// a tube of radius r along points
function tube(line, r, sides = 8) {
  const points = [], normals = [], triangles = [];
  let x = null;
  line.forEach((p, k) => {
    const along = unit(sub(line[Math.min(k + 1, line.length - 1)], line[Math.max(k - 1, 0)]));
    // the last direction across, kept across: the tube does not twist
    x = x ? sub(x, by(along, dot(x, along))) : across(along);
    x = size(x) > 1e-6 ? unit(x) : across(along);
    const y = cross(along, x);
    for (let s = 0; s < sides; s++) {
      const w = (2 * Math.PI * s) / sides, n = add(by(x, Math.cos(w)), by(y, Math.sin(w)));
      points.push(...add(p, by(n, r)));
      normals.push(...n);
      if (!k) continue;
      const a = (k - 1) * sides + s, b = (k - 1) * sides + ((s + 1) % sides);
      triangles.push(a, b, b + sides, a, b + sides, a + sides);
    }
  });
  return typed(points, normals, triangles);
}

// where a ray meets a mesh first: how far along it, or Infinity
function met({points, triangles, middle, reach}, from, along) {
  const o = sub(from, middle), b = dot(o, along), a = dot(along, along);
  if (b * b - a * (dot(o, o) - reach * reach) < 0) return Infinity;
  let best = Infinity;
  const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  for (let k = 0; k < triangles.length; k += 3) {
    // Möller and Trumbore
    const p = at(triangles[k]), e = sub(at(triangles[k + 1]), p), f = sub(at(triangles[k + 2]), p);
    const h = cross(along, f), det = dot(e, h);
    if (Math.abs(det) < 1e-15) continue;
    const s = sub(from, p), u = dot(s, h) / det, q = cross(s, e), v = dot(along, q) / det;
    const t = dot(f, q) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < best) best = t;
  }
  return best;
}
