// Short sounds made with WebAudio: a stone set down, stones taken, the end of a game.

/** @type {AudioContext | null} */
let context = null;

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

/**
 * @param {"step" | "take" | "end" | "mistake"} kind
 * @param {number} [count] how many stones are taken
 */
export function play(kind, count = 1) {
  // A page may make sounds only after a person has used it.
  if (!navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  if (kind === "step") tone(240, 0, 0.09, 0.16);
  if (kind === "take") {
    tone(240, 0, 0.09, 0.16);
    for (let i = 0; i < Math.min(count, 5); i += 1) tone(520 + i * 60, 0.06 + i * 0.05, 0.07, 0.08);
  }
  if (kind === "mistake") tone(170, 0, 0.25, 0.14, "sine");
  if (kind === "end")
    [392, 494, 587].forEach((frequency, i) => tone(frequency, i * 0.14, 0.4, 0.12, "sine"));
}
