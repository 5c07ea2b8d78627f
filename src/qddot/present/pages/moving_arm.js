/* An arm that is played, moved by sliders, or only looked at. */

const DATA = JSON.parse(document.getElementById("arm").textContent);
const find = (id) => document.getElementById(id);
const canvas = document.querySelector("canvas");
const view = new ArmView(canvas, { label: canvas.getAttribute("aria-label") });

if (DATA.film) play(DATA.film);
else if (DATA.shown) view.show(DATA.shown);
else slide();

function slide() {
  const inputs = [...document.querySelectorAll("input[type=range]")];
  const show = () => {
    const q = inputs.map((input) => Number(input.value));
    inputs.forEach((input, i) => {
      const turns = input.dataset.unit === "rad";
      const words = turns ? `${((q[i] * 180) / Math.PI).toFixed(1)}°` : `${q[i].toFixed(3)} ${input.dataset.unit}`;
      input.nextElementSibling.textContent = words.replace("-", "−");
      input.setAttribute("aria-valuetext", words);
    });
    view.show(armAt(DATA.scene, q).scene);
  };
  for (const input of inputs) input.addEventListener("input", show);
  show();
}

function play({ q, start, end, fps, speed, traces }) {
  const last = q.length - 1, button = find("play"), slider = find("time"), rate = find("rate");
  let now = 0, before = null, held = 0, frame = 0;
  let playing = last > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const points = q.map((row) => KERNELS.points(row));
  slider.max = last;

  function show() {
    const k = Math.round(now), { scene } = armAt(DATA.scene, q[k]);
    scene.traces = traces.map(([point, colour]) => ({ colour, points: points.slice(0, k + 1).map((p) => p[point]) }));
    for (const joint of scene.joints) joint.label = "";
    view.show(scene);
    const words = `${Math.min(start + (k * speed) / fps, end).toFixed(2)} s`;
    slider.value = k;
    slider.setAttribute("aria-valuetext", words);
    find("clock").textContent = words;
    button.textContent = playing ? "Pause" : "Play";
  }

  function step(time) {
    frame = 0;
    if (!playing) {
      before = null;
      return;
    }
    if (before !== null && time - before < 1000) {
      now += ((time - before) / 1000) * fps * parseFloat(rate.value);
      if (now > last) {
        // the end is shown for a while, then it starts again
        now = last;
        held += time - before;
        if (held > 800) [now, held] = [0, 0];
      }
      show();
    }
    before = time;
    go();
  }

  // nothing is drawn while nothing moves
  function go() {
    if (playing) frame = frame || requestAnimationFrame(step);
  }

  button.addEventListener("click", () => {
    playing = !playing;
    if (playing && now >= last) now = 0;
    show();
    go();
  });
  slider.addEventListener("input", () => {
    playing = false;
    now = Number(slider.value);
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target === rate || event.target === button) return;
    event.preventDefault();
    button.click();
  });
  show();
  go();
}
