/* How fast the robot's programs are in this browser. */

const MEASURED = ["mass_matrix", "gravity_torque", "forward_dynamics"];
const LONG_ENOUGH = 60; // [ms]

function speed() {
  const button = find("measure");
  if (!button) return;
  button.addEventListener("click", () => {
    const { q, qd } = state, said = [];
    for (const name of MEASURED.filter((key) => KERNELS[key])) {
      const kernel = KERNELS[name], begun = performance.now();
      let count = 0;
      for (let k = 0; k < 50; k++) kernel(q, qd, qd); // until the browser has compiled it
      const start = performance.now();
      while (performance.now() - start < LONG_ENOUGH && performance.now() - begun < 1000) {
        for (let k = 0; k < 10; k++) kernel(q, qd, qd);
        count += 10;
      }
      said.push(`${name.replace("_", " ")} ${digits((1000 * (performance.now() - start)) / count, 3)} µs`);
    }
    put("measured", `${said.join(", ")}; for one state.`);
  });
}
