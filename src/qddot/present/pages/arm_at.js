/* The arm at q, as ArmView takes it, from what is the same at every q and the robot's own kernels. */

function armAt(facts, q) {
  const points = KERNELS.points(q), poses = KERNELS.poses(q);
  const turned = (b, x) => poses[b].map((row) => row[0] * x[0] + row[1] * x[1] + row[2] * x[2]);
  const axes = facts.axes.map((axis, b) => turned(b, axis));
  const scene = {
    ...facts.still, poses,
    lines: facts.lines.map((line) => line.map((k) => points[k])),
    joints: facts.joints.map((joint, b) => ({ ...joint, at: points[joint.point], axis: axes[b] })),
  };
  if (facts.thin.length) scene.thin = facts.thin.map((line) => line.map((k) => points[k]));
  return { scene, points, poses, axes, turned };
}
