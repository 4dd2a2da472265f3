// Tests of the installed package. FANORONA_SITE is a directory that `fanorona site` has written, with
// tables of 9x5 to four stones at least.

import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { ApiError, Fanorona } from "fanorona";

const site = process.env.FANORONA_SITE ?? assert.fail("FANORONA_SITE is not set");

/** Positions of 9x5 and their values. */
const VALUES = { "W7W/9/4B4/9/9 w": "win", "B7B/9/9/9/W7W w": "draw" };

const value = async (fanorona, position) =>
  (await fanorona.get("position", { board: "9x5", rules: "standard", position, detail: "value" })).value;

const isError = (code) => (error) => error instanceof ApiError && error.code === code;

/** A copy of the site, to be changed. */
async function copied(context) {
  const copy = await mkdtemp(join(tmpdir(), "fanorona-"));
  context.after(() => rm(copy, { recursive: true }));
  await cp(join(site, "manifest.json"), join(copy, "manifest.json"));
  await cp(join(site, "shards"), join(copy, "shards"), { recursive: true });
  return copy;
}

async function shards(dir) {
  const files = await readdir(join(dir, "shards"), { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath ?? file.path, file.name));
}

test("without a site there are rules and an engine, and no tables", async () => {
  const fanorona = await Fanorona.open();
  assert.equal(await value(fanorona, "W7W/9/4B4/9/9 w"), "unknown");
  const { turns } = await fanorona.get("position", { detail: "turns" });
  assert.equal(turns.length, 5);
  const { position } = await fanorona.get("turn", { turn: turns[0].turn });
  assert.match(position, / b$/);
  const reply = await fanorona.post("opponent", { turns: [turns[0].turn], level: 1 });
  const after = await fanorona.get("turn", { position, turn: reply.turn });
  assert.match(after.position, / w$/);
});

test("a site on the disk says what positions are worth", async () => {
  const fanorona = await Fanorona.open({ site });
  for (const [position, expected] of Object.entries(VALUES)) {
    assert.equal(await value(fanorona, position), expected, position);
  }
  // Answers that wait for shards are made side by side.
  const values = await Promise.all(Object.keys(VALUES).map((position) => value(fanorona, position)));
  assert.deepEqual(values, Object.values(VALUES));
  const start = await fanorona.get("position", { detail: "value" });
  assert.equal(start.value, "draw", "the certificate of the start");
});

test("a site of a host says the same", async (context) => {
  const server = createServer(async ({ url }, response) => {
    const bytes = await readFile(join(site, url.replace("/below", ""))).catch(() => null);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const address = `http://127.0.0.1:${server.address().port}`;
  const fanorona = await Fanorona.open({ site: `${address}/below` });
  assert.equal(await value(fanorona, "W7W/9/4B4/9/9 w"), "win");
  await assert.rejects(Fanorona.open({ site: `${address}/elsewhere/` }), isError("missing"));
});

test("an analysis sends events", async () => {
  const fanorona = await Fanorona.open();
  const events = [];
  await fanorona.stream("analysis", { seconds: 0.2 }, (name, data) => events.push([name, data]));
  assert.equal(events.at(-1)[0], "done");
  assert.ok(events.slice(0, -1).every(([name]) => name === "progress"));
  assert.ok(events.at(-1)[1].lines[0].line.length > 0);
  const turns = ["d3-e3A"];
  const reviewed = [];
  await fanorona.stream("review", { turns, seconds: 0.1 }, (name) => reviewed.push(name));
  assert.ok(reviewed.length > 0);
});

test("what is wrong with a request is said", async () => {
  const fanorona = await Fanorona.open();
  await assert.rejects(value(fanorona, "no position"), (error) => {
    assert.ok(isError("bad_position")(error), error);
    assert.ok(error.message && error.expected);
    return true;
  });
  await assert.rejects(fanorona.post("opponent", { turns: [], level: 100 }), isError("bad_number"));
  await assert.rejects(fanorona.stream("analysis", { position: "no" }, assert.fail), ApiError);
  assert.equal(await value(fanorona, "W7W/9/4B4/9/9 w"), "unknown");
});

test("damaged shards and a damaged manifest are told, and give no value", async (context) => {
  const copy = await copied(context);
  const fanorona = await Fanorona.open({ site: copy });
  for (const shard of await shards(copy)) {
    const bytes = await readFile(shard);
    bytes[bytes.length >> 1] ^= 1;
    await writeFile(shard, bytes);
  }
  await assert.rejects(value(fanorona, "W7W/9/4B4/9/9 w"), isError("damaged"));
  await writeFile(join(copy, "manifest.json"), "{}");
  await assert.rejects(Fanorona.open({ site: copy }), isError("manifest"));
});

test("a missing site is told", async (context) => {
  const dir = await mkdtemp(join(tmpdir(), "fanorona-"));
  context.after(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, "file"), "");
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  for (const site of [join(dir, "none"), join(dir, "file"), dir, new URL(`file://${dir}/none`), address]) {
    await assert.rejects(Fanorona.open({ site }), isError("missing"), String(site));
  }
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(Fanorona.open({ site: address }), isError("offline"));
});

test("a board stands for its start", async () => {
  const fanorona = await Fanorona.open();
  const { position } = await fanorona.get("position", { board: "5x5", detail: "value" });
  assert.equal((await fanorona.get("position", { position: "5x5", detail: "value" })).position, position);
});

test("missing shards are told", async (context) => {
  const copy = await copied(context);
  await rm(join(copy, "shards"), { recursive: true });
  const fanorona = await Fanorona.open({ site: copy });
  await assert.rejects(value(fanorona, "W7W/9/4B4/9/9 w"), isError("missing"));
});
