// The service worker: keeps one version of the page as a whole, so that it opens without the network.
// A new version is fetched as a whole, each file checked by its SHA-256, and waits until the page asks
// for it. Shards of tables are not kept here, but by the workers (store.js).

/** The manifest's; whoever writes the folder puts it in. */
const VERSION = "VERSION";

/** @typedef {{path: string, bytes: number, sha256: string}} Asset */

const scope = /** @type {any} */ (self);
/** @type {string} */
const BASE = scope.registration.scope;
const PREFIX = `fanorona-page ${BASE} `;
const MANIFEST = "manifest.json";

/** Types by the ends of names: some hosts do not know them all. @type {Record<string, string>} */
const TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json",
};

/** Headers of the host that isolate the page: the kept page and its workers have the same. */
const HEADERS = ["cross-origin-opener-policy", "cross-origin-embedder-policy", "cross-origin-resource-policy"];

/** A file of this version, as it is kept. @param {Asset} asset @param {Response} response @returns {Promise<Response | null>} */
async function checked({ path, sha256 }, response) {
  const bytes = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const text = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (text !== sha256) return null;
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1)];
  if (type) headers.set("content-type", type);
  return new Response(bytes, { headers });
}

/** A file of this version from the network. @param {Asset} asset @returns {Promise<Response>} */
async function fetched(asset) {
  for (const cache of /** @type {const} */ (["no-cache", "reload"])) {
    const response = await fetch(BASE + asset.path, { cache });
    const file = response.ok ? await checked(asset, response) : null;
    if (file) return file;
  }
  throw new Error(`${asset.path} is not of version ${VERSION}`);
}

async function install() {
  const response = await fetch(BASE + MANIFEST, { cache: "no-cache" });
  const text = await response.text();
  const manifest = JSON.parse(text);
  if (manifest.version !== VERSION) throw new Error(`${MANIFEST} is not of version ${VERSION}`);
  const cache = await caches.open(PREFIX + VERSION);
  await Promise.all(
    manifest.assets.map(async (/** @type {Asset} */ asset) => {
      const address = BASE + asset.path;
      // Most files are the same in the version before.
      const before = await caches.match(address);
      const file = before && (await checked(asset, before));
      await cache.put(address, file ?? (await fetched(asset)));
    }),
  );
  // The manifest comes last: where it is, everything is.
  const headers = { "content-type": "application/json" };
  await cache.put(BASE + MANIFEST, new Response(text, { headers }));
}

async function activate() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== PREFIX + VERSION) await caches.delete(name);
  }
  await scope.clients.claim();
}

/** @param {string} address @param {Request} request @returns {Promise<Response>} */
async function respond(address, request) {
  const cache = await caches.open(PREFIX + VERSION);
  const kept = await cache.match(address);
  if (kept) return kept;
  const manifest = await cache.match(BASE + MANIFEST);
  if (!manifest) return fetch(request);
  const { assets } = await manifest.json();
  const asset = assets.find((/** @type {Asset} */ { path }) => BASE + path === address);
  return asset ? fetched(asset) : fetch(request);
}

scope.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
scope.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
scope.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "renew") scope.skipWaiting();
  if (event.data === "claim") event.waitUntil(scope.clients.claim());
  if (event.data === "version") event.source.postMessage({ version: VERSION });
});
scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const [address = ""] = request.url.split(/[?#]/);
  if (request.method !== "GET" || !address.startsWith(BASE)) return;
  const path = address.slice(BASE.length);
  if (path.startsWith("shards/")) return;
  event.respondWith(respond(BASE + (path || "index.html"), request));
});
