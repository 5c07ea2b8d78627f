/* Mouse, fingers, keys, the size of the window and the colours of the room, for one view. */

const TURN = 0.008; // [rad] a pixel
const KEY_TURN = 0.12; // [rad] a key
const KEY_ZOOM = 1.15;

function handle(view) {
  const {canvas} = view, pointers = new Map();
  const turn = (right, up) => view.look({
    azimuth: view.angles.azimuth - right, elevation: view.angles.elevation + up});
  const spread = () => {
    const [a, b] = pointers.values();
    return Math.hypot(a.x - b.x, a.y - b.y) || 1;
  };
  // where the page scrolls, an upright swipe and the wheel are the page's until the view is chosen
  const scrolls = () => document.documentElement.scrollHeight > innerHeight + 1;
  const touch = () => { canvas.style.touchAction = scrolls() ? "pan-y" : "none"; };

  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId);
    if (!last) return;
    const before = pointers.size > 1 ? spread() : 0;
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    if (before) view.closer(spread() / before);
    else turn((e.clientX - last.x) * TURN, (e.clientY - last.y) * TURN);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (e) => pointers.delete(e.pointerId));
  }
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && scrolls() && document.activeElement !== canvas) return;
    e.preventDefault();
    view.closer(Math.exp(-clamp(e.deltaY, -200, 200) * (e.ctrlKey ? 0.01 : 0.0015)));
  }, {passive: false});
  canvas.addEventListener("dblclick", () => view.reset());

  const keys = {
    ArrowLeft: () => turn(-KEY_TURN, 0), ArrowRight: () => turn(KEY_TURN, 0),
    ArrowUp: () => turn(0, KEY_TURN), ArrowDown: () => turn(0, -KEY_TURN),
    "+": () => view.closer(KEY_ZOOM), "=": () => view.closer(KEY_ZOOM),
    "-": () => view.closer(1 / KEY_ZOOM), Home: () => view.reset(), 0: () => view.reset(),
  };
  canvas.addEventListener("keydown", (e) => {
    if (!Object.hasOwn(keys, e.key) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  });

  new ResizeObserver(() => { touch(); view.resize(); }).observe(canvas);
  view.dark.addEventListener("change", () => view.draw(1));
  // paper is white
  const printed = (is) => () => { view.printing = is; view.draw(1); };
  addEventListener("beforeprint", printed(true));
  addEventListener("afterprint", printed(false));
}
