/* A quantity over the positions of two joints, drawn where it is read. */

const CELLS = 56; // along each side
const SHADES = [[0xdc, 0xed, 0xf7], [0x56, 0xb4, 0xe9], [0x00, 0x72, 0xb2], [0x06, 0x30, 0x4a]];
const WAIT = 120; // [ms] without a change before a map is drawn anew

const ofEigenvalues = (pick) => (q) => pick(eigen(KERNELS.mass_matrix(q)).values);
const QUANTITIES = {
  largest: ofEigenvalues((values) => values[values.length - 1]),
  smallest: ofEigenvalues((values) => values[0]),
  condition: ofEigenvalues((values) => values[values.length - 1] / values[0]),
};

function shade(part) {
  const at = within(part, 0, 1) * (SHADES.length - 1), k = Math.min(Math.floor(at), SHADES.length - 2);
  return SHADES[k].map((from, i) => Math.round(from + (at - k) * (SHADES[k + 1][i] - from)));
}

function ownMap() {
  const canvas = find("map");
  if (!canvas) return;
  const pen = canvas.getContext("2d"), picture = document.createElement("canvas");
  const [of, x, y] = ["map-of", "map-x", "map-y"].map(find), { joints } = DATA.live;
  const BAR = 96, LEFT = 62, BOTTOM = 46, TOP = 12;
  let drawn = null, range = [0, 1], waiting = 0;
  const area = () => ({ w: canvas.width - LEFT - BAR, h: canvas.height - TOP - BOTTOM });
  const chosen = () => [Number(x.value), Number(y.value)];

  function compute() {
    const [a, b] = chosen(), q = [...state.q], values = new Float64Array(CELLS * CELLS);
    const gravity = /^g(\d+)$/.exec(of.value);
    const quantity = gravity ? (p) => Math.abs(KERNELS.gravity_torque(p)[gravity[1]]) : QUANTITIES[of.value];
    const along = (i, k) => joints[i].low + ((joints[i].high - joints[i].low) * (k + 0.5)) / CELLS;
    for (let row = 0; row < CELLS; row++) {
      for (let column = 0; column < CELLS; column++) {
        q[b] = along(b, row);
        q[a] = along(a, column);
        values[row * CELLS + column] = quantity(q);
      }
    }
    const finite = [...values].filter(Number.isFinite);
    range = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
    picture.width = picture.height = CELLS;
    const inside = picture.getContext("2d"), pixels = inside.createImageData(CELLS, CELLS);
    values.forEach((value, k) => {
      const row = CELLS - 1 - Math.floor(k / CELLS), at = 4 * (row * CELLS + (k % CELLS));
      const part = range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0;
      pixels.data.set([...shade(part), 255], at);
    });
    inside.putImageData(pixels, 0, 0);
    drawn = JSON.stringify([of.value, a, b, state.q.filter((_, i) => i !== a && i !== b)]);
  }

  function paint() {
    const look = getComputedStyle(document.body), { w, h } = area(), [a, b] = chosen();
    pen.fillStyle = look.backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.imageSmoothingEnabled = true;
    pen.drawImage(picture, LEFT, TOP, w, h);
    pen.fillStyle = look.color;
    pen.font = "13px system-ui, sans-serif";
    const label = (i) => `q${i + 1} [${angles.shown(joints[i].unit)[0]}]`;
    pen.textAlign = "center";
    for (const part of [0, 0.5, 1]) {
      const value = (i) => digits(angles.shown(joints[i].unit)[1] * (joints[i].low + part * (joints[i].high - joints[i].low)), 3);
      pen.fillText(value(a), LEFT + part * w, TOP + h + 18);
      pen.textAlign = "right";
      pen.fillText(value(b), LEFT - 8, TOP + (1 - part) * h + (part === 1 ? 10 : part ? 4 : 0));
      pen.textAlign = "center";
    }
    pen.fillText(label(a), LEFT + w / 2, TOP + h + 38);
    pen.save();
    pen.translate(14, TOP + h / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(label(b), 0, 0);
    pen.restore();
    for (let k = 0; k < h; k++) {
      pen.fillStyle = `rgb(${shade(1 - k / h).join(",")})`;
      pen.fillRect(LEFT + w + 16, TOP + k, 14, 1.5);
    }
    pen.fillStyle = look.color;
    pen.textAlign = "left";
    pen.fillText(digits(range[1], 3), LEFT + w + 34, TOP + 11);
    pen.fillText(digits(range[0], 3), LEFT + w + 34, TOP + h);
    // where the arm is
    const part = (i) => (state.q[i] - joints[i].low) / (joints[i].high - joints[i].low);
    const [px, py] = [LEFT + within(part(a), 0, 1) * w, TOP + (1 - within(part(b), 0, 1)) * h];
    for (const [colour, thick] of [["#ffffff", 5], ["#d55e00", 2.5]]) {
      pen.beginPath();
      pen.arc(px, py, 7, 0, 2 * Math.PI);
      pen.strokeStyle = colour;
      pen.lineWidth = thick;
      pen.stroke();
    }
    const torque = /^g(\d+)$/.exec(of.value), unit = torque ? ` ${joints[torque[1]].effort}` : of.value === "condition" ? "" : ` ${DATA.live.inertia}`;
    put("map-caption", `From ${digits(range[0])} to ${digits(range[1])}${unit}. The ring is where the arm stands.`);
  }

  function follow() {
    const [a, b] = chosen();
    const wanted = JSON.stringify([of.value, a, b, state.q.filter((_, i) => i !== a && i !== b)]);
    clearTimeout(waiting);
    if (wanted !== drawn) waiting = setTimeout(() => { compute(); paint(); }, drawn ? WAIT : 0);
    else paint();
  }

  function go(columns, rows) {
    chosen().forEach((i, k) => {
      const by = k ? rows : columns;
      state.q[i] = within(by(state.q[i], joints[i]), joints[i].low, joints[i].high);
    });
    moved();
  }
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect(), { w, h } = area();
    const right = ((event.clientX - box.left) * canvas.width) / box.width - LEFT;
    const down = ((event.clientY - box.top) * canvas.height) / box.height - TOP;
    if (right < 0 || right > w || down < 0 || down > h) return;
    go((_, j) => j.low + (right / w) * (j.high - j.low), (_, j) => j.low + (1 - down / h) * (j.high - j.low));
  });
  const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  canvas.addEventListener("keydown", (event) => {
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    go(...step.map((k) => (value, j) => value + (k * (j.high - j.low)) / 50));
  });
  for (const select of [of, x, y]) select.addEventListener("change", follow);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  addEventListener("beforeprint", paint);
  followers.push(follow);
}
