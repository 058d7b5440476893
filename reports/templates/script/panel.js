/* The panel that explains one operator. */
let opener = null;

function said(value) {
  if (value === null || value === undefined || value === "") return element("span", { class: "absent", text: "none" });
  if (typeof value === "object") return element("span", { class: "absent", text: `unknown: ${value.unknown}` });
  return element("code", { text: String(value) });
}

function place(location) {
  if (!location) return element("span", { class: "absent", text: "none" });
  const text = `${location.file}:${location.line}`;
  return location.url
    ? element("a", { class: "source", href: location.url, rel: "noreferrer", text })
    : element("span", { class: "source", text });
}

function list(values) {
  return values.length ? values.join(", ") : null;
}

function table(rows) {
  const body = element("tbody");
  for (const [name, before, after] of rows) {
    body.append(element("tr", {}, element("th", { scope: "row", text: name }), element("td", {}, before), element("td", {}, after)));
  }
  const head = element("tr", {}, element("td"), element("th", { scope: "col", text: "before" }), element("th", { scope: "col", text: "after" }));
  return element("table", {}, element("thead", {}, head), body);
}

function nodeOf(pipeline, row, which) {
  const graph = pipeline.graphs[which];
  return (row[which] && graph && graph.nodes && graph.nodes.find((node) => node.explained.key === row[which].key)) || null;
}

function both(row, make) {
  return SIDES.map((which) => (row[which] ? make(row[which], which) : element("span", { class: "absent", text: "not there" })));
}

function ingredients(pipeline, row) {
  const nodes = SIDES.map((which) => nodeOf(pipeline, row, which));
  const names = (which, numbers) => {
    const known = new Map(pipeline.graphs[which].nodes.map((node) => [node.node, node.name]));
    return list(numbers.map((number) => shortened(known.get(number) || `node ${number}`, 60)));
  };
  const cells = (make) => nodes.map((node, side) => (node ? said(make(node.explained, SIDES[side], node)) : element("span", { class: "absent", text: "not there" })));
  return [
    ["id made from", ...cells((one) => (one.basis === "uid" ? "the uid alone" : "the place in the graph"))],
    ["hashed as number", ...cells((one) => (one.basis === "uid" ? "does not count" : one.position === null ? { unknown: "open" } : one.position))],
    ["chained outputs", ...cells((one, which) => (one.basis === "uid" ? "do not count" : names(which, one.chained_outputs)))],
    ["inputs hashed", ...cells((one, which) => (one.basis === "uid" ? "do not count" : names(which, one.inputs)))],
    ["chain ends because", ...cells((one) => list(Object.values(one.not_chained).flat()))],
  ];
}

function stateRows(pipeline, row) {
  const sides = SIDES.map((which) => {
    const node = nodeOf(pipeline, row, which);
    if (!node) return new Map();
    if (!Array.isArray(node.explained.state)) return new Map([["state", node.explained.state]]);
    return new Map(node.explained.state.map((one) => [typeof one.name === "string" ? one.name : "unnamed", one]));
  });
  const text = (one) => {
    if (!one || one.unknown) return one || null;
    const part = (value) => (value && value.unknown ? "?" : value);
    const types = [part(one.key_type), part(one.value_type)].filter(Boolean).join(" → ");
    return `${part(one.kind)}${types ? ` ${types}` : ""}${one.serializer ? ` (${part(one.serializer)})` : ""}${one.ttl ? ", TTL" : ""}`;
  };
  const names = [...new Set([...sides[0].keys(), ...sides[1].keys()])];
  return names.map((name) => [name, ...sides.map((side) => said(text(side.get(name))))]);
}

function copyButton(text) {
  const button = element("button", { type: "button", class: "plain copy", text: "Copy" });
  button.addEventListener("click", () => copy(text, button));
  return button;
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy by hand";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2500);
}

function fill(number, row) {
  const pipeline = data.pipelines[number], side = row.head || row.base;
  const close = element("button", { type: "button", class: "plain close", text: "Close", on: { click: closePanel } });
  const parts = [close, element("h2", { id: "panel-name", text: side.name }), element("p", { class: "aside", text: pipeline.name })];
  const paths = element("dl", { class: "paths" });
  for (const one of row.verdicts) {
    const path = `${one.path === "savepoint" ? "from a savepoint" : "from last state"}${one.allow_non_restored_state ? ", non-restored state allowed" : ""}`;
    paths.append(element("dt", {}, badge(one.verdict), ` ${path}`), element("dd", { text: one.reason }));
  }
  if (row.verdicts.length) parts.push(element("h3", { text: "Its state" }), paths);
  if (row.claimed_by) parts.push(element("p", {}, "Its state would land in ", element("strong", { text: row.claimed_by.name }), "."));
  if (row.cause) {
    parts.push(element("h3", { text: "Why the id changed" }), element("p", {}, row.cause.text + " ", row.cause.location ? place(row.cause.location) : ""));
    if (row.cause.path.length > 1) parts.push(element("p", { class: "aside", text: row.cause.path.join(" → ") }));
  }
  for (const finding of pipeline.findings.filter((one) => one.row === row.number)) {
    parts.push(element("h3", { text: `${finding.severity}: ${finding.rule}` }), element("p", { text: finding.message }));
    if (finding.repair) {
      const code = element("pre", { tabindex: "0", "aria-label": "Repair to copy" }, element("code", { text: finding.repair }));
      parts.push(element("div", { class: "repair" }, element("h4", { text: "Repair" }), code, copyButton(finding.repair)));
    }
  }
  parts.push(element("h3", { text: "Ids" }), table([
    ["operator id", ...both(row, (one) => said(one.id === null ? { unknown: "undecided" } : one.id))],
    ["uid", ...both(row, (one, which) => said((nodeOf(pipeline, row, which) || one).uid))],
    ["uid hash", ...both(row, (one) => said(one.uid_hash))],
    ["chain", ...both(row, (one) => said(one.vertex))],
    ["source", ...both(row, (one) => place(one.location))],
  ]));
  parts.push(element("h3", { text: "What went into the id" }), table(ingredients(pipeline, row)));
  const states = stateRows(pipeline, row);
  if (states.length) parts.push(element("h3", { text: "State it declares" }), table(states));
  if (row.undecided.length) {
    parts.push(element("h3", { text: "Undecided because" }));
    parts.push(element("ul", {}, ...row.undecided.map((one) => element("li", { text: one.reason + (one.settled_by ? ` (settle it with ${one.settled_by})` : "") }))));
  }
  parts.push(element("p", { class: "aside", text: `matched by ${row.match.basis}${row.match.basis === "likeness" ? `, likeness ${row.match.likeness}` : ""}` }));
  panel.replaceChildren(...parts);
}

function explain(open) {
  if (panel.hidden === !open) return;
  panel.hidden = !open;
  document.documentElement.classList.toggle("explaining", open);
  figures.forEach((figure) => figure.refit());
}

function select(number, rowNumber, from) {
  const row = data.pipelines[number].operators[rowNumber];
  opener = from || null;
  fill(number, row);
  explain(true);
  panel.scrollTop = 0;
  panel.focus({ preventScroll: true });
  figures.forEach((figure, of) => figure.mark(of === number ? rowNumber : null));
  document.querySelectorAll("tr.selected").forEach((one) => one.classList.remove("selected"));
  const line = document.querySelector(`#p${number} tr[data-row="${rowNumber}"]`);
  if (line) line.classList.add("selected");
}

function closePanel() {
  explain(false);
  figures.forEach((figure) => figure.mark(null));
  document.querySelectorAll("tr.selected").forEach((one) => one.classList.remove("selected"));
  if (opener) opener.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.hidden) closePanel();
  if (event.key === "/" && !event.target.closest("input, select, textarea")) {
    event.preventDefault();
    document.getElementById("search").focus();
  }
});

document.getElementById("main").addEventListener("click", (event) => {
  const show = event.target.closest(".show");
  if (show) {
    const number = Number(show.closest(".pipeline").dataset.pipeline), figure = figures.get(number);
    if (figure) figure.draw();
    select(number, Number(show.dataset.row), show);
    if (figure) {
      figure.figure.scrollIntoView({ block: "nearest" });
      figure.reveal(Number(show.dataset.row), true);
    }
    return;
  }
  const copied = event.target.closest(".repair .copy");
  if (copied) copy(copied.parentElement.querySelector("pre").textContent, copied);
});
