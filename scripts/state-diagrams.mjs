#!/usr/bin/env node
/** Compares the diagrams in docs/ARCHITECTURE.md with the state tables; `--write` draws them again. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { ROOT } from "./runtime.mjs";

const FILE = path.join(ROOT, "docs/ARCHITECTURE.md");
const BEGIN = "<!-- states -->\n";
const END = "\n<!-- /states -->";

async function main([option]) {
  const { drawStates } = await import(pathToFileURL(await bundle("lib/runs/rules/state-diagrams.ts")).href);
  const text = readFileSync(FILE, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new PlainError(
      `docs/ARCHITECTURE.md has no place for the diagrams; put them between ${BEGIN.trim()} and ${END.trim()}.`,
    );
  const drawn = text.slice(0, begin + BEGIN.length) + drawStates() + text.slice(end);
  if (drawn === text) return;
  if (option !== "--write")
    throw new PlainError(
      "The diagrams in docs/ARCHITECTURE.md are not those of the state tables. Draw them anew with: node scripts/state-diagrams.mjs --write",
    );
  writeFileSync(FILE, drawn);
}

main(process.argv.slice(2)).catch((error) => process.exit(reportFailure(error)));
