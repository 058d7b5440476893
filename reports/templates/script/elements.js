/* What every part of the page's script uses. All that is shown is set as text, never as markup. */
const SVG = "http://www.w3.org/2000/svg";
const data = JSON.parse(document.getElementById("data").textContent);
const panel = document.getElementById("panel");
const SIDES = ["base", "head"];
const ROW = 30, HEADER = 24, PADDING = 10, GUTTER = 14, APART = 56, LARGE = 60, FOLDED = 40, READABLE = 0.6, TAG = 40;
const BAD = new Set(["fails", "misassigned", "dropped", "undecided"]);
const MARKS = { inserted: "inserted", removed: "removed", reordered: "moved", edited: "edited" };
const MOVES = new Set(["operators-reordered", "moved-along"]);
const measure = document.createElement("canvas").getContext("2d");
measure.font = "13px system-ui, sans-serif";

document.documentElement.classList.add("js");

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") made.textContent = value;
    else if (key === "on") Object.entries(value).forEach(([event, act]) => made.addEventListener(event, act));
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawing(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function shortened(text, limit) {
  const letters = [...text];
  if (letters.length <= limit) return text;
  const front = Math.ceil(((limit - 1) * 2) / 3);
  return letters.slice(0, front).join("") + "…" + letters.slice(letters.length - (limit - 1 - front)).join("");
}

function verdictOf(row, path = "savepoint", allow = false) {
  const asked = row.verdicts.find((one) => one.path === path && one.allow_non_restored_state === allow);
  return (asked || row.verdicts[0] || { verdict: "stateless" }).verdict;
}

function badge(verdict) {
  const known = data.verdicts[verdict];
  return element("span", { class: `badge v-${verdict}`, text: `${known.icon} ${known.word}` });
}
