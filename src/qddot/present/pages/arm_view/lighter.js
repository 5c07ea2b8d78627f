/* The same robot of fewer triangles, for a processor that plays the card while something moves.

   Points that are near each other and look the same way become one; parts of one body that have
   one colour become one mesh, since every call of a card costs time.                           */

const FEW = 4000; // triangles of a light robot, more or less

const lightened = new WeakMap();
function lightPartsOf(surfaces) {
  if (!lightened.has(surfaces)) {
    const parts = partsOf(surfaces), area = parts.reduce((sum, {mesh}) => sum + areaOf(mesh), 0);
    const cell = Math.sqrt((2 * area) / FEW), kinds = new Map();
    for (const {body, colour, mesh} of parts) {
      const kind = `${body} ${colour}`;
      if (!kinds.has(kind)) kinds.set(kind, {body, colour, meshes: []});
      kinds.get(kind).meshes.push(lighter(mesh, cell));
    }
    lightened.set(surfaces, [...kinds.values()].map(
      ({body, colour, meshes}) => ({body, colour, mesh: together(meshes)})));
  }
  return lightened.get(surfaces);
}

function areaOf({points, triangles}) {
  const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  let sum = 0;
  for (let k = 0; k < triangles.length; k += 3) {
    const p = at(triangles[k]);
    sum += size(cross(sub(at(triangles[k + 1]), p), sub(at(triangles[k + 2]), p))) / 2;
  }
  return sum;
}

// a mesh whose points are one in each cell of space and side that they look to
function lighter({points, normals, triangles}, cell) {
  const cells = new Map(), of = [], sums = [];
  for (let k = 0; k < points.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => Math.abs(normals[k + i]));
    const axis = a >= b && a >= c ? 0 : b >= c ? 1 : 2;
    const key = [0, 1, 2].map((i) => Math.round(points[k + i] / cell)).join() + axis + (normals[k + axis] < 0);
    if (!cells.has(key)) {
      cells.set(key, sums.length);
      sums.push([0, 0, 0, 0, 0, 0, 0]);
    }
    const sum = sums[cells.get(key)];
    for (let i = 0; i < 3; i++) {
      sum[i] += points[k + i];
      sum[3 + i] += normals[k + i];
    }
    sum[6] += 1;
    of.push(cells.get(key));
  }
  const kept = [];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [of[triangles[k]], of[triangles[k + 1]], of[triangles[k + 2]]];
    if (a !== b && b !== c && c !== a) kept.push(a, b, c);
  }
  return {points: sums.flatMap((sum) => by(sum, 1 / sum[6])), triangles: kept,
    normals: sums.flatMap((sum) => by(unit(sum.slice(3, 6)), 32767))};
}
