// The game as a tree of turns with variations. All functions return new trees.

/** @typedef {import("./api-types").Side} Side */

/**
 * @typedef {object} Node
 * @property {number} id its index in the tree
 * @property {number | null} parent
 * @property {number[]} children the first is the main line
 * @property {number | null} next the child that was visited last
 * @property {string | null} turn the turn that leads here; null at the root
 * @property {string[]} path the points of that turn
 * @property {string[]} captured
 * @property {string} position
 * @property {Side} toMove
 * @property {number} ply
 * @property {readonly string[]} comments behind that turn
 * @property {readonly number[]} glyphs of that turn, by their numbers in PGN
 */

/** @typedef {readonly Node[]} Tree */
/** @typedef {{turn: string, path: string[], captured: string[], position: string}} PlayedTurn */

/** @param {string} position @returns {Node[]} */
export const newTree = (position) => [
  {
    id: 0,
    parent: null,
    children: [],
    next: null,
    turn: null,
    path: [],
    captured: [],
    position,
    toMove: sideOf(position),
    ply: 0,
    comments: [],
    glyphs: [],
  },
];

/** @param {string} position @returns {Side} */
const sideOf = (position) => (position.includes(" b") ? "black" : "white");

/** @param {Tree} tree @param {number} id @returns {Node} */
export function nodeAt(tree, id) {
  const node = tree[id];
  if (!node) throw new Error(`the game has no node ${id}`);
  return node;
}

/**
 * The tree with a turn played at a node, and the node after it.
 * @param {Tree} tree @param {number} at @param {PlayedTurn} played
 * @returns {{tree: Node[], id: number}}
 */
export function playTurn(tree, at, played) {
  const parent = nodeAt(tree, at);
  const existing = parent.children.find((id) => nodeAt(tree, id).turn === played.turn);
  const nodes = [...tree];
  if (existing !== undefined) {
    nodes[at] = { ...parent, next: existing };
    return { tree: nodes, id: existing };
  }
  const id = nodes.length;
  nodes.push({
    id,
    parent: at,
    children: [],
    next: null,
    turn: played.turn,
    path: played.path,
    captured: played.captured,
    position: played.position,
    toMove: sideOf(played.position),
    ply: parent.ply + 1,
    comments: [],
    glyphs: [],
  });
  nodes[at] = { ...parent, children: [...parent.children, id], next: id };
  return { tree: nodes, id };
}

/** The tree with remarks at a node. @param {Tree} tree @param {number} id @param {readonly string[]} comments @param {readonly number[]} glyphs */
export const remark = (tree, id, comments, glyphs) =>
  tree.map((node) => (node.id === id ? { ...node, comments, glyphs } : node));

/** The tree in which the path to a node is the one that was visited last. @param {Tree} tree @param {number} id */
export function visit(tree, id) {
  const nodes = [...tree];
  for (let node = nodeAt(tree, id); node.parent !== null; node = nodeAt(tree, node.parent)) {
    nodes[node.parent] = { ...nodeAt(nodes, node.parent), next: node.id };
  }
  return nodes;
}

/** The nodes from the root to a node. @param {Tree} tree @param {number} id @returns {Node[]} */
export function pathTo(tree, id) {
  const path = [];
  /** @type {number | null} */
  let at = id;
  while (at !== null) {
    const node = nodeAt(tree, at);
    path.push(node);
    at = node.parent;
  }
  return path.reverse();
}

/** The line through a node: its path, then the turns that were visited last. @param {Tree} tree @param {number} id @returns {Node[]} */
export function lineThrough(tree, id) {
  const line = pathTo(tree, id);
  for (let node = nodeAt(tree, id); node.children.length > 0;) {
    node = nodeAt(tree, node.next ?? node.children[0] ?? 0);
    line.push(node);
  }
  return line;
}

/** @param {readonly Node[]} nodes @returns {string[]} */
export const turnsOf = (nodes) => nodes.flatMap((node) => (node.turn === null ? [] : [node.turn]));

/**
 * The tree in which a node's variation comes first among its siblings.
 * @param {Tree} tree @param {number} id
 */
export function promote(tree, id) {
  const node = nodeAt(tree, id);
  if (node.parent === null) return [...tree];
  const parent = nodeAt(tree, node.parent);
  const nodes = [...tree];
  nodes[parent.id] = {
    ...parent,
    children: [id, ...parent.children.filter((child) => child !== id)],
  };
  return nodes;
}

/** The tree without a node and what follows it. Ids stay. @param {Tree} tree @param {number} id */
export function removeBranch(tree, id) {
  const node = nodeAt(tree, id);
  if (node.parent === null) return [...tree];
  const parent = nodeAt(tree, node.parent);
  const children = parent.children.filter((child) => child !== id);
  const nodes = [...tree];
  nodes[parent.id] = {
    ...parent,
    children,
    next: parent.next === id ? (children[0] ?? null) : parent.next,
  };
  return nodes;
}

/**
 * The turns after the root as text: the main line separated by commas, variations in parentheses
 * after the turn that they replace.
 * @param {Tree} tree @param {number} [from]
 * @returns {string}
 */
export function treeText(tree, from = 0) {
  const turns = [];
  let { children } = nodeAt(tree, from);
  while (children[0] !== undefined) {
    const [main, ...others] = children;
    const variations = others.map((id) => {
      const after = treeText(tree, id);
      return `(${nodeAt(tree, id).turn}${after ? `,${after}` : ""})`;
    });
    turns.push(`${nodeAt(tree, main).turn}${variations.join("")}`);
    children = nodeAt(tree, main).children;
  }
  return turns.join(",");
}

