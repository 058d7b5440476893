/* One revision's job graph, laid out by dagre and drawn as SVG. */
class Side {
  /* One revision's job graph: chains as boxes, their operators stacked in the order of the data. */
  constructor(pipeline, which, kept) {
    this.which = which;
    this.kept = kept;
    this.graph = pipeline.graphs[which];
    this.nodes = (this.graph && this.graph.nodes) || [];
    this.byNumber = new Map(this.nodes.map((node) => [node.node, node]));
    this.rowOf = new Map();
    pipeline.operators.forEach((row) => row[which] && this.rowOf.set(row[which].key, row));
    const edits = new Map(pipeline.operators.filter((row) => row.cause && row.cause.operator)
      .map((row) => [row.cause.operator, MOVES.has(row.cause.kind) ? "reordered" : "edited"]));
    const both = SIDES.every((side) => pipeline.graphs[side] && pipeline.graphs[side].nodes);
    this.markOf = (row) => {
      if (!row || !both) return null;
      if (!row.base || !row.head) return row.base ? "removed" : "inserted";
      return edits.get(row[which].key.split("#")[0]) || null;
    };
    /* Whether an id came by way of this operator from an edit. */
    this.carries = (node) => {
      const row = this.rowOf.get(node.explained.key);
      return which === "head" && both && Boolean(row) && (row.id_changed === true || this.markOf(row) !== null);
    };
    this.places = new Map();
    this.boxes = new Map();
    for (const node of this.nodes) {
      const vertex = node.explained.vertex === null ? `n${node.node}` : node.explained.vertex;
      if (!this.boxes.has(vertex)) this.boxes.set(vertex, { vertex, operators: [] });
      this.boxes.get(vertex).operators.push(node);
    }
    this.home = new Map();
    for (const box of this.boxes.values()) box.operators.forEach((node) => this.home.set(node.node, box));
    if (kept) this.fold();
  }

  fold() {
    /* What is neither kept nor beside it becomes one box for each connected part. */
    const beside = new Map([...this.boxes.values()].map((box) => [box, new Set()]));
    for (const node of this.nodes) {
      for (const edge of node.out) {
        beside.get(this.home.get(node.node)).add(this.home.get(edge.to));
        beside.get(this.home.get(edge.to)).add(this.home.get(node.node));
      }
    }
    const wanted = [...this.boxes.values()].filter((box) => box.operators.some((node) => {
      const row = this.rowOf.get(node.explained.key);
      return row && this.kept.has(row.number);
    }));
    const shown = new Set(wanted.flatMap((box) => [box, ...beside.get(box)]));
    const left = new Set([...this.boxes.values()].filter((box) => !shown.has(box)));
    for (const first of left) {
      const part = [first];
      left.delete(first);
      for (let at = 0; at < part.length; at += 1) {
        for (const next of beside.get(part[at])) if (left.delete(next)) part.push(next);
      }
      const folded = { vertex: `folded-${first.vertex}`, operators: [], count: part.reduce((sum, box) => sum + box.operators.length, 0) };
      part.forEach((box) => {
        this.boxes.delete(box.vertex);
        box.operators.forEach((node) => this.home.set(node.node, folded));
      });
      this.boxes.set(folded.vertex, folded);
    }
  }

  follows(number) {
    const row = this.rowOf.get(this.byNumber.get(number).explained.key);
    return Boolean(row) && row.id_changed === true;
  }

  layOut() {
    const layout = new dagre.graphlib.Graph({ multigraph: true });
    layout.setGraph({ rankdir: "TB", nodesep: 32, ranksep: 46, edgesep: 14, marginx: 4, marginy: 4 });
    layout.setDefaultEdgeLabel(() => ({}));
    for (const box of this.boxes.values()) {
      const widest = Math.max(0, ...box.operators.map((node) => measure.measureText(shortened(node.name, 38)).width
        + (this.markOf(this.rowOf.get(node.explained.key)) ? TAG : 0)));
      box.width = Math.max(150, Math.ceil(widest) + 2 * PADDING + GUTTER + 42);
      box.height = box.count ? ROW + 6 : HEADER + box.operators.length * ROW + PADDING - 2;
      layout.setNode(String(box.vertex), { width: box.width, height: box.height });
    }
    this.edges = [];
    const between = new Set();
    for (const node of this.nodes) {
      node.out.forEach((edge, place) => {
        const [from, to] = [this.home.get(node.node), this.home.get(edge.to)];
        if (from === to) return;
        const pair = `${from.vertex} ${to.vertex}`;
        if ((from.count || to.count) && between.has(pair)) return;
        between.add(pair);
        const label = edge.partitioner + (edge.tag ? ` · ${shortened(edge.tag, 16)}` : "");
        const name = `${node.node}-${place}`;
        layout.setEdge(String(from.vertex), String(to.vertex), { width: 8 + label.length * 6.5, height: 12, labelpos: "c" }, name);
        const follows = this.carries(node) && this.follows(edge.to);
        this.edges.push({ v: String(from.vertex), w: String(to.vertex), name, label, follows });
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
    this.heading = drawing("text", { class: "heading", x: left + 4, y: top - 18 }, title);
    this.corner = { left, top };
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
    const way = edge.follows ? " follows" : "";
    group.append(drawing("path", { class: `edge${way}`, d: path }));
    group.append(drawing("path", { class: `arrow${way}`, d: `M${end.x - 4},${end.y - 8}L${end.x},${end.y}L${end.x + 4},${end.y - 8}z` }));
    group.append(drawing("text", { class: "small label", x: edge.shape.x, y: edge.shape.y + 4, "text-anchor": "middle" }, edge.label));
  }

  keepHeadingInView(x, y) {
    const { left, top } = this.corner;
    this.heading.setAttribute("x", Math.min(Math.max(left + 4, x + 8), left + Math.max(4, this.width - 60)));
    this.heading.setAttribute("y", Math.min(Math.max(top - 18, y + 20), top + Math.max(0, this.height - 18)));
  }

  drawBox(group, box, left, top) {
    if (box.count) {
      const folded = drawing("g", { class: "folded" });
      folded.append(drawing("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 7 }));
      folded.append(drawing("text", { class: "small", x: box.x + box.width / 2, y: box.y + 22 }, `${box.count} ${box.count === 1 ? "operator" : "operators"} more`));
      group.append(folded);
      return;
    }
    const vertex = (this.graph.vertices || [])[box.vertex];
    const frame = drawing("g", { class: "vertex" });
    frame.append(drawing("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 7 }));
    const open = typeof vertex?.parallelism === "object";
    const about = vertex ? `parallelism ${open ? "unknown" : vertex.parallelism}` : "not read";
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
        group.append(drawing("path", { class: `inner${this.carries(node) && this.follows(edge.to) ? " follows" : ""}`, d }));
      });
    });
    box.operators.forEach((node, place) => {
      const x = box.x + PADDING + GUTTER, y = line(place), width = box.width - 2 * PADDING - GUTTER;
      const row = this.rowOf.get(node.explained.key);
      const verdict = row ? verdictOf(row) : node.explained.kind === "unknown" ? "undecided" : "stateless";
      const known = data.verdicts[verdict];
      const mark = this.markOf(row), renumbered = row && row.id_changed === true && mark !== "inserted" && mark !== "removed";
      const one = drawing("g", {
        class: `operator v-${verdict}${mark ? ` ${mark}` : ""}${renumbered ? " renumbered" : ""}`, role: "button", tabindex: "-1", "data-side": this.which,
        "data-row": row ? row.number : "", "aria-label": `${shortened(node.name, 120)}, ${mark ? `${MARKS[mark]}, ` : ""}${known.word}, ${this.which}`,
      });
      one.append(drawing("title", {}, shortened(node.name, 400)));
      one.append(drawing("rect", { x, y, width, height: ROW - 5, rx: 4 }));
      one.append(drawing("text", { class: "icon", x: x + 14, y: y + 17 }, known.icon));
      one.append(drawing("text", { x: x + 28, y: y + 17 }, shortened(node.name, 38)));
      group.append(one);
      if (mark) {
        const wide = measure.measureText(MARKS[mark]).width + 12, at = x + width - wide;
        group.append(drawing("rect", { class: "tag", x: at, y: y - 9, width: wide, height: 17, rx: 8 }));
        group.append(drawing("text", { class: "tagged", "aria-hidden": "true", x: at + wide / 2, y: y + 4 }, MARKS[mark]));
      }
      if (row) this.places.set(row.number, { left: left + x, right: left + x + width, y: top + y + (ROW - 5) / 2 });
    });
  }
}
