/* The motion that was simulated, played in three dimensions. */

function player() {
  const canvas = find("film"), motion = DATA.motion;
  if (!canvas || !motion) return;
  const view = new ArmView(canvas, { label: canvas.getAttribute("aria-label") });
  const button = find("play"), slider = find("film-time"), last = motion.t.length - 1;
  const traced = motion.q.map((q) => {
    const pose = KERNELS.tip_pose?.(q);
    return pose ? [pose[0][3], pose[1][3], pose[2][3]] : null;
  });
  slider.max = last;
  const stage = stageOf(motion.q);
  let now = 0, playing = false, before = null;

  function show() {
    const k = Math.round(now), scene = { ...sceneAt(motion.q[k]), ...stage };
    if (traced[0]) scene.traces = [{ points: traced.slice(0, k + 1) }];
    view.show(scene);
    slider.value = k;
    slider.setAttribute("aria-valuetext", `${motion.t[k].toFixed(2)} seconds`);
    put("film-clock", `${motion.t[k].toFixed(2)} s`);
    put("film-caption", `Kinetic energy ${digits(motion.kinetic[k])} J, potential ${digits(motion.potential[k])} J, lost ${digits(motion.lost[k])} J.`);
    button.textContent = playing ? "Pause" : "Play";
  }

  function picture(time) {
    if (!playing) return;
    const rate = last / (motion.t[last] - motion.t[0] || 1);
    if (before !== null) now += Math.min((time - before) / 1000, 0.1) * rate;
    before = time;
    if (now >= last) [now, playing] = [last, false];
    show();
    requestAnimationFrame(picture);
  }

  button.addEventListener("click", () => {
    playing = !playing;
    if (playing && now >= last) now = 0;
    before = null;
    show();
    requestAnimationFrame(picture);
  });
  slider.addEventListener("input", () => {
    playing = false;
    now = Number(slider.value);
    show();
  });
  show();
}

/** Return what must be in view of a whole motion, and a floor below all of it. */
function stageOf(rows) {
  const { box, up, floor } = DATA.live.scene.still, [low, high] = [[...box[0]], [...box[1]]];
  let lowest = floor;
  for (const q of rows) {
    for (const point of KERNELS.points(q)) {
      point.forEach((x, k) => {
        low[k] = Math.min(low[k], x);
        high[k] = Math.max(high[k], x);
      });
      if (floor !== null) lowest = Math.min(lowest, point.reduce((sum, x, k) => sum + x * up[k], 0));
    }
  }
  return { box: [low, high], floor: lowest };
}
