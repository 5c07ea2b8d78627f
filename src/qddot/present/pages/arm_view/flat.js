/* The same picture where there is no WebGL 2: triangles from back to front on a canvas of two
   dimensions. Coarser while it moves would be kinder; it is the exception, so it is kept small. */

function drawFlat(view, items, pen) {
  const {cam, colours: look, canvas, scene} = view, lamp = lampOf(cam), faces = [];
  const {width, height} = canvas, sky = pen.createRadialGradient(
    width / 2, 0.45 * height, 0, width / 2, 0.45 * height, 0.75 * Math.hypot(width, height));
  sky.addColorStop(0, look.sky);
  sky.addColorStop(1, look.edge);
  pen.fillStyle = sky;
  pen.fillRect(0, 0, width, height);
  if (scene.floor != null) flatFloor(view, pen, items, lamp);
  for (const {mesh, matrix, colour, alpha, kind} of items) {
    const {points, triangles} = mesh, places = [], corners = [];
    for (let k = 0; k < points.length; k += 3) {
      places.push(carry(matrix, [points[k], points[k + 1], points[k + 2]]));
      corners.push(view.seen(places[places.length - 1]));
    }
    const tint = linear(colour), dense = kind === "glass" ? 0.25 : alpha;
    for (let k = 0; k < triangles.length; k += 3) {
      const [a, b, c] = triangles.slice(k, k + 3), [p, q, r] = [corners[a], corners[b], corners[c]];
      const depth = Math.max(p[2], q[2], r[2]);
      // those that look away are behind others
      if (Math.min(p[2], q[2], r[2]) < 1e-3) continue;
      if ((q[0] - p[0]) * (r[1] - p[1]) >= (q[1] - p[1]) * (r[0] - p[0])) continue;
      const n = unit(cross(sub(places[b], places[a]), sub(places[c], places[a])));
      const light = look.ground + (look.air - look.ground) * (0.5 + 0.5 * dot(n, cam.up))
        + look.key * 0.5 * Math.max(dot(n, lamp), 0);
      const shown = tint.map((x) => Math.round(255 * Math.min(x * light * 0.8 + 0.02, 1) ** (1 / 2.2)));
      faces.push({p, q, r, depth, colour: `rgba(${shown.join()},${dense})`, seam: dense === 1});
    }
  }
  faces.sort((a, b) => b.depth - a.depth);
  pen.lineWidth = 0.7;
  for (const {p, q, r, colour, seam} of faces) {
    pen.fillStyle = pen.strokeStyle = colour;
    pen.beginPath();
    pen.moveTo(p[0], p[1]);
    pen.lineTo(q[0], q[1]);
    pen.lineTo(r[0], r[1]);
    pen.closePath();
    pen.fill();
    if (seam) pen.stroke();
  }
}

// a grid, and on it a dark spot under every part
function flatFloor(view, pen, items, lamp) {
  const {cam, scene, middle, radius, colours: look} = view, far = 2.2 * radius, step = nice(radius / 3);
  const on = (p) => add(p, by(lamp, (scene.floor - dot(p, cam.up)) / dot(lamp, cam.up)));
  const [a, b] = [cam.first, cam.second].map((e) => dot(middle, e));
  const point = (u, v) => add(add(by(cam.first, u), by(cam.second, v)), by(cam.up, scene.floor));
  const stroke = (p, q) => {
    const [x1, y1, d1] = view.seen(p), [x2, y2, d2] = view.seen(q);
    if (Math.min(d1, d2) < 0.02 * radius) return;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  };
  pen.save();
  pen.strokeStyle = look.grid;
  pen.globalAlpha = 0.5 * look.lines;
  pen.lineWidth = view.ratio;
  for (let k = -Math.floor(far / step); k * step <= far; k++) {
    const c = k * step, half = Math.sqrt(far * far - c * c);
    stroke(point(a + c, b - half), point(a + c, b + half));
    stroke(point(a - half, b + c), point(a + half, b + c));
  }
  pen.fillStyle = "#000";
  pen.globalAlpha = 0.12 * look.shadow;
  for (const {mesh, matrix, kind} of items) {
    if (kind !== "solid" || !(dot(cam.eye, cam.up) > scene.floor)) continue;
    const at = carry(matrix, mesh.middle || [0, 0, 0]), [x, y, depth] = view.seen(on(at));
    const r = ((mesh.reach || 0) * size([matrix[0], matrix[1], matrix[2]]) * view.focal) / depth;
    if (!(depth > 1e-3)) continue;
    pen.beginPath();
    pen.ellipse(x, y, r, r * Math.abs(dot(cam.ahead, cam.up)), 0, 0, 7);
    pen.fill();
  }
  pen.restore();
}
