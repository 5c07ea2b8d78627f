/** What the top of the page says of the robot: its name among the others, its size, its warnings. */

import { find, make, write } from "./elements.js";
import { short } from "./numbers.js";

const FILE = "file:"; // before the name of one that was opened

/** Offer the built-in robots, and those shown last above them. */
export function offerRobots(names, recents, shown) {
  const entry = ([value, text, title]) => make("option", { value, text, title: title || null });
  const known = new Set(names.map(([name]) => name));
  const before = recents.filter((name) => name !== shown && (known.has(name) || name.startsWith(FILE)));
  const group = (label, entries) => make("optgroup", { label }, ...entries.map(entry));
  find("robots").replaceChildren(
    ...(before.length ? [group("Recent", before.map((name) => [name, name.replace(FILE, "")]))] : []),
    group("Built in", names),
  );
}

/** Show which robot it is; one from a file stands below the built-in ones. */
export function showName(robot, source) {
  const select = find("robots");
  for (const option of select.querySelectorAll("[data-file]")) option.remove();
  const value = source.do === "file" ? `${FILE}${source.name}` : source.name;
  if (source.do === "file") select.append(make("option", { value, text: robot.name, "data-file": true }));
  // the last of that name: the same may stand among the recent ones
  const found = [...select.options].findLast((option) => option.value === value);
  if (found) found.selected = true;
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
