/* A picture by the graphics card (WebGL 2), once for all views of a page: each copies it.

   Buffers are made once for each mesh and kept as long as the mesh; a picture sends matrices and
   colours only.                                                                                */

const SHADOW_SIZE = 2048; // [px]; of a small picture, a part of it is used
const SLOW_CARDS = /swiftshader|llvmpipe|softpipe|software|basic render/i; // that are none
const TAPS = {fine: 14, quick: 4}; // looks at the shadow for one pixel
const HIDDEN = 0.3; // how dense signs are behind something
const CORNERS = {points: new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
  normals: new Int16Array(12), triangles: new Uint16Array([0, 1, 2, 0, 2, 3])};

let shared = null; // the painter of this page; false where there is no WebGL 2
function painter() {
  if (shared === null) {
    // smooth edges cost a processor that plays the card most of its time: it draws finer at rest
    let [canvas, gl] = context(true);
    const slow = Boolean(gl) && SLOW_CARDS.test(nameOf(gl));
    if (slow) [canvas, gl] = context(false);
    shared = gl ? new Painter(canvas, gl, slow) : false;
    // a card that was taken away: the next picture asks for another
    canvas.addEventListener("webglcontextlost", () => { shared = null; });
  }
  return shared;
}

function context(antialias) {
  const canvas = document.createElement("canvas");
  return [canvas, canvas.getContext("webgl2", {antialias, alpha: false})];
}

function nameOf(gl) {
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  return told ? gl.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
}

class Painter {
  constructor(canvas, gl, slow) {
    Object.assign(this, {canvas, gl, slow, kept: new WeakMap(), pixels: document.createElement("canvas")});
    this.programs = Object.fromEntries(Object.entries({SOLID, QUICK, SHADOW, ROOM, FLOOR}).map(
      ([name, source]) => [name, program(gl, source)]));
    this.shade = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shade);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    this.below = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.below);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shade, 0);
    // one texture, read in two ways: compared, and as it is
    const sampler = (filter, compare) => {
      const made = gl.createSampler();
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
        gl.samplerParameteri(made, side, gl.CLAMP_TO_EDGE);
      }
      gl.samplerParameteri(made, gl.TEXTURE_MIN_FILTER, filter);
      gl.samplerParameteri(made, gl.TEXTURE_MAG_FILTER, filter);
      if (compare) gl.samplerParameteri(made, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
      return made;
    };
    [sampler(gl.LINEAR, true), sampler(gl.NEAREST, false)].forEach((made, k) => {
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, this.shade);
      gl.bindSampler(k, made);
    });
  }

  // draw; `copy` shows it
  draw(view, items, width, height, finest) {
    const {gl, canvas} = this, {cam, colours: look, scene} = view;
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
    const radius = Math.max(view.radius, size(sub(view.target, view.middle)));
    const lamp = lampOf(cam), reach = 1.9 * view.radius;
    const lit = litBy({eye: view.middle, right: across(lamp), over: cross(lamp, across(lamp)),
      ahead: by(lamp, -1)}, reach);
    const far = size(sub(cam.eye, view.middle));
    const seen = lookedAt(cam, [view.wide, view.high],
      Math.max(far - 3 * radius, 0.004 * radius), far + 8 * radius);
    const fine = Math.min(Math.max(1.7 * Math.max(width, height), 128) | 0, SHADOW_SIZE);
    const frame = {eye: cam.eye, up: cam.up, lamp, lit, seen, reach, grain: 1 / fine,
      used: fine / SHADOW_SIZE, taps: finest ? TAPS.fine : TAPS.quick,
      sky: [look.air, look.ground, look.key, look.exposure], shade: 0, depths: 1,
      side: unit(add(add(by(cam.right, -0.75), by(cam.ahead, 0.35)), by(cam.up, 0.25)))};

    this.shadows(items.filter((item) => item.kind === "solid"), lit, fine);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    this.clear(width, height);
    gl.disable(gl.DEPTH_TEST);
    this.use("ROOM", {inner: srgb(look.sky), outer: srgb(look.edge), wide: width / height});
    this.mesh(CORNERS);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (scene.floor != null) this.floor(view, frame);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    this.use(finest ? "SOLID" : "QUICK", frame);
    for (const item of items) if (item.kind === "solid" || item.kind === "sign") this.item(item);
    this.translucent(items);
    this.hidden(items);
  }

  // show what was drawn, of width × height pixels, on all of another canvas
  copy(pen, width, height) {
    const {gl, canvas} = this, {width: wide, height: high} = pen.canvas;
    if (!this.slow) {
      pen.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, wide, high);
      return;
    }
    // where the processor draws, all of its canvas is copied for any part of it: read that part,
    // which has its last row first
    const {pixels} = this;
    if (pixels.width !== width || pixels.height !== height) Object.assign(pixels, {width, height});
    const read = new ImageData(width, height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, read.data);
    pixels.getContext("2d").putImageData(read, 0, 0);
    pen.setTransform(1, 0, 0, -1, 0, high);
    pen.drawImage(pixels, 0, 0, wide, high);
    pen.resetTransform();
  }

  shadows(items, lit, fine) {
    const {gl} = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.below);
    gl.viewport(0, 0, fine, fine);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    this.clear(fine, fine);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    // what is read must not be bound while it is written
    for (const unit of [0, 1]) { gl.activeTexture(gl.TEXTURE0 + unit); gl.bindTexture(gl.TEXTURE_2D, null); }
    this.use("SHADOW", {seen: lit});
    for (const item of items) { this.set({model: item.matrix}); this.mesh(item.mesh); }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    for (const unit of [0, 1]) { gl.activeTexture(gl.TEXTURE0 + unit); gl.bindTexture(gl.TEXTURE_2D, this.shade); }
  }

  clear(width, height) {
    const {gl} = this;
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.SCISSOR_TEST);
  }

  floor(view, frame) {
    const {cam, scene, colours: look} = view, wide = 2.6 * view.radius;
    const middle = add(view.middle, by(cam.up, scene.floor - dot(view.middle, cam.up)));
    this.gl.depthMask(false);
    this.use("FLOOR", {...frame, ink: srgb(look.grid), first: cam.first, second: cam.second,
      step_: nice(view.radius / 6), lines: look.lines, dark: look.shadow,
      near_: dot(cam.eye, cam.up) - scene.floor,
      model: placed([by(cam.first, wide), by(cam.second, wide), cam.up], middle)});
    this.mesh(CORNERS);
    this.gl.depthMask(true);
  }

  // first how near they are, so that none is seen through itself; then their colour
  translucent(items) {
    const {gl} = this, ghosts = items.filter((item) => item.kind === "ghost");
    if (ghosts.length) {
      gl.enable(gl.POLYGON_OFFSET_FILL); // where they share a link, the robot is in front
      gl.polygonOffset(1, 4);
      gl.colorMask(false, false, false, false);
      for (const item of ghosts) this.item(item);
      gl.colorMask(true, true, true, true);
      for (const item of ghosts) this.item(item);
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    for (const face of [gl.FRONT, gl.BACK]) {
      gl.cullFace(face);
      for (const item of items) if (item.kind === "glass") this.item(item, face === gl.FRONT ? 0.5 : 1);
    }
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
  }

  // signs shine a little through what hides them
  hidden(items) {
    const {gl} = this;
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    for (const item of items) if (item.kind === "sign") this.item({...item, alpha: HIDDEN});
    gl.depthMask(true);
  }

  item({mesh, matrix, colour, alpha}, glass = 0) {
    this.set({model: matrix, turn: outward(matrix), colour: linear(colour), alpha, glass});
    this.mesh(mesh);
  }

  use(name, values) {
    this.now = this.programs[name];
    this.gl.useProgram(this.now.program);
    this.set(values);
  }

  set(values) {
    for (const [name, value] of Object.entries(values)) this.now.set[name]?.(value);
  }

  mesh(mesh) {
    const {gl} = this;
    if (!this.kept.has(mesh)) this.kept.set(mesh, buffers(gl, mesh));
    const {array, count, type} = this.kept.get(mesh);
    gl.bindVertexArray(array);
    gl.drawElements(gl.TRIANGLES, count, type, 0);
  }

  // tubes are made anew for every picture
  forget(items) {
    for (const {mesh} of items) {
      const made = mesh.reach === undefined && this.kept.get(mesh);
      if (!made) continue;
      this.gl.deleteVertexArray(made.array);
      for (const buffer of made.buffers) this.gl.deleteBuffer(buffer);
      this.kept.delete(mesh);
    }
  }
}

const NAMES = ["place", "normal"];

function buffers(gl, {points, normals, triangles}) {
  const array = gl.createVertexArray(), made = [];
  gl.bindVertexArray(array);
  [[points, gl.FLOAT], [normals, gl.SHORT]].forEach(([data, type], k) => {
    made.push(gl.createBuffer());
    gl.bindBuffer(gl.ARRAY_BUFFER, made[k]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(k);
    gl.vertexAttribPointer(k, 3, type, type === gl.SHORT, 0, 0);
  });
  made.push(gl.createBuffer());
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, made[2]);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
  const type = triangles instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
  return {array, count: triangles.length, type, buffers: made};
}

function program(gl, {vertex, fragment}) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  NAMES.forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) {
    const why = gl.getAttachedShaders(made).map((shader) => gl.getShaderInfoLog(shader)).join(" ");
    throw new Error(`The picture cannot be drawn: ${why}`);
  }
  const set = {}, count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
  for (let k = 0; k < count; k++) {
    const {name, type} = gl.getActiveUniform(made, k), at = gl.getUniformLocation(made, name);
    set[name] = {
      [gl.FLOAT]: (x) => gl.uniform1f(at, x), [gl.FLOAT_VEC3]: (x) => gl.uniform3fv(at, x),
      [gl.FLOAT_VEC4]: (x) => gl.uniform4fv(at, x),
      [gl.FLOAT_MAT3]: (x) => gl.uniformMatrix3fv(at, false, x),
      [gl.FLOAT_MAT4]: (x) => gl.uniformMatrix4fv(at, false, x),
    }[type] || ((x) => gl.uniform1i(at, x));
  }
  return {program: made, set};
}

const srgb = (hex) => linear(hex).map((x) => x ** (1 / 2.2));

// a lamp high above, to the left of where one looks from at first; it stays where it is
function lampOf({up, first, second}) {
  return unit(add(by(up, 1), add(by(first, 0.16), by(second, -0.42))));
}

// the largest of 1, 2, 5, 10, ... that is not above x
function nice(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * [5, 2, 1].find((k) => k * ten <= x * 1.000001);
}
