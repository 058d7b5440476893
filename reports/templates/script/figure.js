/* Both graphs of a pipeline side by side: zoom, keys, links between what moved. */
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
      if (wanted === "fit") this.zoom(this.whole());
      if (wanted === "part") this.redraw(this.kept ? null : this.changed());
    });
    this.partly = figure.querySelector('[data-zoom="part"]');
    this.canvas.addEventListener("scroll", () => this.keepHeadingsInView(), { passive: true });
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
    this.redraw(this.changed());
  }

  changed() {
    /* The rows whose surroundings a large graph opens with, null where all of it is shown. */
    const rows = this.pipeline.operators;
    if (rows.length <= FOLDED) return null;
    const numbers = (wanted) => new Set(wanted.map((row) => row.number));
    const found = new Set(this.pipeline.findings.filter((one) => one.severity !== "info").map((one) => one.row));
    const first = rows.filter((row) => !row.base || !row.head || found.has(row.number));
    const broken = rows.filter((row) => BAD.has(verdictOf(row)));
    const kept = numbers([...first, ...broken].length <= FOLDED ? [...first, ...broken] : first.slice(0, FOLDED));
    return kept.size ? kept : null;
  }

  redraw(kept) {
    this.kept = kept;
    this.partly.hidden = this.changed() === null;
    this.partly.textContent = kept ? "Whole graph" : "Changed part";
    const sides = SIDES.map((which) => new Side(this.pipeline, which, kept));
    sides.forEach((side) => side.layOut());
    const top = 44, [base, head] = sides;
    const baseWidth = Math.max(base.width, 240), headWidth = Math.max(head.width, 240);
    const beside = baseWidth + APART + headWidth + 32;
    /* Where both beside each other are wider than the screen, the former stands below the new one. */
    this.stacked = (this.canvas.clientWidth || 1200) < READABLE * beside;
    this.width = this.stacked ? Math.max(baseWidth, headWidth) + 32 : beside;
    this.height = this.stacked ? base.height + head.height + 2 * top + 16 : Math.max(base.height, head.height) + top + 16;
    this.svg = drawing("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "group", "aria-label": "Operators" });
    const left = this.stacked ? 16 : 16 + baseWidth + APART;
    const shapes = [base.draw(16, this.stacked ? 2 * top + head.height : top, "before"), head.draw(left, top, "after")];
    this.figure.classList.toggle("tall", this.stacked);
    this.svg.append(...shapes, ...(this.stacked ? [] : [this.links(base, head)]), base.heading, head.heading);
    this.explain();
    this.sides = sides;
    this.operators = [...this.svg.querySelectorAll(".operator")];
    if (this.operators.length) this.operators[0].setAttribute("tabindex", "0");
    this.canvas.replaceChildren(this.svg);
    this.zoom(this.fitting());
    this.findTrouble();
    applyFilters();
  }

  explain() {
    /* What the marks of this drawing mean. */
    const legend = this.figure.querySelector(".legend"), drawn = (kind) => this.svg.querySelector(kind) !== null;
    const sign = (kind, text) => element("span", { class: "sign" }, element("i", { class: kind, "aria-hidden": "true" }), text);
    legend.replaceChildren(
      ...Object.keys(data.verdicts).filter((verdict) => drawn(`.operator.v-${verdict}`)).map(badge),
      ...Object.keys(MARKS).filter((mark) => drawn(`.operator.${mark}`)).map((mark) => element("span", { class: "sign tag", text: MARKS[mark] })),
      ...(drawn(".renumbered") ? [sign("dashes", "its id changed")] : []),
      ...(drawn(".follows") ? [sign("way", "how the change spread")] : []),
    );
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
    /* The scale to open with: the width of the page, as long as names stay readable. */
    return Math.min(1.15, Math.max((this.canvas.clientWidth || 1200) / this.width, READABLE));
  }

  whole() {
    /* The scale at which all of it is in view. */
    const room = [this.canvas.clientWidth / this.width, (innerHeight * 0.75 - 4) / this.height];
    return Math.min(1.15, ...room);
  }

  refit() {
    if (this.drawn && this.fitted) this.zoom(this.fitting());
  }

  zoom(scale) {
    this.fitted = scale === this.fitting();
    const before = this.scale || 1, now = Math.min(2.5, Math.max(0.05, scale));
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.canvas;
    this.scale = now;
    this.svg.setAttribute("width", Math.round(this.width * now));
    this.svg.setAttribute("height", Math.round(this.height * now));
    this.canvas.scrollLeft = ((scrollLeft + clientWidth / 2) * now) / before - clientWidth / 2;
    this.canvas.scrollTop = ((scrollTop + clientHeight / 2) * now) / before - clientHeight / 2;
    this.keepHeadingsInView();
  }

  findTrouble() {
    /* A large graph opens where something is wrong, one that is wider than the screen with what would be deployed. */
    const row = this.pipeline.operators.find((one) => BAD.has(verdictOf(one)));
    if (row && this.pipeline.operators.length > FOLDED) this.reveal(row.number, false);
    else if (this.width * this.scale > this.canvas.clientWidth + 1) this.canvas.scrollLeft = this.sides[1].corner.left * this.scale - 8;
  }

  keepHeadingsInView() {
    if (!this.drawn) return;
    this.sides.forEach((side) => side.keepHeadingInView(this.canvas.scrollLeft / this.scale, this.canvas.scrollTop / this.scale));
  }

  reveal(row, smooth) {
    if (this.kept && !this.sides.some((side) => side.places.has(row))) {
      this.redraw(null);
      this.mark(row);
    }
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
