// Lists the turns of a position with their values, plays the best one, and lets the program answer.
//
//   node example.mjs SITE      a directory that `fanorona site` has written

import { Fanorona } from "fanorona";

const fanorona = await Fanorona.open({ site: process.argv[2] });
const variant = { board: "9x5", rules: "standard" };
const start = "W7W/9/4B4/9/9 w";

const { value, turns } = await fanorona.get("position", { ...variant, position: start, detail: "turns" });
console.log(`${start}: ${value}`);
for (const { turn, value } of turns) console.log(turn.padEnd(8), value);

// The best turn is the first.
const { turn } = turns[0];
const { position } = await fanorona.get("turn", { ...variant, position: start, turn });
const reply = await fanorona.post("opponent", { ...variant, start, turns: [turn], level: 8, seconds: 0.5 });
console.log(`${turn} leads to ${position}; the program answers ${reply.turn}`);
