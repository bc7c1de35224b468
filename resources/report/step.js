// The tensors of the step, and how they are grouped. No element of the page is touched here.

const workspaceBand = 6;

/** Names are stored as what differs from the name before. */
function readNames(shared, rest) {
  let previous = "";
  return rest.map((text, i) => {
    previous = previous.slice(0, shared[i]) + text;
    return previous;
  });
}

/** A tree node: a group, or a tensor (`tensor` is its entry), or the workspace of the running node. */
function treeNode(name, parent, band, tensor) {
  return { name, parent, band, tensor, children: [] };
}

/** The tree of a grouping: first the groups, parents before children, then one node per tensor. */
function buildTree(data, names, grouping) {
  const groups = data.trees[grouping];
  const nodes = groups.name.map((name, i) => treeNode(name, groups.parent[i], groups.band[i], -1));
  data.tensors.group[grouping].forEach((group, tensor) => {
    nodes.push(treeNode(names[tensor], group, data.tensors.band[tensor], tensor));
  });
  nodes.push(treeNode(data.bands[workspaceBand].title, 0, workspaceBand, -1));
  for (let i = 1; i < nodes.length; ++i) nodes[nodes[i].parent].children.push(i);
  return nodes;
}

function isAlive(tensors, tensor, slot) {
  return tensors.first[tensor] <= slot && slot <= tensors.last[tensor];
}

/** Bytes of each node of a tree at a slot with `live` bytes; what no tensor has is workspace. */
function bytesAt(data, nodes, slot, live) {
  const bytes = new Array(nodes.length).fill(0);
  const workspace = nodes.length - 1;
  for (let i = workspace - 1; i > 0; --i) {
    const tensor = nodes[i].tensor;
    if (tensor >= 0 && (!data.complete || isAlive(data.tensors, tensor, slot))) {
      bytes[i] = data.tensors.bytes[tensor];
    }
    bytes[nodes[i].parent] += bytes[i];
  }
  bytes[workspace] = live - bytes[0];
  bytes[0] = live;
  return bytes;
}

/** The last of a chain of groups that each hold nothing but the next group. */
function endOfChain(nodes, bytes, node) {
  for (;;) {
    const only = nodes[node].children.find((child) => bytes[child] === bytes[node]);
    if (only === undefined || nodes[only].children.length === 0 || nodes[only].band >= 0) return node;
    node = only;
  }
}

/**
 * The boxes of `top` and below, row by row; `left` and `right` are shares of the width. A group with
 * a single group in it has no row of its own.
 */
function layOutBoxes(nodes, bytes, top, leastShare) {
  if (bytes[top] <= 0) return [];
  const boxes = [{ node: top, outer: top, row: 0, left: 0, right: 1, inside: -1 }];
  for (let next = 0; next < boxes.length; ++next) {
    let left = boxes[next].left;
    for (const child of nodes[boxes[next].node].children) {
      const share = bytes[child] / bytes[top];
      if (share > 0 && share >= leastShare) {
        boxes.push({
          node: endOfChain(nodes, bytes, child), outer: child, row: boxes[next].row + 1,
          left, right: left + share, inside: next,
        });
      }
      left += share;
    }
  }
  return boxes;
}

/** The names of the groups that share a box. */
function chainName(nodes, box) {
  const names = [nodes[box.node].name];
  for (let node = box.node; node !== box.outer;) {
    node = nodes[node].parent;
    names.unshift(nodes[node].name);
  }
  return names.join(".");
}

/** The path of a node below the root. */
function pathOf(nodes, node) {
  const names = [];
  for (; node !== 0; node = nodes[node].parent) names.unshift(nodes[node].name);
  return names.join(".");
}

/** The entries of all tensors in a node of a tree. */
function tensorsIn(nodes, node) {
  if (nodes[node].tensor >= 0) return [nodes[node].tensor];
  return nodes[node].children.flatMap((child) => tensorsIn(nodes, child));
}

/** The entries of all tensors, largest first. */
function bySize(data) {
  const bytes = data.tensors.bytes;
  return bytes.map((_, i) => i).sort((a, b) => bytes[b] - bytes[a] || a - b);
}

/** The first `most` entries of `sorted` that are alive at a slot. */
function firstAlive(data, sorted, slot, most) {
  const alive = [];
  for (const tensor of sorted) {
    if (alive.length === most) break;
    if (isAlive(data.tensors, tensor, slot)) alive.push(tensor);
  }
  return alive;
}

/** The end of a tensor's name, which its groups do not tell: `wte.weight`, `MatMul_output_0`. */
function shortName(name) {
  const last = name.slice(name.lastIndexOf("/") + 1);
  return last.split(".").slice(-2).join(".");
}
