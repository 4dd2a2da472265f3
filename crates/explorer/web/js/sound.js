// Short sounds made with WebAudio: a click for a turn of a person and another for one of the program,
// stones taken, and a melody when the person has won.

/** @typedef {"person" | "program"} By */

/** @type {AudioContext | null} */
let context = null;

/** The melodies of a win: frequencies, each a note. */
const MELODIES = [
  [392, 494, 587, 784],
  [523, 659, 784, 659, 1047],
  [440, 554, 659, 880, 659, 880],
  [349, 440, 523, 698, 523, 698],
  [587, 740, 880, 1175],
];

/** The clicks of a stone that is set down. */
const CLICKS = { person: 300, program: 190 };

/** @param {number} frequency @param {number} start @param {number} length @param {number} volume @param {OscillatorType} [type] */
function tone(frequency, start, length, volume, type = "triangle") {
  if (!context) return;
  const at = context.currentTime + start;
  const oscillator = context.createOscillator();
  const gain = context.createGain();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, at);
  oscillator.frequency.exponentialRampToValueAtTime(frequency * 0.6, at + length);
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}

/** Whether sounds can be made. Says to tests which sound it is. @param {string} name */
function begin(name) {
  document.dispatchEvent(new CustomEvent("fanorona-sound", { detail: name }));
  // A page may make sounds only after a person has used it.
  if (!navigator.userActivation?.hasBeenActive) return false;
  context ??= new AudioContext();
  return true;
}

/** A stone set down, and the stones that it takes. @param {By} by @param {number} taken */
export function click(by, taken) {
  if (!begin(`${by}-${taken > 0 ? "take" : "step"}`)) return;
  tone(CLICKS[by], 0, 0.09, 0.16, by === "person" ? "triangle" : "square");
  for (let i = 0; i < Math.min(taken, 5); i += 1) tone(520 + i * 60, 0.06 + i * 0.05, 0.07, 0.08);
}

/** One of several melodies for a win of the person. */
export function celebrate() {
  const number = Math.floor(Math.random() * MELODIES.length);
  if (!begin(`celebration-${number}`)) return;
  const last = (MELODIES[number]?.length ?? 0) - 1;
  MELODIES[number]?.forEach((frequency, i) =>
    tone(frequency, i * 0.13, i === last ? 0.6 : 0.3, 0.12, "sine"),
  );
}
