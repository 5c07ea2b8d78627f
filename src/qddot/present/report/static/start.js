/* Everything that the page has is started here. */

entryTables();
if (MOVES) {
  explorer();
  angleSwitch();
  player();
  for (const follow of followers) follow();
  // for whoever opens the console: report.state.q[0] = 1; report.moved()
  globalThis.report = { state, moved, sceneAt, eigen, kernels: KERNELS };
}
