/* What keeps people from reading a page, a sentence each; called by accessibility.py. */

([least, large]) => {
  const found = [];
  const say = (words) => found.push(words);
  const all = (what, inside = document) => [...inside.querySelectorAll(what)];
  const seen = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const short = (e) => {
    const name = e.id ? `#${e.id}` : e.className && e.className.baseVal === undefined ? `.${e.className}` : "";
    return `<${e.tagName.toLowerCase()}${name}> ${(e.textContent || "").trim().slice(0, 40)}`.trim();
  };
  const named = (e) => {
    const ids = e.getAttribute("aria-labelledby");
    const said = ids ? ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ") : "";
    return (e.getAttribute("aria-label") || said || e.getAttribute("title") || "").trim();
  };

  // the page as a whole
  if (!document.documentElement.lang) say("the page has no language");
  if (!document.title.trim()) say("the page has no title");
  if (all("main, [role=main]").length !== 1) say("there is not exactly one main landmark");
  if (all("h1").length !== 1) say(`there are ${all("h1").length} h1`);
  for (const nav of all("nav")) if (!named(nav) && all("nav").length > 1) say(`a nav has no name: ${short(nav)}`);
  const zoom = document.querySelector("meta[name=viewport]")?.content ?? "";
  if (/user-scalable\s*=\s*(no|0)|maximum-scale\s*=\s*1(\D|$)/.test(zoom)) say("the page cannot be zoomed");
  const first = document.querySelector("a[href], button, input");
  if (first && !first.closest("main") && first.getAttribute("href")?.startsWith("#") !== true)
    say("the first thing that Tab reaches is not a way to the content");

  // headings
  let before = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6").filter(seen)) {
    const level = Number(heading.tagName[1]);
    if (level > before + 1) say(`a heading jumps from ${before} to ${level}: ${short(heading)}`);
    if (!heading.textContent.trim()) say("a heading is empty");
    before = level;
  }

  // ids and what refers to them
  const ids = all("[id]").map((e) => e.id);
  for (const id of new Set(ids.filter((id, k) => ids.indexOf(id) !== k))) say(`two elements have the id ${id}`);
  for (const key of ["aria-labelledby", "aria-controls", "aria-describedby", "for"])
    for (const e of all(`[${key}]`))
      for (const id of e.getAttribute(key).split(/\s+/))
        if (!document.getElementById(id)) say(`${key} of ${short(e)} names ${id}, which is not there`);
  for (const a of all('a[href^="#"]'))
    if (a.getAttribute("href").length > 1 && !document.getElementById(decodeURIComponent(a.hash.slice(1)))) say(`a link leads nowhere: ${a.hash}`);

  // names
  for (const e of all("input:not([type=hidden]), select, textarea"))
    if (!named(e) && ![...(e.labels ?? [])].some((label) => label.textContent.trim())) say(`an input has no label: ${short(e)} ${e.id}`);
  for (const e of all("button, a[href], summary, [role=button]")) if (!named(e) && !e.textContent.trim()) say(`nothing says what ${short(e)} does`);
  for (const e of all("img")) if (!e.hasAttribute("alt")) say(`a picture has no alt: ${e.src.slice(0, 40)}`);
  for (const e of all("svg, canvas"))
    if (!named(e) && e.getAttribute("aria-hidden") !== "true" && !e.closest("[aria-hidden=true]") && !e.closest("svg svg") && !e.querySelector(":scope > title")) say(`a drawing has no name: ${short(e)} ${e.id}`);
  for (const e of all("[aria-hidden=true] :is(a[href], button, input, select, [tabindex])")) if (e.tabIndex >= 0 && seen(e)) say(`what is hidden from some can be focused: ${short(e)}`);

  // structure
  for (const th of all("table th")) if (!th.getAttribute("scope")) say(`a table heading has no scope: ${short(th)}`);
  for (const table of all("table")) if (!table.querySelector("th")) say(`a table has no headings: ${short(table)}`);
  for (const li of all("li")) if (!li.parentElement.matches("ul, ol, menu")) say(`a list item is in no list: ${short(li)}`);
  for (const part of all("dt, dd")) if (!part.parentElement.matches("dl, dl > div")) say(`a term is in no list of terms: ${short(part)}`);
  for (const e of all("fieldset")) if (!e.querySelector(":scope > legend")) say("a fieldset has no legend");
  for (const e of all("[tabindex]")) if (e.tabIndex > 0) say(`the order of Tab is changed at ${short(e)}`);
  for (const e of all("main *").filter(seen)) {
    const style = getComputedStyle(e), wide = e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(style.overflowX);
    const high = e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(style.overflowY);
    if ((wide || high) && e.tabIndex < 0 && !all("a[href], button, input, select, [tabindex='0']", e).some(seen)) say(`only a mouse can scroll ${short(e)}`);
  }

  // contrast
  const dot = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), colours = new Map();
  dot.canvas.width = dot.canvas.height = 1;
  const rgba = (text) => {
    if (!colours.has(text)) {
      dot.clearRect(0, 0, 1, 1);
      dot.fillStyle = text;
      dot.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = dot.getImageData(0, 0, 1, 1).data;
      colours.set(text, [r, g, b, a / 255]);
    }
    return colours.get(text);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const behind = (e) => {
    if (!e) return [255, 255, 255, 1];
    const own = rgba(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(e.parentElement));
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((x) => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const told = new Set();
  while (words.nextNode()) {
    const e = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || !e || e.closest("svg, script, style, noscript, option, .katex-mathml") || !seen(e)) continue;
    if (e.closest(":disabled")) continue;
    const style = getComputedStyle(e), paper = behind(e), ink = over(rgba(style.color), paper);
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize), big = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const key = `${style.color} ${paper.join()} ${big}`;
    if (ratio < (big ? large : least) && !told.has(key)) {
      told.add(key);
      say(`contrast ${ratio.toFixed(2)} of ${short(e)}`);
    }
  }
  return found;
}
