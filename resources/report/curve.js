// The memory curve: stacked uses of memory, with the curve before the plans on top.

const chartHeight = 1000;   // of the drawing; the page stretches it
const listedTensors = 5;

class Curve {
  /** @param onShow called with the column of a click */
  constructor(data, names, onShow) {
    this.data = data;
    this.names = names;
    this.curve = data.curve;
    this.sorted = bySize(data);
    this.count = data.curve.columns.slot.length;
    this.onShow = onShow;
    this.shown = data.curve.peak_column;
    this.at = this.shown;
    this.chart = byId("chart");
    const lines = this.curve.lines.flatMap((line) => line.live);
    this.top = [...this.curve.columns.live, ...lines].reduce((a, b) => Math.max(a, b), 1);
    this.draw();
    this.listen();
    this.moveTo(this.shown);
  }

  draw() {
    this.chart.setAttribute("viewBox", `0 0 ${this.count} ${chartHeight}`);
    let floor = new Array(this.count).fill(0);
    this.data.bands.forEach((band, i) => {
      const edge = floor.map((bytes, column) => bytes + this.curve.columns.bands[i][column]);
      if (this.curve.columns.bands[i].some((bytes) => bytes !== 0)) {
        this.add("path", { d: this.area(floor, edge), fill: band.colour });
        this.addLegend("swatch", band.title).style.background = band.colour;
      }
      floor = edge;
    });
    for (const line of this.curve.lines) this.drawLine(line);
    this.drawMemory();
    this.cursor = this.add("line", { class: "cursor", y1: 0, y2: chartHeight });
    this.mark = this.add("line", { class: "shown", y1: 0, y2: chartHeight });
    const peak = element("span", "", formatBytes(this.top));
    byId("curve-axis").append(peak, element("span", "", `${withThousands(this.curve.slots)} slots`));
  }

  add(tag, attributes) {
    const made = document.createElementNS(this.chart.namespaceURI, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.setAttribute("vector-effect", "non-scaling-stroke");
    this.chart.append(made);
    return made;
  }

  addLegend(className, text) {
    const entry = element("span");
    const sign = element("span", className);
    entry.append(sign, text);
    byId("curve-legend").append(entry);
    return sign;
  }

  height(bytes) {
    return (chartHeight * (1 - bytes / this.top)).toFixed(2);
  }

  /** The area between two edges; each column is a step. */
  area(floor, edge) {
    const forth = edge.map((bytes, i) => `V${this.height(bytes)}H${i + 1}`).join("");
    const back = floor.map((bytes, i) => `V${this.height(bytes)}H${i}`).reverse().join("");
    return `M0 ${chartHeight}${forth}${back}Z`;
  }

  /** A line over the same width, whatever its number of slots. */
  drawLine(line) {
    const wide = this.count / Math.max(line.live.length, 1);
    const steps = line.live.map((bytes, i) => `V${this.height(bytes)}H${((i + 1) * wide).toFixed(3)}`);
    if (steps.length === 0) return;
    const kind = line.name.startsWith("measured") ? " measured" : "";
    this.add("path", {
      class: `line${kind}`, "stroke-dasharray": line.dash,
      d: `M0 ${this.height(line.live[0])}${steps.join("")}`,
    });
    this.addLegend(`dash${kind}`, line.name);
  }

  /** The device's memory, if it is in sight. */
  drawMemory() {
    const bytes = this.curve.memory_bytes;
    if (bytes <= 0 || bytes > this.top) return;
    const y = this.height(bytes);
    this.add("line", { class: "memory", x1: 0, x2: this.count, y1: y, y2: y });
    this.addLegend("dash memory", `memory of the device, ${formatBytes(bytes)}`);
  }

  listen() {
    this.chart.addEventListener("pointermove", (event) => this.moveTo(this.columnAt(event)));
    this.chart.addEventListener("pointerleave", () => this.moveTo(this.shown));
    this.chart.addEventListener("click", (event) => this.show(this.columnAt(event)));
    this.chart.addEventListener("keydown", (event) => this.press(event));
  }

  /** Moves come with fractions of a pixel and clicks without; both shall mean one column. */
  columnAt(event) {
    const place = this.chart.getBoundingClientRect();
    const column = Math.floor((this.count * (Math.floor(event.clientX) - place.left)) / place.width);
    return Math.min(Math.max(column, 0), this.count - 1);
  }

  press(event) {
    const page = Math.max(1, Math.round(this.count / 20));
    const targets = {
      ArrowLeft: this.at - 1, ArrowRight: this.at + 1, ArrowDown: this.at - 1, ArrowUp: this.at + 1,
      PageUp: this.at + page, PageDown: this.at - page, Home: 0, End: this.count - 1,
    };
    if (event.key === "Enter") this.show(this.at);
    else if (event.key in targets) this.moveTo(Math.min(Math.max(targets[event.key], 0), this.count - 1));
    else return;
    event.preventDefault();
  }

  show(column) {
    if (!this.isKnown(column)) return;
    this.setShown(column);
    this.onShow(column);
  }

  /** Whether the page has the tensors of a slot. */
  isKnown(column) {
    return this.data.complete || column === this.curve.peak_column;
  }

  /** Marks the slot that the picture above shows. */
  setShown(column) {
    this.shown = column;
    this.moveTo(column);
  }

  moveTo(column) {
    this.at = column;
    for (const [line, at] of [[this.cursor, column], [this.mark, this.shown]]) {
      line.setAttribute("x1", at + 0.5);
      line.setAttribute("x2", at + 0.5);
    }
    const text = this.sentence(column);
    byId("curve-info").textContent = text;
    this.chart.setAttribute("aria-valuemin", 1);
    this.chart.setAttribute("aria-valuemax", this.curve.slots);
    this.chart.setAttribute("aria-valuenow", this.curve.columns.slot[column] + 1);
    this.chart.setAttribute("aria-valuetext", text);
    this.listBands(column);
    this.listTensors(column);
  }

  sentence(column) {
    const slot = this.curve.columns.slot[column];
    const pass = slot < this.curve.forward_slots ? "forward" : "backward";
    const peak = column === this.curve.peak_column ? ", the peak" : "";
    return `Slot ${withThousands(slot + 1)} of ${withThousands(this.curve.slots)}${peak}, ${pass} pass: ` +
      `${exactBytes(this.curve.columns.live[column])} while ${this.curve.columns.node[column]} runs.`;
  }

  listBands(column) {
    const rows = this.data.bands.map((band, i) => {
      const bytes = this.curve.columns.bands[i][column];
      const title = element("td");
      const sign = element("span", "swatch");
      sign.style.background = band.colour;
      title.append(sign, band.title);
      return { bytes, cells: [title] };
    });
    fillTable("curve-bands", rows.filter((row) => row.bytes !== 0), this.curve.columns.live[column]);
  }

  listTensors(column) {
    const slot = this.curve.columns.slot[column];
    byId("curve-tensors").hidden = !this.isKnown(column);
    if (!this.isKnown(column)) return;
    const rows = firstAlive(this.data, this.sorted, slot, listedTensors).map((tensor) => {
      const name = element("td");
      name.append(element("code", "", this.names[tensor]));
      return { bytes: this.data.tensors.bytes[tensor], cells: [name] };
    });
    fillTable("curve-tensors", rows, this.curve.columns.live[column]);
  }
}

/** Rows of `cells`, each followed by its bytes and their share of `whole`. */
function fillTable(id, rows, whole) {
  byId(id).tBodies[0].replaceChildren(...rows.map(({ bytes, cells }) => {
    const row = element("tr");
    row.append(...cells, element("td", "number", formatBytes(bytes)), element("td", "number", percent(bytes, whole)));
    return row;
  }));
}
