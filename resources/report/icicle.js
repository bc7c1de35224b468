// The picture of what holds the memory at a slot.

const rowHeight = 24;
const narrowestBox = 2;   // pixels
const narrowestLabel = 30;

const groupingTitles = [
  ["module", "module"], ["band", "use"], ["op_type", "operator"], ["source_line", "source line"],
];

class Icicle {
  /** @param onChoose called with the tensors of the chosen node, or null for all */
  constructor(data, names, onChoose) {
    this.data = data;
    this.names = names;
    this.onChoose = onChoose;
    this.trees = new Map();
    this.grouping = "module";
    this.column = data.curve.peak_column;
    this.top = 0;
    this.history = [];
    this.boxes = [];
    this.chosen = 0;
    this.addGroupings();
    this.listen();
    this.draw();
  }

  /** The tree of the grouping in use; each is built when it is first needed. */
  get nodes() {
    if (!this.trees.has(this.grouping)) {
      this.trees.set(this.grouping, buildTree(this.data, this.names, this.grouping));
    }
    return this.trees.get(this.grouping);
  }

  get slot() {
    return this.data.curve.columns.slot[this.column];
  }

  addGroupings() {
    for (const [grouping, title] of groupingTitles) {
      const label = element("label");
      const radio = element("input");
      radio.type = "radio";
      radio.name = "grouping";
      radio.checked = grouping === this.grouping;
      radio.addEventListener("change", () => this.group(grouping));
      label.append(radio, ` ${title}`);
      byId("groupings").append(label);
    }
  }

  listen() {
    const boxes = byId("boxes");
    boxes.addEventListener("click", (event) => this.open(this.boxOf(event.target)));
    boxes.addEventListener("pointerover", (event) => this.describe(this.boxOf(event.target)));
    boxes.addEventListener("pointerleave", () => this.describe(-1));
    boxes.addEventListener("focusin", (event) => this.describe(this.boxOf(event.target)));
    boxes.addEventListener("keydown", (event) => this.press(event));
    byId("back").addEventListener("click", () => this.back());
    byId("to-peak").addEventListener("click", () => this.show(this.data.curve.peak_column));
    let width = 0;
    new ResizeObserver(() => {
      if (boxes.clientWidth === width) return;
      width = boxes.clientWidth;
      this.draw();
    }).observe(boxes);
  }

  boxOf(target) {
    const found = target.closest(".box");
    return found ? Number(found.dataset.box) : -1;
  }

  group(grouping) {
    this.grouping = grouping;
    this.history = [];
    this.goTo(0);
  }

  /** Shows the slot of a column of the curve. */
  show(column) {
    this.column = column;
    this.draw();
  }

  /** Opens a group, or chooses a tensor. A click on the topmost box goes back. */
  open(box) {
    if (box < 0) return;
    const node = this.boxes[box].node;
    if (box === 0) return this.back();
    if (this.nodes[node].children.length === 0) return this.choose(node);
    this.history.push(this.top);
    this.goTo(node);
    this.focus(0);
  }

  back() {
    if (this.history.length === 0) return;
    const left = this.top;
    this.goTo(this.history.pop());
    this.focus(Math.max(0, this.boxes.findIndex((box) => box.node === left)));
  }

  goTo(node) {
    this.top = node;
    this.choose(node);
  }

  choose(node) {
    this.chosen = node;
    this.onChoose(node === 0 ? null : tensorsIn(this.nodes, node));
    this.draw();
  }

  draw() {
    const place = byId("boxes");
    const nodes = this.nodes;
    this.bytes = bytesAt(this.data, nodes, this.slot, this.data.curve.columns.live[this.column]);
    const width = Math.max(place.clientWidth, 1);
    this.boxes = layOutBoxes(nodes, this.bytes, this.top, narrowestBox / width);
    const rows = this.boxes.reduce((most, box) => Math.max(most, box.row + 1), 1);
    place.style.height = `${rows * rowHeight}px`;
    place.replaceChildren(...this.boxes.map((box, i) => this.boxElement(box, i, width)));
    byId("back").disabled = this.history.length === 0;
    byId("to-peak").disabled = this.column === this.data.curve.peak_column;
    this.describePlace();
    this.describe(-1);
  }

  boxElement(box, index, width) {
    const node = this.nodes[box.node];
    const made = element("div", "box");
    const pixels = (box.right - box.left) * width;
    if (pixels >= narrowestLabel) made.textContent = this.label(box);
    made.style.left = `${100 * box.left}%`;
    made.style.width = `${100 * (box.right - box.left)}%`;
    made.style.top = `${box.row * rowHeight}px`;
    if (node.band >= 0) {
      made.classList.add("use");
      made.style.background = this.data.bands[node.band].colour;
    }
    if (box.node === this.chosen && box.node !== 0) made.classList.add("chosen");
    made.dataset.box = index;
    made.tabIndex = index === 0 ? 0 : -1;
    made.setAttribute("role", "treeitem");
    made.setAttribute("aria-level", box.row + 1);
    made.setAttribute("aria-label", this.sentence(box));
    return made;
  }

  label(box) {
    const node = this.nodes[box.node];
    const name = box.node === 0 ? "All tensors"
      : node.tensor >= 0 ? shortName(node.name) : chainName(this.nodes, box);
    return `${name}  ${formatBytes(this.bytes[box.node])}`;
  }

  /** The path of a group; the name of a tensor, and its group. */
  fullName(node) {
    if (node === 0) return "All tensors";
    const { name, parent, tensor } = this.nodes[node];
    return tensor < 0 || parent === 0 ? pathOf(this.nodes, node) : `${name} (${pathOf(this.nodes, parent)})`;
  }

  sentence(box) {
    const name = this.fullName(box.node);
    const bytes = this.bytes[box.node];
    return `${name}: ${exactBytes(bytes)}, ${percent(bytes, this.bytes[0])} of the memory in use`;
  }

  describePlace() {
    const curve = this.data.curve;
    const when = this.column === curve.peak_column ? "At the peak" : "At this slot";
    const inside = this.top === 0 ? "" : `, inside ${pathOf(this.nodes, this.top)}`;
    byId("icicle-where").textContent =
      `${when}, slot ${withThousands(this.slot + 1)} of ${withThousands(curve.slots)}, while ` +
      `${curve.columns.node[this.column]} runs${inside}` +
      (this.boxes.length === 0 ? ": nothing of it is alive here." : ".");
  }

  /** Says what a box is; without a box, what is chosen. */
  describe(box) {
    const shown = box >= 0 ? box : this.boxes.findIndex((each) => each.node === this.chosen);
    byId("icicle-info").textContent = shown >= 0 ? this.sentence(this.boxes[shown]) : "";
  }

  focus(box) {
    const elements = byId("boxes").children;
    if (!elements[box]) return;
    for (const each of elements) each.tabIndex = -1;
    elements[box].tabIndex = 0;
    elements[box].focus();
  }

  press(event) {
    const at = this.boxOf(event.target);
    if (at < 0) return;
    const box = this.boxes[at];
    const moves = {
      ArrowDown: () => this.focus(this.boxes.findIndex((each) => each.inside === at)),
      ArrowUp: () => this.focus(box.inside),
      ArrowRight: () => this.focusBeside(at, 1),
      ArrowLeft: () => this.focusBeside(at, -1),
      Enter: () => this.open(at),
      " ": () => this.open(at),
      Backspace: () => this.back(),
      Escape: () => this.back(),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }

  /** The next or previous box of the same row. */
  focusBeside(at, step) {
    const beside = this.boxes[at + step];
    if (beside && beside.row === this.boxes[at].row) this.focus(at + step);
  }
}
