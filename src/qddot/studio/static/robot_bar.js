/** What the top of the page says of the robot: its name among the others, its size, its warnings. */

import { find, make, write } from "./elements.js";
import { short } from "./numbers.js";

const FILE = "file:"; // before the name of one that was opened

/** Offer the built-in robots. */
export function offerRobots(names) {
  const entries = names.map(([value, text, title]) => make("option", { value, text, title: title || null }));
  find("robots").replaceChildren(make("optgroup", { label: "Built in" }, ...entries));
}

/** Show which robot it is; one from a file stands below the built-in ones. */
export function showName(robot, source) {
  const select = find("robots");
  for (const option of select.querySelectorAll("[data-file]")) option.remove();
  const value = source.do === "file" ? `${FILE}${source.name}` : source.name;
  if (source.do === "file") select.append(make("option", { value, text: robot.name, "data-file": true }));
  select.value = value;
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
