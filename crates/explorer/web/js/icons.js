// Line icons, 24 by 24.

import { h } from "./dom.js";

const PATHS = {
  undo: "M9 7L4 12L9 17M4 12H14A5 5 0 0 1 19 17V19",
  redo: "M15 7L20 12L15 17M20 12H10A5 5 0 0 0 5 17V19",
  first: "M6 5V19M19 5L10 12L19 19Z",
  back: "M16 5L7 12L16 19Z",
  forward: "M8 5L17 12L8 19Z",
  last: "M18 5V19M5 5L14 12L5 19Z",
  replay: "M5 12A7 7 0 1 1 8 17.7M5 18V12H11",
  flip: "M8 4V20M8 4L4 8M8 4L12 8M16 20V4M16 20L12 16M16 20L20 16",
  help: "M9 9A3 3 0 1 1 12 12.5V14.5M12 18V18.2",
  sun: "M12 8A4 4 0 1 1 12 16A4 4 0 1 1 12 8M12 2V4M12 20V22M2 12H4M20 12H22M5 5L6.4 6.4M17.6 17.6L19 19M5 19L6.4 17.6M17.6 6.4L19 5",
  moon: "M19 14.5A8 8 0 1 1 9.5 5A6.5 6.5 0 0 0 19 14.5Z",
  eye: "M2 12C6 5 18 5 22 12C18 19 6 19 2 12M12 9A3 3 0 1 1 12 15A3 3 0 1 1 12 9",
  sound: "M4 10V14H8L13 18V6L8 10ZM16 9A4 4 0 0 1 16 15M18.5 6.5A8 8 0 0 1 18.5 17.5",
  mute: "M4 10V14H8L13 18V6L8 10ZM16.5 9.5L21.5 14.5M21.5 9.5L16.5 14.5",
  play: "M7 4V20L20 12Z",
  explore: "M10 4A6 6 0 1 1 10 16A6 6 0 1 1 10 4M14.5 14.5L20 20",
  edit: "M4 20V16L15 5L19 9L8 20Z",
  tables: "M4 20V4M4 20H20M8 17V11M12 17V7M16 17V13",
  puzzles: "M12 3A9 9 0 1 1 12 21A9 9 0 1 1 12 3M12 8A4 4 0 1 1 12 16A4 4 0 1 1 12 8",
  settings:
    "M4 7H14M18 7H20M4 17H6M10 17H20M16 5A2 2 0 1 1 16 9A2 2 0 1 1 16 5M8 15A2 2 0 1 1 8 19A2 2 0 1 1 8 15",
  learn: "M3 7L12 3L21 7L12 11ZM7 9V15C9 18 15 18 17 15V9M21 7V14",
  plus: "M12 5V19M5 12H19",
  close: "M6 6L18 18M18 6L6 18",
};

/** @param {keyof typeof PATHS} name */
export const icon = (name) =>
  h(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    h("path", { d: PATHS[name] }),
  );
