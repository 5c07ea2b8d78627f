/* Solids to pixels. First: which solid each pixel sees. Then: its colour, with more rays where two
   solids meet, so that edges are smooth. Last: what light goes through.                          */

const SAME = 1 - 1e-5; // where surfaces coincide, the first one is seen
const SAMPLES = 4; // rays through a pixel in which solids meet
const RIGHT = [-0.125, 0.375, 0.125, -0.375], DOWN = [-0.375, -0.125, 0.375, 0.125];
// used over and over, so that nothing is made for every ray
const RAY = new Float64Array(4), POINT = new Float64Array(3), NEAR = new Uint16Array(5);
const PIXEL = new Float64Array(6); // red, green, blue, hits; then right and down of the ray

class Tracer {
  constructor() {
    this.W = this.H = 0;
  }

  // draw solids, and ellipsoids of glass, over an image; one ray to coarse × coarse pixels
  draw(image, cam, focal, solids, glass, look, coarse) {
    const {width, height, data} = image;
    this.fit(Math.ceil(width / coarse), Math.ceil(height / coarse));
    const {W, H} = this;
    const lens = {...cam, W, H, cx: width / coarse / 2, cy: height / coarse / 2, f: focal / coarse};
    const kept = solids.filter((s) => aim(s, lens));
    kept.forEach((s, k) => cover(s, k + 1, lens, this));
    const lay = (x, y, red, green, blue, alpha) => {
      const right = Math.min((x + 1) * coarse, width), bottom = Math.min((y + 1) * coarse, height);
      for (let j = y * coarse; j < bottom; j++) {
        for (let i = x * coarse, o = 4 * (j * width + i); i < right; i++, o += 4) {
          data[o] += (red - data[o]) * alpha;
          data[o + 1] += (green - data[o + 1]) * alpha;
          data[o + 2] += (blue - data[o + 2]) * alpha;
        }
      }
    };
    colour(kept, lens, this, look, lay);
    for (const s of glass) if (aim(s, lens)) film(s, lens, this.z, look, lay);
  }

  fit(W, H) {
    if (W !== this.W || H !== this.H) {
      Object.assign(this, {W, H, id: new Uint16Array(W * H), z: new Float32Array(W * H)});
      Object.assign(this, {left: new Int32Array(H), right: new Int32Array(H)});
    }
    // what was touched, row by row
    this.left.fill(W);
    this.right.fill(0);
    this.id.fill(0);
    this.z.fill(MISS);
  }
}

// carry the camera into the solid's axes; false where the eye is too near
function aim(s, lens) {
  const own = (v) => s.inverse.map((row) => dot(row, v));
  [s.ox, s.oy, s.oz] = own(sub(lens.eye, s.at));
  s.ahead = own(lens.ahead);
  s.right = own(by(lens.right, 1 / lens.f));
  s.over = own(by(lens.over, -1 / lens.f));
  s.c = OUTSIDE[s.kind](s);
  const [p, q, r] = core(s);
  s.ends = [p, q].map((e) => {
    const d = sub(e, lens.eye), depth = dot(d, lens.ahead), k = lens.f / depth;
    return [lens.cx + dot(d, lens.right) * k, lens.cy - dot(d, lens.over) * k, depth];
  });
  const nearest = Math.min(s.ends[0][2], s.ends[1][2]);
  s.reach = (1.06 * r * lens.f) / (nearest - r) + 1.5;
  return nearest > 1.2 * r;
}

// call row(y, x0, x1) for the pixels that a solid can cover
function spans(s, {W, H}, row) {
  const [[x1, y1], [x2, y2]] = s.ends, R = s.reach;
  const top = clamp(Math.floor(Math.min(y1, y2) - R), 0, H);
  const bottom = clamp(Math.ceil(Math.max(y1, y2) + R), 0, H);
  for (let y = top; y < bottom; y++) {
    let t0 = 0, t1 = 1;
    if (Math.abs(y2 - y1) > 1e-6) {
      const a = (y + 0.5 - R - y1) / (y2 - y1), b = (y + 0.5 + R - y1) / (y2 - y1);
      t0 = Math.max(0, Math.min(a, b));
      t1 = Math.min(1, Math.max(a, b));
      if (t0 > t1) continue;
    }
    const u = x1 + t0 * (x2 - x1), v = x1 + t1 * (x2 - x1);
    const left = clamp(Math.floor(Math.min(u, v) - R), 0, W);
    const right = clamp(Math.ceil(Math.max(u, v) + R), 0, W);
    if (left < right) row(y, left, right);
  }
}

// write k where the solid is the nearest so far
function cover(s, k, lens, {id, z, left, right: last}) {
  const {hit, ahead, right, over} = s;
  spans(s, lens, (y, x0, x1) => {
    left[y] = Math.min(left[y], x0);
    last[y] = Math.max(last[y], x1);
    const v = y + 0.5 - lens.cy, u = x0 + 0.5 - lens.cx;
    RAY[0] = ahead[0] + v * over[0] + u * right[0];
    RAY[1] = ahead[1] + v * over[1] + u * right[1];
    RAY[2] = ahead[2] + v * over[2] + u * right[2];
    for (let x = x0, i = y * lens.W + x0; x < x1; x++, i++) {
      hit(s, RAY);
      const t = RAY[3];
      if (t > 0 && t < z[i] * SAME) { z[i] = t; id[i] = k; }
      RAY[0] += right[0]; RAY[1] += right[1]; RAY[2] += right[2];
    }
  });
}

function colour(solids, lens, {id, left, right}, look, lay) {
  const {W, H} = lens;
  const lamp = unit(add(add(by(lens.up, 0.75), by(lens.ahead, -0.75)), by(lens.right, -0.45)));
  // far away, all rays are nearly parallel; what shines points half way between lamp and eye
  const eye = by(lens.ahead, -1), light = {...look, lamp, eye, half: unit(add(lamp, eye))};
  for (let y = 0; y < H; y++) {
    const above = y > 0 ? -W : 0, below = y < H - 1 ? W : 0, end = right[y];
    for (let x = left[y], i = y * W + x; x < end; x++, i++) {
      // what this pixel and those beside it see
      const k = id[i], a = id[x > 0 ? i - 1 : i], b = id[x < W - 1 ? i + 1 : i];
      const c = id[i + above], d = id[i + below];
      const alone = k === a && k === b && k === c && k === d;
      if (alone && k === 0) continue;
      PIXEL[0] = PIXEL[1] = PIXEL[2] = PIXEL[3] = 0;
      PIXEL[4] = x + 0.5 - lens.cx;
      PIXEL[5] = y + 0.5 - lens.cy;
      if (alone) {
        NEAR[0] = k;
        sample(solids, 1, lens, light);
      } else {
        let count = 0;
        if (k) NEAR[count++] = k;
        if (a && a !== k) NEAR[count++] = a;
        if (b && b !== k && b !== a) NEAR[count++] = b;
        if (c && c !== k && c !== a && c !== b) NEAR[count++] = c;
        if (d && d !== k && d !== a && d !== b && d !== c) NEAR[count++] = d;
        for (let n = 0; n < SAMPLES; n++) {
          PIXEL[4] = x + 0.5 + RIGHT[n] - lens.cx;
          PIXEL[5] = y + 0.5 + DOWN[n] - lens.cy;
          sample(solids, count, lens, light);
        }
      }
      const hits = PIXEL[3] || 1, part = alone ? 1 : PIXEL[3] / SAMPLES;
      lay(x, y, PIXEL[0] / hits, PIXEL[1] / hits, PIXEL[2] / hits, part);
    }
  }
}

// add to PIXEL the colour that its ray meets first among the NEAR solids
function sample(solids, count, lens, light) {
  const u = PIXEL[4], v = PIXEL[5];
  let best = MISS, s = null;
  for (let m = 0; m < count; m++) {
    const c = solids[NEAR[m] - 1], {ahead: a, right: r, over: o} = c;
    RAY[0] = a[0] + v * o[0] + u * r[0];
    RAY[1] = a[1] + v * o[1] + u * r[1];
    RAY[2] = a[2] + v * o[2] + u * r[2];
    c.hit(c, RAY);
    const t = RAY[3];
    if (t > 0 && t < best * SAME) {
      best = t;
      s = c;
      POINT[0] = c.ox + t * RAY[0];
      POINT[1] = c.oy + t * RAY[1];
      POINT[2] = c.oz + t * RAY[2];
    }
  }
  if (!s) return;
  s.normal(s, POINT);
  const ex = s.inverse[0], ey = s.inverse[1], ez = s.inverse[2];
  let nx = POINT[0] * ex[0] + POINT[1] * ey[0] + POINT[2] * ez[0];
  let ny = POINT[0] * ex[1] + POINT[1] * ey[1] + POINT[2] * ez[1];
  let nz = POINT[0] * ex[2] + POINT[1] * ey[2] + POINT[2] * ez[2];
  const length = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz);
  nx *= length; ny *= length; nz *= length;
  const {lamp, half: h, eye} = light, {up} = lens;
  const lit = Math.max((nx * lamp[0] + ny * lamp[1] + nz * lamp[2] + 0.25) / 1.25, 0);
  const sky = 0.5 + 0.5 * (nx * up[0] + ny * up[1] + nz * up[2]);
  const away = 1 - Math.max(nx * eye[0] + ny * eye[1] + nz * eye[2], 0);
  const half = Math.max(nx * h[0] + ny * h[1] + nz * h[2], 0);
  const h4 = half * half * half * half, h16 = h4 * h4 * h4 * h4;
  const shine = 0.22 * h16 * h16 * h16 + 0.14 * away * away * away * sky;
  const strength = light.ground + (light.air - light.ground) * sky + light.key * lit * lit;
  const base = s.tint;
  PIXEL[0] += shown((base[0] + light.lift) * strength + shine);
  PIXEL[1] += shown((base[1] + light.lift) * strength + shine);
  PIXEL[2] += shown((base[2] + light.lift) * strength + shine);
  PIXEL[3] += 1;
}

// a translucent ellipsoid over what is there: back, then front, each where nothing hides it
function film(s, lens, z, look, lay) {
  const {ahead, right, over} = s;
  const [red, green, blue] = s.tint.map((x) => shown(x + 2 * look.lift));
  const pixel = Math.min(size(right), size(over));
  // denser towards its rim, with a line along each principal section
  const skin = (t, x, y, z, facing, edge) => {
    const px = Math.abs(s.ox + t * x), py = Math.abs(s.oy + t * y), pz = Math.abs(s.oz + t * z);
    const line = clamp(1.4 - Math.min(px, py, pz) / (1.2 * t * pixel), 0, 1);
    return edge * Math.min(0.16 + 0.42 * (1 - facing) ** 3 + 0.4 * line, 0.9);
  };
  spans(s, lens, (y, x0, x1) => {
    const v = y + 0.5 - lens.cy;
    for (let x = x0; x < x1; x++) {
      const u = x + 0.5 - lens.cx;
      const dx = ahead[0] + v * over[0] + u * right[0];
      const dy = ahead[1] + v * over[1] + u * right[1];
      const dz = ahead[2] + v * over[2] + u * right[2];
      const a = dx * dx + dy * dy + dz * dz, b = s.ox * dx + s.oy * dy + s.oz * dz;
      const disc = b * b - a * s.c;
      if (disc < 0) continue;
      const root = Math.sqrt(disc), facing = root / Math.sqrt(a), at = z[y * lens.W + x];
      const front = (-b - root) / a, back = (-b + root) / a;
      const edge = clamp(disc / a / 2 / (front * pixel), 0, 1);
      if (back < at) lay(x, y, red, green, blue, 0.5 * skin(back, dx, dy, dz, facing, edge));
      if (front < at) lay(x, y, red, green, blue, skin(front, dx, dy, dz, facing, edge));
    }
  });
}
