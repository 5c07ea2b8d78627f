/* Vectors of three numbers, and 4 × 4 matrices as WebGL takes them: column after column. */

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

// axes x, y, z and where they meet, as a matrix
const placed = ([x, y, z], at) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...at, 1]);
// rows of three numbers and a place, as a robot's kernels give a pose
const posed = (rows) => placed([0, 1, 2].map((k) => rows.map((row) => row[k])),
  rows.map((row) => row[3]));

function times(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    }
  }
  return c;
}

// how directions outward are turned: axes at right angles, each divided by its square
function outward(m) {
  const columns = [0, 4, 8].map((k) => [m[k], m[k + 1], m[k + 2]]);
  return new Float32Array(columns.flatMap((c) => by(c, 1 / Math.max(dot(c, c), 1e-12))));
}

// three axes at right angles, the last one along a direction
function frameOf(axis, wide, long) {
  const z = unit(size(axis) > 1e-9 ? axis : [0, 0, 1]), x = across(z);
  return [by(x, wide), by(cross(z, x), wide), by(z, long)];
}

// what an eye sees: axes right, up, back; scaled to the cube from -1 to 1
function lookedAt({eye, right, over, ahead}, [wide, high], near, far) {
  const deep = (far + near) / (near - far), shift = (2 * far * near) / (near - far);
  const rows = [by(right, 1 / wide), by(over, 1 / high), by(ahead, -deep), ahead];
  const ends = [...rows.slice(0, 2).map((r) => -dot(r, eye)), dot(ahead, eye) * deep + shift,
    -dot(ahead, eye)];
  return new Float32Array([0, 1, 2].flatMap((k) => rows.map((row) => row[k])).concat(ends));
}

// what a lamp far away lights: a box that is as deep as it is wide
function litBy({eye, right, over, ahead}, reach) {
  const rows = [by(right, 1 / reach), by(over, 1 / reach), by(ahead, 1 / reach), [0, 0, 0]];
  const ends = [...rows.slice(0, 3).map((r) => -dot(r, eye)), 1];
  return new Float32Array([0, 1, 2].flatMap((k) => rows.map((row) => row[k])).concat(ends));
}
