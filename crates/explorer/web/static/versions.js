// The versions of the page: the service worker (sw.js) keeps one as a whole, and fetches the next as a
// whole before the page offers it.

/** Milliseconds between two looks for a new version. */
const HOUR = 3_600_000;

/** @param {(renewable: boolean) => void} changed @param {() => void} kept is called when this version is kept as a whole */
export function createVersions(changed, kept) {
  // There is none on hosts without encryption, and in some private windows.
  const container = /** @type {ServiceWorkerContainer | undefined} */ (navigator.serviceWorker);
  /** @type {ServiceWorkerRegistration | null} */
  let registration = null;
  let controlled = false;

  async function look() {
    try {
      await registration?.update();
    } catch {
      // Without the network there is no new version.
    }
  }

  const waiting = () => {
    if (registration?.waiting && container?.controller) changed(true);
  };

  return {
    look,
    /** @param {string} version of the page that is open */
    async start(version) {
      if (!container) return;
      controlled = Boolean(container.controller);
      container.addEventListener("controllerchange", () => {
        // The first version takes over the page that brought it; a later one needs a new page.
        if (controlled) location.reload();
        else container.controller?.postMessage("version");
        controlled = true;
      });
      container.addEventListener("message", ({ data }) => {
        // It may have changed on the host since the page came.
        if (data.version && data.version !== version) changed(true);
      });
      try {
        registration = await container.register("sw.js", { updateViaCache: "none" });
      } catch {
        return;
      }
      const follow = (/** @type {ServiceWorker | null} */ worker) =>
        worker?.addEventListener("statechange", waiting);
      follow(registration.installing);
      registration.addEventListener("updatefound", () => follow(registration?.installing ?? null));
      waiting();
      void container.ready.then(({ active }) => {
        // It misses a page that was opened while it began.
        if (!container.controller) active?.postMessage("claim");
        kept();
      });
      setInterval(look, HOUR);
      document.addEventListener("visibilitychange", () => {
        if (document.visibilityState === "visible") void look();
      });
    },
    renew() {
      if (registration?.waiting) registration.waiting.postMessage("renew");
      else location.reload();
    },
  };
}
