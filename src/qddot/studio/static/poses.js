/** Poses as {p, R}: a place [m] and three rows; angles are roll, pitch and yaw [rad], R = Rz(yaw) Ry(pitch) Rx(roll). */

export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const plus = (a, b) => a.map((x, i) => x + b[i]);
const product = (A, B) => A.map((row) => [0, 1, 2].map((j) => dot(row, B.map((each) => each[j]))));

/** Return the turn by an angle about a unit vector (O. Rodrigues). */
export function about([x, y, z], angle) {
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const v = 1 - c;
  return [
    [c + x * x * v, x * y * v - z * s, x * z * v + y * s],
    [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
    [z * x * v - y * s, z * y * v + x * s, c + z * z * v],
  ];
}

export const fromRpy = ([roll, pitch, yaw]) => product(about([0, 0, 1], yaw), product(about([0, 1, 0], pitch), about([1, 0, 0], roll)));

/** Return a pose moved by metres and turned about an axis of the base, in its place. */
export const moved = ({ p, R }, along, axis, angle) => ({ p: plus(p, along), R: angle ? product(about(axis, angle), R) : R });

/** Return a pose as messages have it: three rows of four numbers, one after the other. */
export const rows = ({ p, R }) => R.flatMap((row, i) => [...row, p[i]]);

/** Return the axes of a pose. */
export const axesOf = ({ R }) => [0, 1, 2].map((k) => R.map((row) => row[k]));
