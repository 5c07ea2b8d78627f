/* What the graphics card computes: places of points, light on surfaces, the floor and its shadow. */

const HEAD = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

// light is mixed as light; as on film, the brightest fades into white instead of being cut off
const LIGHT = `
uniform vec3 eye, up, lamp;
uniform vec4 sky; // light from above, from below, of the lamp; exposure
uniform mat4 lit;
uniform sampler2DShadow shade;
uniform sampler2D depths;
uniform int taps; // more for softer shadows
uniform float grain, reach, used; // a texel of the shadow, in parts of it; half its width [m]
vec3 shown(vec3 x) {
  x = max(x * sky.w, 0.0);
  x = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
  return pow(min(x, 1.0), vec3(1.0 / 2.2));
}
vec2 spread(int k, int count, float turn) { // points that fill a disc evenly
  float r = sqrt((float(k) + 0.5) / float(count)), w = 2.399963 * float(k) + turn;
  return r * vec2(cos(w), sin(w));
}
vec2 inside(vec2 p) { return used * clamp(p, grain, 1.0 - grain); }
float lightAt(vec3 at, float wide, int count, float turn) { // from 0, shadow, to 1
  vec3 p = (lit * vec4(at, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int k = 0; k < count; k++) sum += texture(shade, vec3(inside(p.xy + wide * spread(k, count, turn)), p.z));
  return sum / float(count);
}
`;

// a lamp, the light of a room from above and below, what a studio reflects; of glass, only its rim
const SURFACE = `
uniform vec3 colour, side; uniform float alpha, glass;
vec3 room(vec3 d) {
  float high = dot(d, up);
  float c = mix(0.32 * sky.y, 0.85 * sky.x, smoothstep(-0.35, 0.55, high));
  c += 1.3 * smoothstep(0.72, 0.93, dot(d, lamp)) + 0.7 * smoothstep(0.8, 0.95, dot(d, side));
  return vec3(c);
}
vec3 outward(vec3 n, vec3 v) { return dot(n, v) < -0.2 ? -n : n; }
vec3 surface(vec3 n, vec3 v, float shadow) {
  float facing = max(dot(n, v), 0.0), key = max((dot(n, lamp) + 0.12) / 1.12, 0.0);
  float high = 0.5 + 0.5 * dot(n, up);
  vec3 light = vec3(mix(sky.y, sky.x, high * high * (3.0 - 2.0 * high)));
  light += sky.z * key * mix(0.12, 1.0, shadow);
  light += 0.22 * max(dot(n, side), 0.0);
  vec3 h = normalize(lamp + v);
  float fresnel = 0.04 + 0.5 * pow(1.0 - facing, 5.0);
  float shine = 0.34 * pow(max(dot(n, h), 0.0), 70.0) * shadow;
  float rim = 0.18 * pow(1.0 - facing, 3.0) * sky.x * high;
  return shown(colour * light * 0.62 + fresnel * room(reflect(-v, n)) + shine + rim);
}
vec4 pane(vec3 n, vec3 v) { // denser towards the rim
  float a = glass * (0.2 + 0.65 * pow(1.0 - max(dot(n, v), 0.0), 2.2));
  return vec4(shown(colour * (0.9 + 0.3 * max(dot(n, up), 0.0))) * a, a);
}
`;

const PLACED = `
in vec3 place; in vec3 normal;
uniform mat4 model, seen; uniform mat3 turn;
`;

const SOLID = {
  vertex: `${HEAD}${PLACED}
out vec3 at; out vec3 out_;
void main() {
  vec4 p = model * vec4(place, 1.0);
  at = p.xyz; out_ = turn * normal;
  gl_Position = seen * p;
}`,
  fragment: `${HEAD}${LIGHT}${SURFACE}
in vec3 at; in vec3 out_;
out vec4 pixel;
void main() {
  vec3 v = normalize(eye - at), n = outward(normalize(out_), v);
  if (glass > 0.0) { pixel = pane(n, v); return; }
  float shadow = dot(n, lamp) > -0.1 ? lightAt(at + n * 7.0 * grain * reach, 1.6 * grain, taps / 2, 0.0) : 0.0;
  pixel = vec4(surface(n, v, shadow) * alpha, alpha);
}`,
};

// the same with light at points alone, in shadow and out of it: a pixel only chooses between them
const QUICK = {
  vertex: `${HEAD}${LIGHT}${SURFACE}${PLACED}
out vec3 on, bright, dark; out float dense;
void main() {
  vec4 p = model * vec4(place, 1.0);
  vec3 v = normalize(eye - p.xyz), n = outward(normalize(turn * normal), v);
  on = (lit * vec4(p.xyz + n * 7.0 * grain * reach, 1.0)).xyz * 0.5 + 0.5;
  if (glass > 0.0) {
    vec4 c = pane(n, v);
    bright = dark = c.rgb; dense = c.a;
  } else {
    dark = alpha * surface(n, v, 0.0); dense = alpha;
    bright = dot(n, lamp) > -0.1 ? alpha * surface(n, v, 1.0) : dark;
  }
  gl_Position = seen * p;
}`,
  fragment: `${HEAD}
uniform sampler2DShadow shade; uniform float used;
in vec3 on, bright, dark; in float dense;
out vec4 pixel;
void main() {
  float light = texture(shade, vec3(used * clamp(on.xy, 0.0, 1.0), on.z));
  pixel = vec4(mix(dark, bright, light), dense);
}`,
};

const SHADOW = {
  vertex: `${HEAD}
in vec3 place;
uniform mat4 model, seen;
void main() { gl_Position = seen * model * vec4(place, 1.0); }`,
  fragment: `${HEAD}void main() {}`,
};

const ROOM = {
  vertex: `${HEAD}
in vec3 place;
out vec2 on;
void main() { on = place.xy; gl_Position = vec4(place.xy, 0.999999, 1.0); }`,
  fragment: `${HEAD}
in vec2 on;
uniform vec3 inner, outer; uniform float wide;
out vec4 pixel;
void main() {
  float r = length(vec2(on.x * wide, on.y - 0.1)) / (1.5 * length(vec2(wide, 1.0)));
  float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  pixel = vec4(mix(inner, outer, smoothstep(0.0, 1.0, r)) + grain / 255.0, 1.0);
}`,
};

// a grid that fades away, and the shadow of what stands on it: soft where that is high above
const FLOOR = {
  vertex: `${HEAD}
in vec3 place;
uniform mat4 model, seen;
out vec3 at; out vec2 on;
void main() {
  vec4 p = model * vec4(place, 1.0);
  at = p.xyz; on = place.xy;
  gl_Position = seen * p;
}`,
  fragment: `${HEAD}${LIGHT}
in vec3 at; in vec2 on;
uniform vec3 ink, first, second; uniform float step_, lines, dark, near_;
out vec4 pixel;
float line(float every, float wide) {
  vec2 x = vec2(dot(at, first), dot(at, second)) / every, w = fwidth(x);
  vec2 d = abs(fract(x - 0.5) - 0.5) / max(w, vec2(1e-6));
  float fade = clamp(0.35 / max(w.x, w.y), 0.0, 1.0);
  return clamp(wide - min(d.x, d.y) + 0.5, 0.0, 1.0) * min(fade * fade, 1.0);
}
float turned() { // another angle for every pixel, so that no pattern is seen
  return 6.2832 * fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584))));
}
float shadow() {
  vec3 p = (lit * vec4(at, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(p.xy, vec2(0.0))) || any(greaterThan(p.xy, vec2(1.0)))) return 0.0;
  float found = 0.0, blocked = 0.0, turn = turned();
  for (int k = 0; k < taps; k++) {
    float d = texture(depths, inside(p.xy + 0.04 * spread(k, taps, turn))).r;
    if (d < p.z - 0.002) { found += 1.0; blocked += p.z - d; }
  }
  if (found < 0.5) return 0.0;
  float soft = clamp(0.12 * blocked / found, 2.0 * grain, 0.04);
  return 1.0 - lightAt(at + up * 2.0 * grain * reach, soft, 2 * taps, turn);
}
void main() {
  float far = length(on), fade = pow(max(1.0 - far * far, 0.0), 1.6);
  float grid = max(0.5 * line(step_, 0.5), line(5.0 * step_, 0.8));
  float a = lines * grid * fade;
  float s = near_ > 0.0 ? dark * shadow() * smoothstep(1.0, 0.55, far) : 0.0;
  vec3 c = ink * a;
  pixel = vec4(c * (1.0 - s), 1.0 - (1.0 - a) * (1.0 - s));
}`,
};
