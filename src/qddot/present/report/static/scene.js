/* The arm at q, with what the reader has chosen to see of it. */

function sceneAt(q, { ellipsoid = false, torques = false, bodies = false } = {}) {
  const facts = DATA.live.scene;
  const { scene, points, poses, axes, turned } = armAt(facts, q);
  if (bodies) {
    scene.bodies = facts.joints.flatMap((joint, b) => {
      const half = facts.halves[b];
      if (!half.some((row) => row.some((x) => x !== 0))) return [];
      const middle = turned(b, facts.centres[b]).map((x, k) => x + poses[b][k][3]);
      const columns = [0, 1, 2].map((k) => turned(b, half.map((row) => row[k])));
      return [{ at: middle, axes: columns, colour: joint.pale }];
    });
  }
  if (ellipsoid && KERNELS.mobility) scene.ellipsoids = [effectiveMass(q)];
  if (torques) Object.assign(scene, gravityTorques(q, points, axes));
  return scene;
}

/** Return the principal masses of the tip [kg], ascending and infinite where it cannot move;
    none are known (NaN) where joints move nothing that has mass. */
function principalMasses(q) {
  const { values, vectors } = eigen(KERNELS.mobility(q));
  const least = 1e-9 * Math.max(...values, 1e-12);
  const masses = values.map((x) => (x > least ? 1 / x : Number.isFinite(x) ? Infinity : NaN));
  return { masses: masses.reverse(), vectors: vectors.reverse() };
}

function effectiveMass(q) {
  const facts = DATA.live.scene, { masses, vectors } = principalMasses(q);
  const pose = KERNELS.tip_pose(q);
  const half = masses.map((m) => Number.isNaN(m) ? 0 : within(m * facts.massScale, facts.thinnest, facts.longest));
  return {
    at: [pose[0][3], pose[1][3], pose[2][3]],
    axes: vectors.map((v, k) => v.map((x) => x * half[k])),
    colour: facts.effective,
    label: Number.isFinite(masses[0]) ? `${digits(masses[0], 3)} kg` : "",
  };
}

function gravityTorques(q, points, axes) {
  const facts = DATA.live.scene, g = KERNELS.gravity_torque(q), drawn = new Set();
  const turns = [], arrows = [];
  const turning = facts.joints.filter((joint) => joint.turns).map((j) => facts.heaviest[j.index]);
  facts.joints.forEach((joint, b) => {
    if (drawn.has(joint.index)) return; // a joint that follows another shares its torque
    drawn.add(joint.index);
    const scale = joint.turns ? Math.max(...turning) : facts.heaviest[joint.index];
    const amount = within(g[joint.index] / scale, -1, 1), at = points[joint.point];
    const label = Math.abs(amount) > 0.01 ? `${digits(g[joint.index], 3)} ${joint.effort}` : "";
    if (joint.turns) turns.push({ at, axis: axes[b], amount, colour: facts.pull, label });
    else if (label) arrows.push({ from: at, to: plus(at, axes[b], amount * facts.longest), colour: facts.pull, label });
  });
  return { turns, arrows };
}
