// Sorting, filtering and marking of the tables that are in the page already.

function cellValue(row, column) {
  const cell = row.cells[column];
  return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.toLowerCase();
}

function compareValues(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

class Table {
  constructor(id, noun) {
    this.table = byId(id);
    this.noun = noun;
    this.rows = [...this.table.tBodies[0].rows];
    this.heads = [...this.table.tHead.rows[0].cells];
    this.heads.forEach((head, column) => this.addSorting(head, column));
    this.addTools();
  }

  addSorting(head, column) {
    const button = element("button", "", head.textContent);
    button.type = "button";
    button.addEventListener("click", () => this.sort(column));
    head.replaceChildren(button);
  }

  addTools() {
    const tools = element("div", "table-tools");
    const label = element("label", "", `Filter ${this.noun}: `);
    this.filter = element("input");
    this.filter.type = "search";
    this.filter.addEventListener("input", () => this.show());
    label.append(this.filter);
    this.onlyMarked = element("input");
    this.onlyMarked.type = "checkbox";
    this.onlyMarked.addEventListener("change", () => this.show());
    const only = element("label");
    only.append(this.onlyMarked, " only marked rows");
    this.count = element("span", "note");
    this.count.setAttribute("aria-live", "polite");
    tools.append(label, only, this.count);
    this.table.parentElement.before(tools);
    this.show();
  }

  /** Numbers start with the largest, texts with A; the same column again turns around. */
  sort(column) {
    const before = this.heads[column].getAttribute("aria-sort");
    const isNumber = this.rows.length > 0 && "value" in this.rows[0].cells[column].dataset;
    const first = isNumber ? "descending" : "ascending";
    const second = isNumber ? "ascending" : "descending";
    const direction = before === first ? second : first;
    for (const head of this.heads) head.removeAttribute("aria-sort");
    this.heads[column].setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const sorted = [...this.rows].sort(
      (a, b) => sign * compareValues(cellValue(a, column), cellValue(b, column)));
    this.table.tBodies[0].append(...sorted);
  }

  /** Marks rows by their index in the order of the data. */
  mark(indices) {
    this.rows.forEach((row, i) => row.classList.toggle("marked", indices.has(i)));
    this.show();
  }

  show() {
    const wanted = this.filter.value.toLowerCase();
    let shown = 0;
    for (const row of this.rows) {
      const isMarked = row.classList.contains("marked");
      row.hidden = !row.textContent.toLowerCase().includes(wanted) || (this.onlyMarked.checked && !isMarked);
      shown += row.hidden ? 0 : 1;
    }
    const marked = this.rows.filter((row) => row.classList.contains("marked")).length;
    this.count.textContent = `${shown} of ${this.rows.length}` + (marked > 0 ? `, ${marked} marked` : "");
  }
}
