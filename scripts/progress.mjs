/** Shows that a slow step is in progress and how long it took. */

const TICK_MS = 100;

let isDrawing = false;

/** Prints a line without breaking the one that a step is drawing. */
export function printLine(line, out = process.stdout) {
  out.write(`${isDrawing ? "\r\x1b[2K" : ""}${line}\n`);
}

/** How long a step took, in the unit a person would use. */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/**
 * Runs `work` under a line that says what happens. On a terminal the line counts the seconds and becomes the result;
 * elsewhere (a log file, CI) it is one line at the start and one at the end, since nothing can be redrawn there.
 * `work` gets a function that adds a note to the closing line.
 */
export async function step(label, work, out = process.stdout) {
  const began = performance.now();
  const passed = () => duration(performance.now() - began);
  let note = "";
  let timer;
  if (out.isTTY) {
    const draw = () => out.write(`\r\x1b[2K  ${label} … ${passed()}`);
    draw();
    isDrawing = true;
    timer = setInterval(draw, TICK_MS);
  } else out.write(`  ${label} …\n`);
  const close = (outcome) => {
    clearInterval(timer);
    isDrawing = false;
    out.write(`${out.isTTY ? "\r\x1b[2K" : ""}  ${label}: ${outcome} (${passed()})\n`);
  };
  try {
    const result = await work((text) => (note = text));
    close(note || "done");
    return result;
  } catch (error) {
    close("failed");
    throw error;
  }
}
