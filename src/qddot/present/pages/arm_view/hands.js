/* Mouse, fingers, keys, the size of the window and the colours of the room, for one view. */

const TURN = 0.008; // [rad] a pixel
const KEY_TURN = 0.12; // [rad] a key
const KEY_ZOOM = 1.15;
const KEY_MOVE = 24; // [px] a key

function handle(view) {
  const {canvas} = view, pointers = new Map();
  const turn = (right, up) => view.look({
    azimuth: view.angles.azimuth - right, elevation: view.angles.elevation + up});
  // how far two fingers are apart, and what is between them
  const spread = () => {
    const [a, b] = pointers.values();
    return {wide: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
  };
  // where the page scrolls, an upright swipe and the wheel are the page's until the view is chosen
  const scrolls = () => document.documentElement.scrollHeight > innerHeight + 1;
  const touch = () => { canvas.style.touchAction = scrolls() ? "pan-y" : "none"; };

  // a hand of the view may take the pointer; {move(x, y), end()} is told what it does then
  let held = null;
  view.held = () => Boolean(held || pointers.size);
  const at = ({clientX, clientY}) => {
    const {left, top} = canvas.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  const slack = (e) => (e.pointerType === "mouse" ? 9 : 20); // [px] beside what is meant
  canvas.addEventListener("touchstart", (e) => {
    const [x, y] = at(e.changedTouches[0]);
    if (view.hand && view.hand.over(x, y, slack(e))) e.preventDefault(); // nor does the page scroll
  }, {passive: false});

  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    const free = view.hand && !held && !pointers.size && !e.button && !e.shiftKey;
    const taken = free ? view.hand.begin(...at(e), slack(e)) : null;
    if (taken) {
      held = {...taken, id: e.pointerId};
      return;
    }
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId);
    if (held && held.id === e.pointerId) held.move(...at(e));
    else if (!last && view.hand && !e.buttons) view.hand.hover(...at(e), slack(e));
    if (!last) return;
    const before = pointers.size > 1 ? spread() : null;
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    const [right, down] = [e.clientX - last.x, e.clientY - last.y];
    if (before) {
      const now = spread();
      view.closer(now.wide / before.wide);
      view.move(now.x - before.x, now.y - before.y);
    } else if (e.shiftKey || e.buttons & 6) view.move(right, down);
    else turn(right * TURN, down * TURN);
  });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (e) => {
      pointers.delete(e.pointerId);
      view.request();
      if (!held || held.id !== e.pointerId) return;
      const {end: done} = held;
      held = null;
      done();
    });
  }
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && scrolls() && document.activeElement !== canvas) return;
    e.preventDefault();
    view.closer(Math.exp(-clamp(e.deltaY, -200, 200) * (e.ctrlKey ? 0.01 : 0.0015)));
  }, {passive: false});
  canvas.addEventListener("dblclick", (e) => {
    if (!view.hand || !view.hand.over(...at(e), slack(e))) view.reset();
  });

  const keys = {
    ArrowLeft: () => turn(-KEY_TURN, 0), ArrowRight: () => turn(KEY_TURN, 0),
    ArrowUp: () => turn(0, KEY_TURN), ArrowDown: () => turn(0, -KEY_TURN),
    "+": () => view.closer(KEY_ZOOM), "=": () => view.closer(KEY_ZOOM),
    "-": () => view.closer(1 / KEY_ZOOM), Home: () => view.reset(), 0: () => view.reset(),
  };
  const moves = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
  canvas.addEventListener("keydown", (e) => {
    if (e.shiftKey && Object.hasOwn(moves, e.key)) {
      e.preventDefault();
      view.move(...moves[e.key].map((x) => KEY_MOVE * x));
      return;
    }
    if (!Object.hasOwn(keys, e.key) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  });

  new ResizeObserver(() => { touch(); view.resize(); }).observe(canvas);
  view.dark.addEventListener("change", () => view.request());
  // paper is white
  const printed = (is) => () => { view.printing = is; view.draw(view.finest); };
  addEventListener("beforeprint", printed(true));
  addEventListener("afterprint", printed(false));
}
