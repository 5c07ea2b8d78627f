/** What the top of the page says of the robot: its name among the others, its size, its warnings. */

import { find, make, write } from "./elements.js";
import { short } from "./numbers.js";

/** Show which robot it is; one from a file stands below the built-in ones. */
export function showName(robot, source) {
  const select = find("robots");
  for (const option of select.querySelectorAll("[data-file]")) option.remove();
  if (source.do === "file") select.append(make("option", { value: "", text: robot.name, "data-file": true }));
  select.value = source.do === "file" ? "" : source.name;
  document.title = `${robot.name} – qddot studio`;
}

/** Show how many joints it has, what it weighs and what is doubtful about it. */
export function showFacts({ joints, mass, warnings }) {
  const turning = joints.filter(({ turns }) => turns).length;
  const sliding = joints.length - turning;
  const kinds = [turning && `${turning} turning`, sliding && `${sliding} sliding`].filter(Boolean).join(", ");
  write(find("facts"), `${joints.length} ${joints.length === 1 ? "joint" : "joints"} (${kinds}) · ${short(mass)} kg`);
  const list = find("warnings");
  list.hidden = warnings.length === 0;
  write(list.querySelector("summary"), warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`);
  list.querySelector("ul").replaceChildren(...warnings.map((words) => make("li", { text: words })));
}
