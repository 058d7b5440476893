"use strict";
/* The graphs, the filters and the panel of the report. Everything shown is set as text, never as markup. */
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);
  const panel = document.getElementById("panel");
  const SIDES = ["base", "head"];
  const ROW = 30, HEADER = 24, PADDING = 10, GUTTER = 14, APART = 150, LARGE = 60;
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

  /* ---- graphs -------------------------------------------------------------------------------------------- */

  class Side {
    /* One revision's job graph: chains as boxes, their operators stacked in the order of the data. */
    constructor(pipeline, which) {
      this.which = which;
      this.graph = pipeline.graphs[which];
      this.nodes = (this.graph && this.graph.nodes) || [];
      this.byNumber = new Map(this.nodes.map((node) => [node.node, node]));
      this.rowOf = new Map();
      pipeline.operators.forEach((row) => row[which] && this.rowOf.set(row[which].key, row));
      this.places = new Map();
      this.boxes = new Map();
      for (const node of this.nodes) {
        const vertex = node.explained.vertex === null ? `n${node.node}` : node.explained.vertex;
        if (!this.boxes.has(vertex)) this.boxes.set(vertex, { vertex, operators: [] });
        this.boxes.get(vertex).operators.push(node);
      }
    }

    layOut() {
      const layout = new dagre.graphlib.Graph({ multigraph: true });
      layout.setGraph({ rankdir: "TB", nodesep: 32, ranksep: 46, edgesep: 14, marginx: 4, marginy: 4 });
      layout.setDefaultEdgeLabel(() => ({}));
      for (const box of this.boxes.values()) {
        const widest = Math.max(...box.operators.map((node) => measure.measureText(shortened(node.name, 38)).width));
        box.width = Math.max(150, Math.ceil(widest) + 2 * PADDING + GUTTER + 42);
        box.height = HEADER + box.operators.length * ROW + PADDING - 2;
        layout.setNode(String(box.vertex), { width: box.width, height: box.height });
      }
      const home = new Map();
      for (const box of this.boxes.values()) box.operators.forEach((node) => home.set(node.node, box));
      this.edges = [];
      for (const node of this.nodes) {
        node.out.forEach((edge, place) => {
          const [from, to] = [home.get(node.node), home.get(edge.to)];
          if (from === to) return;
          const label = edge.partitioner + (edge.tag ? ` · ${shortened(edge.tag, 16)}` : "");
          const name = `${node.node}-${place}`;
          layout.setEdge(String(from.vertex), String(to.vertex), { width: 8 + label.length * 6.5, height: 12, labelpos: "c" }, name);
          this.edges.push({ v: String(from.vertex), w: String(to.vertex), name, label });
        });
      }
      if (this.boxes.size) dagre.layout(layout);
      for (const box of this.boxes.values()) {
        const at = layout.node(String(box.vertex));
        box.x = at.x - box.width / 2;
        box.y = at.y - box.height / 2;
      }
      this.edges.forEach((edge) => { edge.shape = layout.edge(edge); });
      const size = layout.graph();
      this.width = Number.isFinite(size.width) ? size.width : 220;
      this.height = Number.isFinite(size.height) ? size.height : 40;
    }

    draw(left, top, title) {
      const group = drawing("g", { transform: `translate(${left},${top})` });
      group.append(drawing("text", { class: "heading", x: 4, y: -18 }, title));
      if (!this.nodes.length) {
        const why = this.graph ? this.graph.message || "no operators" : "not in this revision, or not readable";
        group.append(drawing("text", { class: "small", x: 4, y: 16 }, shortened(why, 70)));
      }
      for (const edge of this.edges) this.drawEdge(group, edge);
      for (const box of this.boxes.values()) this.drawBox(group, box, left, top);
      return group;
    }

    drawEdge(group, edge) {
      const points = edge.shape.points;
      let path = `M${points[0].x},${points[0].y}`;
      for (let i = 1; i < points.length - 1; i += 1) {
        const next = points[i + 1], last = i === points.length - 2;
        const [x, y] = last ? [next.x, next.y] : [(points[i].x + next.x) / 2, (points[i].y + next.y) / 2];
        path += `Q${points[i].x},${points[i].y} ${x},${y}`;
      }
      if (points.length === 2) path += `L${points[1].x},${points[1].y}`;
      const end = points[points.length - 1];
      group.append(drawing("path", { class: "edge", d: path }));
      group.append(drawing("path", { class: "arrow", d: `M${end.x - 4},${end.y - 8}L${end.x},${end.y}L${end.x + 4},${end.y - 8}z` }));
      group.append(drawing("text", { class: "small label", x: edge.shape.x, y: edge.shape.y + 4, "text-anchor": "middle" }, edge.label));
    }

    drawBox(group, box, left, top) {
      const vertex = (this.graph.vertices || [])[box.vertex];
      const frame = drawing("g", { class: "vertex" });
      frame.append(drawing("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 7 }));
      const about = vertex ? `parallelism ${vertex.parallelism}` : "not read";
      frame.append(drawing("text", { class: "small", x: box.x + PADDING, y: box.y + 16 }, about));
      group.append(frame);
      const order = new Map(box.operators.map((node, place) => [node.node, place]));
      const line = (place) => box.y + HEADER + place * ROW;
      box.operators.forEach((node, place) => {
        node.out.forEach((edge) => {
          const to = order.get(edge.to);
          if (to === undefined) return;
          const x = box.x + PADDING + GUTTER;
          const d = to === place + 1
            ? `M${x + 14},${line(place) + ROW - 5}V${line(to)}`
            : `M${x},${line(place) + 12}H${x - 8 - (to - place > 2 ? 3 : 0)}V${line(to) + 12}H${x}`;
          group.append(drawing("path", { class: "inner", d }));
        });
      });
      box.operators.forEach((node, place) => {
        const x = box.x + PADDING + GUTTER, y = line(place), width = box.width - 2 * PADDING - GUTTER;
        const row = this.rowOf.get(node.explained.key);
        const verdict = row ? verdictOf(row) : node.explained.kind === "unknown" ? "undecided" : "stateless";
        const known = data.verdicts[verdict];
        const one = drawing("g", {
          class: `operator v-${verdict}`, role: "button", tabindex: "-1", "data-side": this.which,
          "data-row": row ? row.number : "", "aria-label": `${shortened(node.name, 120)}, ${known.word}, ${this.which}`,
        });
        one.append(drawing("title", {}, shortened(node.name, 400)));
        one.append(drawing("rect", { x, y, width, height: ROW - 5, rx: 4 }));
        one.append(drawing("text", { class: "icon", x: x + 14, y: y + 17 }, known.icon));
        one.append(drawing("text", { x: x + 28, y: y + 17 }, shortened(node.name, 38)));
        group.append(one);
        if (row) this.places.set(row.number, { left: left + x, right: left + x + width, y: top + y + (ROW - 5) / 2 });
      });
    }
  }

  class Figure {
    constructor(figure, number) {
      this.figure = figure;
      this.number = number;
      this.pipeline = data.pipelines[number];
      this.canvas = figure.querySelector(".canvas");
      this.drawn = false;
      figure.classList.toggle("large", this.pipeline.operators.length > LARGE);
      figure.querySelector(".tools").addEventListener("click", (event) => {
        const wanted = event.target.dataset.zoom;
        if (wanted === "in") this.zoom(this.scale * 1.25);
        if (wanted === "out") this.zoom(this.scale / 1.25);
        if (wanted === "one") this.zoom(1);
        if (wanted === "fit") this.zoom(this.fitting());
      });
      this.canvas.addEventListener("keydown", (event) => this.key(event));
      this.canvas.addEventListener("pointerdown", (event) => this.press(event));
      this.canvas.addEventListener("click", (event) => {
        const one = event.target.closest(".operator");
        if (one && one.dataset.row !== "") select(this.number, Number(one.dataset.row), one);
      });
      this.canvas.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoom(this.scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
      }, { passive: false });
    }

    draw() {
      if (this.drawn) return;
      this.drawn = true;
      const sides = SIDES.map((which) => new Side(this.pipeline, which));
      sides.forEach((side) => side.layOut());
      const top = 44, [base, head] = sides;
      const baseWidth = Math.max(base.width, 240), headWidth = Math.max(head.width, 240);
      this.width = baseWidth + APART + headWidth + 32;
      this.height = Math.max(base.height, head.height) + top + 16;
      this.svg = drawing("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "group", "aria-label": "Operators" });
      const shapes = [base.draw(16, top, "before"), head.draw(16 + baseWidth + APART, top, "after")];
      this.svg.append(this.links(base, head), ...shapes);
      this.sides = sides;
      this.operators = [...this.svg.querySelectorAll(".operator")];
      if (this.operators.length) this.operators[0].setAttribute("tabindex", "0");
      this.zoom(this.fitting());
      this.canvas.replaceChildren(this.svg);
      this.findTrouble();
      applyFilters();
    }

    links(base, head) {
      const group = drawing("g", { "aria-hidden": "true" });
      for (const row of this.pipeline.operators) {
        const from = base.places.get(row.number);
        if (!from) continue;
        const to = row.id_changed !== false && head.places.get(row.number);
        if (to) group.append(this.link(from, to, `moved v-${verdictOf(row)}`, row.number));
        const claimer = row.claimed_by && head.rowOf.get(row.claimed_by.key);
        const landed = claimer && head.places.get(claimer.number);
        if (landed && claimer !== row) group.append(this.link(from, landed, "moved claims", row.number));
      }
      return group;
    }

    link(from, to, kind, row) {
      const bend = Math.max(50, (to.left - from.right) / 2);
      const d = `M${from.right},${from.y}C${from.right + bend},${from.y} ${to.left - bend},${to.y} ${to.left},${to.y}`;
      return drawing("path", { class: kind, d, "data-row": row });
    }

    fitting() {
      const room = this.canvas.clientWidth || 1200;
      const whole = room / this.width;
      return this.pipeline.operators.length > LARGE ? Math.max(whole, 0.55) : Math.min(1.15, whole);
    }

    refit() {
      if (this.drawn && this.fitted) this.zoom(this.fitting());
    }

    zoom(scale) {
      this.fitted = scale === this.fitting();
      const before = this.scale || 1, now = Math.min(2.5, Math.max(0.08, scale));
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.canvas;
      this.scale = now;
      this.svg.setAttribute("width", Math.round(this.width * now));
      this.svg.setAttribute("height", Math.round(this.height * now));
      this.canvas.scrollLeft = ((scrollLeft + clientWidth / 2) * now) / before - clientWidth / 2;
      this.canvas.scrollTop = ((scrollTop + clientHeight / 2) * now) / before - clientHeight / 2;
    }

    findTrouble() {
      /* A large graph opens where something is wrong, not at its first source. */
      const bad = new Set(["fails", "misassigned", "dropped", "undecided"]);
      const row = this.pipeline.operators.find((one) => bad.has(verdictOf(one)));
      if (row && this.pipeline.operators.length > LARGE) this.reveal(row.number, false);
    }

    reveal(row, smooth) {
      const spots = this.sides.map((side) => side.places.get(row)).filter(Boolean);
      if (!spots.length) return;
      const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
      this.canvas.scrollTo({
        left: middle(spots.map((spot) => (spot.left + spot.right) / 2)) * this.scale - this.canvas.clientWidth / 2,
        top: middle(spots.map((spot) => spot.y)) * this.scale - this.canvas.clientHeight / 2,
        behavior: smooth && !matchMedia("(prefers-reduced-motion: reduce)").matches ? "smooth" : "auto",
      });
    }

    mark(row) {
      if (!this.drawn) return;
      this.svg.querySelectorAll(".selected").forEach((one) => one.classList.remove("selected"));
      if (row !== null) this.svg.querySelectorAll(`[data-row="${row}"]`).forEach((one) => one.classList.add("selected"));
    }

    fade(matching) {
      if (!this.drawn) return;
      this.svg.querySelectorAll("[data-row]").forEach((one) => {
        one.classList.toggle("faded", matching !== null && !matching.has(Number(one.dataset.row)));
      });
    }

    key(event) {
      const at = this.operators ? this.operators.indexOf(document.activeElement) : -1;
      if (at < 0) return;
      const one = this.operators[at];
      let next = null;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const mine = this.operators.filter((other) => other.dataset.side === one.dataset.side);
        next = mine[mine.indexOf(one) + (event.key === "ArrowDown" ? 1 : -1)];
      } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        const wanted = event.key === "ArrowRight" ? "head" : "base";
        next = this.operators.find((other) => other.dataset.side === wanted && other.dataset.row === one.dataset.row);
        next = next || this.operators.find((other) => other.dataset.side === wanted);
      } else if (event.key === "Enter" || event.key === " ") {
        if (one.dataset.row !== "") select(this.number, Number(one.dataset.row), one);
      } else return;
      event.preventDefault();
      if (!next) return;
      one.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    press(event) {
      if (event.button !== 0 || event.pointerType !== "mouse" || event.target.closest(".operator")) return;
      const start = { x: event.clientX, y: event.clientY, left: this.canvas.scrollLeft, top: this.canvas.scrollTop };
      const move = (now) => {
        this.canvas.classList.add("dragged");
        this.canvas.scrollLeft = start.left - (now.clientX - start.x);
        this.canvas.scrollTop = start.top - (now.clientY - start.y);
      };
      const end = () => {
        this.canvas.classList.remove("dragged");
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", end);
      };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", end);
    }
  }

  const figures = new Map();
  document.querySelectorAll(".pipeline").forEach((section) => {
    const figure = section.querySelector(".graphs"), number = Number(section.dataset.pipeline);
    if (figure) figures.set(number, new Figure(figure, number));
  });
  const watcher = new IntersectionObserver((entries) => {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      watcher.unobserve(entry.target);
      figures.get(Number(entry.target.closest(".pipeline").dataset.pipeline)).draw();
    });
  }, { rootMargin: "400px" });
  figures.forEach((figure) => watcher.observe(figure.figure));

  /* ---- the panel ----------------------------------------------------------------------------------------- */

  let opener = null;

  function said(value) {
    if (value === null || value === undefined || value === "") return element("span", { class: "absent", text: "none" });
    if (typeof value === "object") return element("span", { class: "absent", text: `not known: ${value.unknown}` });
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
    if (row.verdicts.length) parts.push(element("h3", { text: "What becomes of its state" }), paths);
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

  /* ---- filters ------------------------------------------------------------------------------------------- */

  const form = document.getElementById("filters"), matches = document.getElementById("matches");

  function textOf(row) {
    const parts = [];
    for (const which of SIDES) {
      const side = row[which];
      if (side) parts.push(side.name, side.id, side.uid, side.uid_hash, side.key, side.location && side.location.file);
    }
    if (row.cause) parts.push(row.cause.text);
    return parts.filter(Boolean).join("\n").toLowerCase();
  }

  const texts = data.pipelines.map((pipeline) => pipeline.operators.map(textOf));

  function applyFilters() {
    const search = document.getElementById("search").value.trim().toLowerCase();
    const severity = document.getElementById("severity").value;
    const chosen = document.getElementById("pipeline");
    const pipelineWanted = chosen ? chosen.value : "";
    const verdicts = new Set([...form.querySelectorAll('input[name="verdict"]:checked')].map((box) => box.value));
    const active = Boolean(search || severity || pipelineWanted || verdicts.size);
    let operators = 0, findings = 0;
    data.pipelines.forEach((pipeline, number) => {
      const section = document.getElementById(`p${number}`);
      const named = search && pipeline.name.toLowerCase().includes(search);
      const bySeverity = new Set(pipeline.findings.filter((one) => !severity || one.severity === severity).map((one) => one.row));
      const byRule = new Set(pipeline.findings.filter((one) => search && `${one.rule}\n${one.message}\n${one.fingerprint}`.toLowerCase().includes(search)).map((one) => one.row));
      const matching = new Set(pipeline.operators.filter((row) => (
        (!verdicts.size || verdicts.has(verdictOf(row)) || verdicts.has(verdictOf(row, "last-state")))
        && (!search || named || texts[number][row.number].includes(search) || byRule.has(row.number))
        && (!severity || bySeverity.has(row.number))
      )).map((row) => row.number));
      section.querySelectorAll("tr[data-row]").forEach((line) => { line.hidden = !matching.has(Number(line.dataset.row)); });
      let shown = 0;
      section.querySelectorAll(".finding").forEach((card, place) => {
        const finding = pipeline.findings[place];
        const fits = (!severity || finding.severity === severity) && (finding.row === null
          ? !verdicts.size && (!search || named || `${finding.rule}\n${finding.message}`.toLowerCase().includes(search))
          : matching.has(finding.row));
        card.hidden = !fits;
        shown += fits ? 1 : 0;
      });
      const away = (pipelineWanted !== "" && pipelineWanted !== String(number))
        || (active && pipelineWanted === "" && !matching.size && !shown);
      section.hidden = away;
      if (!away) { operators += matching.size; findings += shown; }
      const figure = figures.get(number);
      if (figure) figure.fade(active && matching.size < pipeline.operators.length ? matching : null);
    });
    matches.textContent = active ? `${operators} ${operators === 1 ? "operator" : "operators"}, ${findings} ${findings === 1 ? "finding" : "findings"}` : "";
  }

  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(applyFilters, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(applyFilters));

  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
    figures.forEach((figure) => { if (!figure.figure.classList.contains("large")) figure.draw(); });
  });
})();
