// Small virtual DOM: views return descriptions of elements, `render` makes the page equal to them.
// Elements keep their identity, so focus, typed text and scroll positions survive a new rendering.

/**
 * @typedef {object} VNode
 * @property {string} tag
 * @property {Record<string, any>} props
 * @property {Child[]} children
 * @property {string | undefined} key
 * @property {Element} [el]
 */

/** @typedef {VNode | string} Child */
/** A list holds contents again; the type cannot say so. @typedef {VNode | string | number | null | undefined | false | any[]} Content */

const SVG = "http://www.w3.org/2000/svg";
/** Set as properties, because their attributes are only defaults. */
const PROPERTIES = new Set(["value", "checked", "disabled", "open", "selected", "hidden"]);
/** Tags that exist in SVG only, as far as the page uses them. */
const SVG_TAGS = new Set([
  "svg",
  "g",
  "path",
  "circle",
  "rect",
  "line",
  "text",
  "defs",
  "pattern",
  "title",
  "polygon",
  "polyline",
  "linearGradient",
  "radialGradient",
  "stop",
  "use",
  "desc",
]);

/**
 * Describes an element. Nothing, false and null are left out of the children.
 * @param {string} tag
 * @param {Record<string, any> | null} [props] attributes; `on…` are handlers; `style` is an object;
 *   `key` keeps the identity among siblings
 * @param {...Content} children
 * @returns {VNode}
 */
export function h(tag, props, ...children) {
  const { key, ...rest } = props ?? {};
  return { tag, props: rest, children: flatten(children), key };
}

/** @param {Content[]} contents @returns {Child[]} */
function flatten(contents) {
  /** @type {Child[]} */
  const flat = [];
  for (const content of contents) {
    if (content === null || content === undefined || content === false) continue;
    if (Array.isArray(content)) flat.push(...flatten(content));
    else flat.push(typeof content === "number" ? String(content) : content);
  }
  return flat;
}

/** @type {WeakMap<Element, Child[]>} */
const rendered = new WeakMap();

/**
 * Makes the children of an element equal to the contents.
 * @param {Element} container
 * @param {...Content} contents
 */
export function render(container, ...contents) {
  const next = flatten(contents);
  patchChildren(container, rendered.get(container) ?? [], next);
  rendered.set(container, next);
}

/** @param {VNode} vnode @returns {Element} */
function create(vnode) {
  const el = SVG_TAGS.has(vnode.tag)
    ? document.createElementNS(SVG, vnode.tag)
    : document.createElement(vnode.tag);
  vnode.el = el;
  const { value, ...others } = vnode.props;
  patchProps(el, {}, others);
  patchChildren(el, [], vnode.children);
  // The value of a select can only be set when its options exist.
  if (value !== undefined) patchProps(el, {}, { value });
  return el;
}

/** @param {Element} el @param {Record<string, any>} old @param {Record<string, any>} next */
function patchProps(el, old, next) {
  const target = /** @type {any} */ (el);
  for (const name of Object.keys(old)) {
    if (!(name in next)) setProp(target, name, undefined);
  }
  for (const [name, value] of Object.entries(next)) {
    if (name === "value" || name === "checked") {
      if (target[name] !== value) target[name] = value;
    } else if (name === "style" || old[name] !== value) {
      setProp(target, name, value, old[name]);
    }
  }
}

/** @param {any} el @param {string} name @param {any} value @param {any} [old] */
function setProp(el, name, value, old) {
  if (name.startsWith("on")) {
    el[name] = value ?? null;
  } else if (name === "style") {
    for (const property of Object.keys(old ?? {})) {
      if (!value || !(property in value)) el.style.removeProperty(property);
    }
    for (const [property, text] of Object.entries(value ?? {})) {
      el.style.setProperty(property, String(text));
    }
  } else if (PROPERTIES.has(name)) {
    el[name] = value ?? (name === "value" ? "" : false);
  } else if (value === undefined || value === null || value === false) {
    el.removeAttribute(name);
  } else {
    el.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} parent @param {Child[]} old @param {Child[]} next */
function patchChildren(parent, old, next) {
  /** @type {Map<string, VNode>} */
  const keyed = new Map();
  /** @type {{child: Child, node: Node}[]} */
  const plain = [];
  const nodes = [...parent.childNodes];
  old.forEach((child, i) => {
    if (typeof child !== "string" && child.key !== undefined) keyed.set(child.key, child);
    else if (nodes[i]) plain.push({ child, node: nodes[i] });
  });

  let used = 0;
  /** @type {Node[]} */
  const wanted = [];
  for (const child of next) {
    if (typeof child === "string") {
      const free = plain[used];
      if (free && typeof free.child === "string") {
        used += 1;
        if (free.child !== child) free.node.nodeValue = child;
        wanted.push(free.node);
      } else {
        wanted.push(document.createTextNode(child));
      }
      continue;
    }
    /** @type {VNode | undefined} */
    let match;
    if (child.key !== undefined) {
      match = keyed.get(child.key);
      if (match && match.tag === child.tag) keyed.delete(child.key);
      else match = undefined;
    } else {
      const free = plain[used];
      if (free && typeof free.child !== "string" && free.child.tag === child.tag) {
        match = free.child;
        used += 1;
      }
    }
    if (match?.el) {
      const { value: before, ...oldProps } = match.props;
      const { value: after, ...newProps } = child.props;
      child.el = match.el;
      patchProps(match.el, oldProps, newProps);
      patchChildren(match.el, match.children, child.children);
      if (after !== undefined) patchProps(match.el, { value: before }, { value: after });
      wanted.push(match.el);
    } else {
      wanted.push(create(child));
    }
  }

  const keep = new Set(wanted);
  for (const node of nodes) if (!keep.has(node)) node.remove();
  wanted.forEach((node, i) => {
    if (parent.childNodes[i] !== node) parent.insertBefore(node, parent.childNodes[i] ?? null);
  });
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const el = document.getElementById(id);
  if (!el) throw new Error(`the page has no element #${id}`);
  return el;
}

/**
 * Offers a text or bytes as a file to save.
 * @param {string} name @param {BlobPart} content @param {string} type
 */
export function saveFile(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
