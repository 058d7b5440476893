/* Filters and search over findings, tables and graphs; what printing needs. */
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
const ids = document.getElementById("ids");

function showIds() {
  document.documentElement.classList.toggle("with-ids", ids.checked);
}

form.addEventListener("input", () => {
  showIds();
  clearTimeout(waiting);
  waiting = setTimeout(applyFilters, 80);
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(() => { showIds(); applyFilters(); }));

window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details:not(.silence)").forEach((one) => { one.open = true; });
  figures.forEach((figure) => { if (!figure.figure.classList.contains("large")) figure.draw(); });
});
