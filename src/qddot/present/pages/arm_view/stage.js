/* What an arm stands on: a background, a floor with a grid, and a shadow that softens with height.

   The background is kept while the camera stands still; only the shadow moves with the arm.      */

const COARSE = 4; // pixels of the picture to one of the shadow

class Stage {
  constructor(view) {
    this.view = view;
    this.pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  }

  // put the background and the shadow into an image
  draw(image) {
    const {colours, box, cam, scene, pose} = this.view, {width, height} = image;
    const key = JSON.stringify([pose, box, cam.up, scene.floor, width, height, colours]);
    if (key !== this.key) {
      this.key = key;
      this.pen.canvas.width = width;
      this.pen.canvas.height = height;
      this.paint(this.pen, width, height);
      this.pixels = this.pen.getImageData(0, 0, width, height).data;
      this.spots = null;
    }
    image.data.set(this.pixels);
    if (scene.floor != null && dot(cam.eye, cam.up) > scene.floor) this.shadows(image);
  }

  on(a, b) {
    const {cam, scene} = this.view;
    return add(add(by(cam.first, a), by(cam.second, b)), by(cam.up, scene.floor));
  }

  paint(pen, width, height) {
    const {colours: look, scene} = this.view, x = width / 2, y = 0.45 * height;
    const sky = pen.createRadialGradient(x, y, 0, x, y, 0.75 * Math.hypot(width, height));
    sky.addColorStop(0, look.sky);
    sky.addColorStop(1, look.edge);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, height);
    if (scene.floor != null) this.paintFloor(pen);
  }

  paintFloor(pen) {
    const {view} = this, {colours: look, cam, radius} = view;
    const far = 2.2 * radius, step = nice(radius / 3.2);
    const [a0, b0] = [cam.first, cam.second].map((e) => dot(cam.target, e));
    const near = 0.02 * radius;
    this.paintDisc(pen, a0, b0, far, near);
    const piece = (p, q, strength) => {
      const [x1, y1, d1] = view.seen(p), [x2, y2, d2] = view.seen(q);
      if (Math.min(d1, d2) < near || strength < 0.004) return;
      pen.strokeStyle = `rgba(${look.grid},${strength.toFixed(3)})`;
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
      pen.stroke();
    };
    const lines = (middle, other, point) => {
      for (let k = Math.ceil((middle - far) / step); k * step < middle + far; k++) {
        const c = k * step, half = Math.sqrt(Math.max(far ** 2 - (c - middle) ** 2, 0));
        pen.lineWidth = (k % 5 ? 0.8 : 1.3) * view.ratio;
        for (let i = -8; i < 8; i++) {
          const u = other + (half * i) / 8, v = other + (half * (i + 1)) / 8;
          const r = Math.hypot(c - middle, (u + v) / 2 - other) / far;
          piece(point(c, u), point(c, v), (k % 5 ? 0.2 : 0.36) * Math.max(1 - r * r, 0) ** 2);
        }
      }
    };
    lines(a0, b0, (c, u) => this.on(c, u));
    lines(b0, a0, (c, u) => this.on(u, c));
  }

  // a round spot of light
  paintDisc(pen, a0, b0, far, near) {
    const {view} = this, {cam, colours: {floor}} = view, middle = this.on(a0, b0);
    const along = by(unit(sub(cam.ahead, by(cam.up, dot(cam.ahead, cam.up)))), far);
    const [x, , depth] = view.seen(middle), [front, back] = [-1, 1].map(
      (k) => view.seen(add(middle, by(along, k))));
    if (Math.min(front[2], back[2], depth) < near) return;
    const spot = pen.createRadialGradient(0, 0, 0, 0, 0, 1);
    spot.addColorStop(0, `rgba(${floor},0.55)`);
    spot.addColorStop(0.6, `rgba(${floor},0.22)`);
    spot.addColorStop(1, `rgba(${floor},0)`);
    pen.save();
    pen.translate(x, (front[1] + back[1]) / 2);
    pen.scale((view.focal * far) / depth, Math.max(Math.abs(front[1] - back[1]) / 2, 1));
    pen.fillStyle = spot;
    pen.fillRect(-1, -1, 2, 2);
    pen.restore();
  }

  shadows(image) {
    const {cam, radius, scene: {floor}, solids} = this.view;
    // one more on each side, so that every pixel lies between four
    const W = Math.ceil(image.width / COARSE) + 1, H = Math.ceil(image.height / COARSE) + 1;
    this.spots = this.spots || this.floorPoints(W, H);
    const {X, Y} = this.spots, dark = new Float32Array(W * H);
    const flat = (p) => [dot(p, cam.first), dot(p, cam.second), dot(p, cam.up) - floor];
    for (const s of solids) {
      if (s.weightless) continue;
      const [p, q, r] = core(s), A = flat(p), B = flat(q);
      const softness = (h) => 0.35 * r + 0.22 * h;
      const [x0, y0, x1, y1] = this.frame(A, B, r + softness(Math.max(A[2], B[2], 0)), W, H);
      const ux = B[0] - A[0], uy = B[1] - A[1], uu = ux * ux + uy * uy || 1e-12;
      for (let y = y0; y < y1; y++) {
        for (let x = x0, i = y * W + x0; x < x1; x++, i++) {
          const vx = X[i] - A[0], vy = Y[i] - A[1];
          const k = clamp((vx * ux + vy * uy) / uu, 0, 1);
          const h = Math.max(A[2] + k * (B[2] - A[2]), 0), soft = softness(h);
          const ex = vx - k * ux, ey = vy - k * uy;
          const gap = (r + soft - Math.sqrt(ex * ex + ey * ey)) / (2 * soft);
          if (!(gap > 0)) continue;
          const g = Math.min(gap, 1), v = (g * g * (3 - 2 * g)) / (1 + (1.5 * h) / radius);
          if (v > dark[i]) dark[i] = v;
        }
      }
    }
    this.darken(image, dark, W, H);
  }

  // take light from an image, smoothly between the coarse pixels
  darken({data, width, height}, dark, W, H) {
    const {shadow} = this.view.colours;
    for (let cy = 0; cy < H - 1; cy++) {
      for (let cx = 0, i = cy * W; cx < W - 1; cx++, i++) {
        const a = dark[i], b = dark[i + 1], c = dark[i + W], d = dark[i + W + 1];
        if (a + b + c + d === 0) continue;
        const right = Math.min((cx + 1) * COARSE, width);
        const bottom = Math.min((cy + 1) * COARSE, height);
        for (let y = cy * COARSE; y < bottom; y++) {
          const v = (y + 0.5) / COARSE - cy, left = a + (c - a) * v, slope = b + (d - b) * v - left;
          for (let x = cx * COARSE, o = 4 * (y * width + x); x < right; x++, o += 4) {
            const rest = 1 - shadow * (left + slope * ((x + 0.5) / COARSE - cx));
            data[o] *= rest;
            data[o + 1] *= rest;
            data[o + 2] *= rest;
          }
        }
      }
    }
  }

  // which point of the floor is seen at the corner of each coarse pixel
  floorPoints(W, H) {
    const {cam, canvas, focal, scene} = this.view;
    const X = new Float32Array(W * H), Y = new Float32Array(W * H);
    const own = (v) => [dot(v, cam.first), dot(v, cam.second), dot(v, cam.up)];
    const [e, a, r, o] = [cam.eye, cam.ahead, cam.right, cam.over].map(own);
    for (let y = 0, i = 0; y < H; y++) {
      const v = -(COARSE * y - canvas.height / 2) / focal;
      for (let x = 0; x < W; x++, i++) {
        const u = (COARSE * x - canvas.width / 2) / focal;
        const t = (scene.floor - e[2]) / (a[2] + u * r[2] + v * o[2]);
        X[i] = t > 0 ? e[0] + t * (a[0] + u * r[0] + v * o[0]) : NaN;
        Y[i] = e[1] + t * (a[1] + u * r[1] + v * o[1]);
      }
    }
    return {X, Y};
  }

  // the coarse pixels that a shadow can reach
  frame(A, B, reach, W, H) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x, y] of [A, B]) {
      for (const [i, j] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
        const [u, v, depth] = this.view.seen(this.on(x + i * reach, y + j * reach));
        if (depth < 1e-3) return [0, 0, W, H];
        left = Math.min(left, u); right = Math.max(right, u);
        top = Math.min(top, v); bottom = Math.max(bottom, v);
      }
    }
    return [clamp(Math.floor(left / COARSE), 0, W), clamp(Math.floor(top / COARSE), 0, H),
      clamp(Math.ceil(right / COARSE) + 1, 0, W), clamp(Math.ceil(bottom / COARSE) + 1, 0, H)];
  }
}

// the largest of 1, 2, 5, 10, ... that is not above x
function nice(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * [5, 2, 1].find((k) => k * ten <= x * 1.000001);
}
