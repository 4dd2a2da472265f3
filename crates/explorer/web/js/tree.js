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

/** A game without turns. @param {string} position @returns {Node[]} */
export const newTree = (position) => [
  newNode({ id: 0, parent: null, ply: 0 }, { turn: null, path: [], captured: [], position }),
];

/**
 * A node that nothing follows.
 * @param {Pick<Node, "id" | "parent" | "ply">} place @param {Pick<Node, "turn" | "path" | "captured" | "position">} played
 * @returns {Node}
 */
const newNode = (place, { turn, path, captured, position }) => ({
  ...place,
  turn,
  path,
  captured,
  position,
  toMove: sideOf(position),
  children: [],
  next: null,
  comments: [],
  glyphs: [],
});

/** Whose turn it is. @param {string} position @returns {Side} */
export const sideOf = (position) => (position.includes(" b") ? "black" : "white");

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
  nodes.push(newNode({ id, parent: at, ply: parent.ply + 1 }, played));
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
  for (let at = /** @type {number | null} */ (id); at !== null; at = nodeAt(tree, at).parent) {
    path.push(nodeAt(tree, at));
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

/** The tree in which a node's variation comes first among its siblings. @param {Tree} tree @param {number} id */
export const promote = (tree, id) =>
  withParent(tree, id, ({ children, ...parent }) => ({
    ...parent,
    children: [id, ...children.filter((child) => child !== id)],
  }));

/** The tree without a node and what follows it. Ids stay. @param {Tree} tree @param {number} id */
export const removeBranch = (tree, id) =>
  withParent(tree, id, (parent) => {
    const children = parent.children.filter((child) => child !== id);
    return { ...parent, children, next: parent.next === id ? (children[0] ?? null) : parent.next };
  });

/** The tree with another parent of a node, if it has one. @param {Tree} tree @param {number} id @param {(parent: Node) => Node} change */
function withParent(tree, id, change) {
  const { parent } = nodeAt(tree, id);
  return tree.map((node) => (node.id === parent ? change(node) : node));
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

