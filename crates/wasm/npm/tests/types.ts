// Compiled against the types of the package, not run.

import { ApiError, Fanorona } from "fanorona";

const fanorona = await Fanorona.open({ site: new URL("https://example.org/fanorona/") });

const position = await fanorona.get("position", { board: "9x5", detail: "turns" });
const known: "win" | "draw" | "loss" | "unknown" = position.value;
const { turn } = await fanorona.post("opponent", { turns: [], level: 8 });
await fanorona.stream("analysis", { seconds: 1 }, (name: string, data) => console.log(name, data.lines));
await fanorona.stream("review", { turns: [turn ?? ""] }, () => {});

// @ts-expect-error There is no such route.
await fanorona.get("positon", {});
// @ts-expect-error It is asked for by POST.
await fanorona.get("opponent", { turns: [] });
// @ts-expect-error A turn is needed.
await fanorona.get("turn", {});
// @ts-expect-error A text is needed.
await fanorona.get("position", { board: 9 });
// @ts-expect-error Values are texts.
const value: number = position.value;
// @ts-expect-error It has events.
await fanorona.get("analysis", {});

export const all = [known, value, ApiError];
