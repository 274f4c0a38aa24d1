import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

type Oklch = [lightness: number, chroma: number, hue: number];
const css = readFileSync(path.join(import.meta.dirname, "globals.css"), "utf8");

/** The opaque colour tokens of one theme, read from the stylesheet itself so that the two cannot differ. */
function tokens(theme: "light" | "dark"): Map<string, Oklch> {
  const found = new Map<string, Oklch>();
  for (const [, name, light, dark] of css.matchAll(
    /--([a-z0-9-]+): light-dark\(oklch\(([^)/]+)\), oklch\(([^)/]+)\)\)/g,
  )) {
    found.set(name!, (theme === "light" ? light! : dark!).split(" ").map(Number) as Oklch);
  }
  return found;
}

function luminance([lightness, chroma, hue]: Oklch): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Oklch, other: Oklch): number {
  const [high, low] = [luminance(one), luminance(other)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const surfaces = ["paper", "panel", "sunken"];
const textOn: [text: string, surfaces: string[]][] = [
  ["ink", [...surfaces, "accent-soft", "new", "critical-soft", "high-soft", "medium-soft", "ok-soft"]],
  ["ink-2", [...surfaces, "accent-soft", "new", "critical-soft", "high-soft", "medium-soft", "ok-soft"]],
  ["ink-3", [...surfaces, "accent-soft", "new"]],
  ["accent", [...surfaces, "accent-soft"]],
  ["critical", [...surfaces, "critical-soft"]],
  ["high", [...surfaces, "high-soft"]],
  ["medium", [...surfaces, "medium-soft"]],
  ["ok", [...surfaces, "ok-soft"]],
  ["on-accent", ["accent"]],
  ["paper", ["ink"]],
];

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const colour = (name: string) => tokens(theme).get(name) ?? expect.fail(`globals.css has no token --${name}`);
  it.each(textOn)("keeps --%s readable (4.5:1) on every surface", (text, grounds) => {
    for (const ground of grounds)
      expect(contrast(colour(text), colour(ground)), `--${text} on --${ground}`).toBeGreaterThanOrEqual(4.5);
  });
  it("draws the edges of fields and the focus ring visibly (3:1)", () => {
    for (const edge of ["edge", "accent"])
      for (const ground of surfaces)
        expect(contrast(colour(edge), colour(ground)), `--${edge} on --${ground}`).toBeGreaterThanOrEqual(3);
  });
});
