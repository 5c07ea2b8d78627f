/* Small matrices, as arrays of rows. */

/** Return the eigenvalues of a symmetric matrix, ascending, and its eigenvectors, one a row. */
function eigen(matrix) {
  const n = matrix.length, A = matrix.map((row) => [...row]);
  const V = A.map((_, i) => A.map((_, j) => (i === j ? 1 : 0)));
  // Jacobi's method: turn one pair of axes after the other until nothing is left beside the diagonal
  for (let sweep = 0; sweep < 40; sweep++) {
    let beside = 0, on = 0;
    for (let i = 0; i < n; i++) {
      on += A[i][i] ** 2;
      for (let j = i + 1; j < n; j++) beside += A[i][j] ** 2;
    }
    if (!(beside > 1e-32 * on)) break;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (A[p][q] === 0) continue;
        const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1), s = t * c;
        for (let k = 0; k < n; k++) {
          const a = A[k][p], b = A[k][q];
          A[k][p] = c * a - s * b;
          A[k][q] = s * a + c * b;
        }
        for (let k = 0; k < n; k++) {
          const a = A[p][k], b = A[q][k];
          A[p][k] = c * a - s * b;
          A[q][k] = s * a + c * b;
          const v = V[p][k], w = V[q][k];
          V[p][k] = c * v - s * w;
          V[q][k] = s * v + c * w;
        }
      }
    }
  }
  const order = A.map((_, i) => i).sort((i, j) => A[i][i] - A[j][j]);
  return { values: order.map((i) => A[i][i]), vectors: order.map((i) => V[i]) };
}

const plus = (a, b, k = 1) => a.map((x, i) => x + k * b[i]);
const within = (x, low, high) => Math.min(Math.max(x, low), high);

/** Return a number as people read it: four digits, a true minus sign. What is rounding beside
    the largest number near it is 0; of an entry, its panel has the number as it is. */
function digits(x, count = 4, most = 1) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "–" : x > 0 ? "∞" : "−∞";
  if (Math.abs(x) < 1e-12 * most) return "0";
  const small = Math.abs(x) < 1e-4 || Math.abs(x) >= 1e6;
  const text = small ? x.toExponential(count - 2) : String(Number(x.toPrecision(count)));
  return text.replaceAll("-", "−");
}
