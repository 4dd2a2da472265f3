// Waits for a server that does not answer: asks again by itself, less and less often.

import * as api from "./api.js";

const FIRST = 1000;
const LONGEST = 15_000;

/**
 * @param {() => void} answered what to do when the server answers again
 */
export function createRetry(answered) {
  let delay = FIRST;
  let timer = 0;

  async function ask() {
    window.clearTimeout(timer);
    timer = 0;
    try {
      await api.get("about");
    } catch (error) {
      if (api.isTemporary(error)) {
        later();
        return;
      }
    }
    delay = FIRST;
    answered();
  }

  function later() {
    if (timer) return;
    timer = window.setTimeout(ask, delay);
    delay = Math.min(delay * 2, LONGEST);
  }

  window.addEventListener("online", () => {
    if (timer) void ask();
  });
  return { later, now: ask };
}

/**
 * Some work of the start, again and again until the server answers.
 * @template T @param {() => Promise<T>} work @param {(error: unknown) => void} waiting
 * @returns {Promise<T>}
 */
export async function untilAnswered(work, waiting) {
  for (let delay = FIRST; ; delay = Math.min(delay * 2, LONGEST)) {
    try {
      return await work();
    } catch (error) {
      if (!api.isTemporary(error)) throw error;
      waiting(error);
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}
