// Workers and the requests that they work on. Quick requests share one worker. Those that take long
// have workers of their own, one request each at a time: such a request is stopped by ending its worker.

/**
 * @typedef {object} Job
 * @property {number} id
 * @property {string} method
 * @property {string} address
 * @property {string | undefined} body
 * @property {((name: string, data: any) => void) | null} event
 * @property {(reply: Reply) => void} resolve
 * @property {(reason: unknown) => void} reject
 * @property {boolean} again whether a worker has ended with it before
 */

/** @typedef {import("../js/backend.js").Reply} Reply */
/** @typedef {{type: string, id: number} & Record<string, any>} Message */

/** Milliseconds in which a worker that only waits for the network lets a request go. */
const GRACE = 60;

/** The bytes of shards after which a worker with one request ends, because a module's memory never shrinks. */
const LARGE = 128 << 20;

const MESSAGES = {
  damaged: "A part of the tables arrived damaged, twice.",
  missing: "A part of the tables is not on the host any more.",
  module: "The program of this page cannot run here.",
  internal: "The program of this page has stopped.",
};

/** The reply that says what failed. @param {string} code @returns {Reply} */
function failure(code) {
  if (code === "offline") return { status: 504, body: null };
  const message = MESSAGES[/** @type {keyof typeof MESSAGES} */ (code)];
  return { status: 500, body: { error: { code, message, expected: null } } };
}

let ids = 0;

/** A worker, started for its first request. */
class Lane {
  /** @param {Lanes} lanes */
  constructor(lanes) {
    this.lanes = lanes;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Map<number, Job>} */
    this.jobs = new Map();
    /** Those whose end is awaited, with the timers that end the worker. @type {Map<number, number>} */
    this.leaving = new Map();
  }

  get load() {
    return this.jobs.size + this.leaving.size;
  }

  /** @param {object} message */
  send(message) {
    this.start().postMessage(message);
  }

  start() {
    if (this.worker) return this.worker;
    const worker = this.lanes.create();
    this.worker = worker;
    worker.onmessage = ({ data }) => {
      if (worker === this.worker) this.hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      // A script that does not arrive has no message.
      if (worker === this.worker) this.end(null, event.message ? "internal" : "offline");
    };
    this.lanes.startMessage().then(
      (start) => {
        if (worker === this.worker) worker.postMessage({ type: "start", ...start });
      },
      (code) => {
        if (worker === this.worker) this.fail(code);
      },
    );
    return worker;
  }

  /** @param {Job} job */
  run(job) {
    this.jobs.set(job.id, job);
    const { id, method, address, body } = job;
    this.start();
    // The worker is told after it was started.
    this.lanes.startMessage().then(
      () => {
        if (this.jobs.get(id) === job) this.send({ type: "request", id, method, address, body });
      },
      () => {},
    );
  }

  /** @param {Message} message */
  hear(message) {
    const { type, id } = message;
    const job = this.jobs.get(id);
    // For whoever looks for the fault.
    if (type === "broken" || type === "unable") console.error(message.message);
    if (type === "event") job?.event?.(message.name, JSON.parse(message.json));
    else if (type === "answer") {
      // It is not to be given another one.
      if (this.lanes.alone && message.resident > LARGE) this.close();
      this.finish(job, JSON.parse(message.text));
    } else if (type === "failed") this.finish(job, failure(message.code));
    else if (type === "dropped") {
      clearTimeout(this.leaving.get(id));
      this.leaving.delete(id);
      this.lanes.next();
    } else if (type === "broken") this.end(job ?? null, "internal");
    else if (type === "unable") this.fail(message.code);
    this.lanes.heard(message, this);
  }

  /** @param {Job | undefined} job @param {Reply} reply */
  finish(job, reply) {
    if (!job) return;
    this.jobs.delete(job.id);
    job.resolve(reply);
    this.lanes.next();
  }

  /** Nobody waits for a job any more. @param {Job} job */
  drop(job) {
    if (!this.jobs.delete(job.id)) return;
    this.leaving.set(
      job.id,
      setTimeout(() => {
        if (!this.lanes.alone) this.leaving.delete(job.id);
        else {
          this.end(null, "internal");
          // The next request finds a worker that is ready.
          this.start();
        }
      }, GRACE),
    );
    this.send({ type: "drop", id: job.id });
  }

  /** Ends the worker; its requests fail. @param {string} code */
  fail(code) {
    const jobs = this.close();
    for (const job of jobs) job.resolve(failure(code));
    this.lanes.next();
  }

  /**
   * Ends the worker. Its requests begin again with another, except the one that it stopped at and those
   * that a worker has stopped with before.
   * @param {Job | null} culprit @param {string} code
   */
  end(culprit, code) {
    for (const job of this.close()) {
      if (job === culprit || job.again) job.resolve(failure(code));
      else this.lanes.submit({ ...job, again: true });
    }
    this.lanes.next();
  }

  close() {
    this.worker?.terminate();
    this.worker = null;
    const jobs = [...this.jobs.values()];
    this.jobs.clear();
    for (const timer of this.leaving.values()) clearTimeout(timer);
    this.leaving.clear();
    this.lanes.heard({ type: "ended", id: 0 }, this);
    return jobs;
  }
}

/** Workers of one kind, and the requests that wait for one. */
export class Lanes {
  /**
   * @param {number} most workers @param {boolean} alone whether a worker has one request at a time
   * @param {() => Worker} create
   * @param {() => Promise<object>} startMessage rejects with a code
   * @param {(message: Message, lane: Lane) => void} heard
   */
  constructor(most, alone, create, startMessage, heard) {
    this.alone = alone;
    this.create = create;
    this.startMessage = startMessage;
    this.heard = heard;
    this.lanes = Array.from({ length: most }, () => new Lane(this));
    /** @type {Job[]} */
    this.waiting = [];
  }

  /** The worker for other tasks than requests. */
  get first() {
    return /** @type {Lane} */ (this.lanes[0]);
  }

  /**
   * @param {string} address @param {{body?: string, signal?: AbortSignal | undefined}} init
   * @param {Job["event"]} event @returns {Promise<Reply>}
   */
  ask(address, { body, signal }, event) {
    return new Promise((resolve, reject) => {
      const stop = () => new DOMException("stopped", "AbortError");
      if (signal?.aborted) {
        reject(stop());
        return;
      }
      ids += 1;
      const id = ids;
      const method = body === undefined ? "GET" : "POST";
      signal?.addEventListener("abort", () => {
        reject(stop());
        this.drop(id);
      });
      this.submit({ id, method, address, body, event, resolve, reject, again: false });
    });
  }

  /** @param {Job} job */
  submit(job) {
    this.waiting.push(job);
    this.next();
  }

  next() {
    for (;;) {
      const free = this.lanes.filter((lane) => !this.alone || lane.load === 0);
      const lane = free.find((each) => each.worker) ?? free[0];
      if (!lane) return;
      const job = this.waiting.shift();
      if (!job) return;
      lane.run(job);
    }
  }

  /** @param {number} id */
  drop(id) {
    this.waiting = this.waiting.filter((job) => job.id !== id);
    for (const lane of this.lanes) {
      const job = lane.jobs.get(id);
      if (job) lane.drop(job);
    }
  }
}
