// The questions that every face answers alike: FANORONA_QUESTIONS is the file, tests/questions.tsv of the
// repository, and FANORONA_QUESTIONS_SITE what `fanorona site` has written with its tables and games.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Fanorona } from "fanorona";

const NUMBERS = { win: 1, draw: 0, loss: -1 };

/** What is known, as the file has it. */
function known({ value, at_least = value, at_most = value, dtw = "-", source = "-" }) {
  return `${NUMBERS[at_least]} ${NUMBERS[at_most]} ${dtw} ${source}`;
}

test("questions have the answers of every face", async () => {
  const fanorona = await Fanorona.open({ site: process.env.FANORONA_QUESTIONS_SITE });
  const text = await readFile(process.env.FANORONA_QUESTIONS, "utf8");
  const lines = text.trimEnd().split("\n").map((line) => line.split("\t"));
  const asked = lines.filter(([kind]) => kind === "ask");
  let same = 0;
  for (const [, board, rules, position, nodes, ...expected] of asked) {
    const question = { board, rules, position };
    let found = await fanorona.get("position", { ...question, detail: "turns" });
    let { turns } = found;
    if (found.value === "unknown") {
      await fanorona.stream("search", { ...question, nodes: Number(nodes) }, (name, event) => {
        if (name === "position") ({ turns } = event);
        if (name === "done") found = event;
      });
    }
    const answer = [known(found), ...turns.map((turn) => `${turn.turn} ${known(turn)}`)];
    if (answer.join("\t") === expected.join("\t")) same += 1;
    else console.log(board, rules, position, answer, expected);
  }
  console.log(`wasm: ${same} of ${asked.length} answers are equal`);
  assert.equal(same, 300);
});
