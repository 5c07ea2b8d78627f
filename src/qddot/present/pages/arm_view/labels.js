/* Words beside what they name, on top of the picture; those that had to move aside have a line to it. */

// where words may stand: to the right, down
const AROUND = [[1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1], [0, -1], [0, 1]];
const STEPS_AWAY = 5; // heights of a line

function label(view) {
  const {pen, scene, ratio, colours} = view, taken = [], high = 16 * ratio;
  pen.font = `600 ${11.5 * ratio}px system-ui, sans-serif`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  const free = ({left, middle, wide}) => !taken.some(
    (t) => Math.abs(t.middle - middle) < high && left < t.left + t.wide && t.left < left + wide);
  const write = (words, at, {room = 0.03, colour = null} = {}) => {
    const [x, y, depth] = view.seen(at);
    if (!words || depth < 1e-3) return;
    const wide = pen.measureText(words).width + 8 * ratio;
    const away = (room * view.scale * view.focal) / depth + 3 * ratio;
    // beside it; where other words are, as little farther as there is room
    const places = Array.from({length: STEPS_AWAY}, (_, step) => AROUND.map(([i, j]) => {
      const far = away + step * high, left = x + i * far - (i < 0 ? wide : i ? 0 : wide / 2);
      const down = i ? Math.max(1.1, step) * high : far + high / 2;
      return {step, left: clamp(left, 0, view.canvas.width - wide), middle: clamp(y + j * down, high / 2, view.canvas.height - high / 2), wide};
    })).flat();
    const {step, left, middle} = places.find(free) || places[0];
    taken.push({left, middle, wide});
    if (step && colour) {
      pen.strokeStyle = colour;
      pen.lineWidth = 1.2 * ratio;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(clamp(x, left, left + wide), clamp(y, middle - high / 2, middle + high / 2));
      pen.stroke();
    }
    pen.fillStyle = colours.halo;
    pen.beginPath();
    pen.roundRect(left, middle - high / 2, wide, high, 4 * ratio);
    pen.fill();
    pen.fillStyle = colours.ink;
    pen.fillText(words, left + 4 * ratio, middle + ratio);
  };
  for (const e of scene.ellipsoids || []) write(e.label, e.at);
  for (const joint of scene.joints || []) write(joint.label, joint.at, {room: 0.075});
  for (const turn of scene.turns || []) {
    // at the middle of its arrow
    const arc = arcOf(turn, view.scale, scene.up || [0, 0, 1]);
    write(turn.label, arc ? arc.on(arc.sweep / 2) : turn.at, {colour: turn.colour || "#D55E00"});
  }
  for (const arrow of scene.arrows || []) write(arrow.label, arrow.to, {colour: arrow.colour || "#D55E00"});
  for (const frame of scene.frames || []) write(frame.label, frame.at, {room: 0.1});
}
