/** The page's address keeps a built-in robot and its pose, so that a reload or a bookmark shows them. */

/** Return the robot's name and q that stand in the address; null where they do not. */
export function fromAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const q = parts.get("q")?.split(",").map(Number) ?? [];
  return { name: parts.get("robot"), q: q.length && q.every(Number.isFinite) ? q : null };
}

/** Write a robot's name and q into the address. */
export function toAddress(name, q) {
  const hash = `#robot=${encodeURIComponent(name)}&q=${q.map((x) => Number(x.toFixed(4))).join(",")}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}
