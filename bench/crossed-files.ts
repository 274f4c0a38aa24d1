/**
 * Which files of lib run for one approved call, from the start of its run to its end: those with a function that was
 * called, as counted by V8. Prints one line of JSON.
 */
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { processVariables } from "@/lib/env";
import { openByHand } from "./kimitsu-subjects";

const { DATABASE_URL: url = "" } = processVariables();

/** The bundle names each file in a comment before its code. */
const text = readFileSync(fileURLToPath(import.meta.url), "utf8");
const places = [...text.matchAll(/^\/\/ ([\w./@()[\]-]+\.(?:ts|mts|mjs|js|json))$/gm)].map((match) => ({
  at: match.index,
  file: match[1]!,
}));

const session = new Session();
session.connect();
await session.post("Profiler.enable");
const subject = await openByHand({ url, onAct: () => undefined });

/** What only the first run of a process does is not part of a call. */
for (let cycle = 0; cycle < 3; cycle += 1) await subject.decide(await subject.start());

await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const runId = await subject.start();
const asked = await listCalled();
await subject.decide(runId);
const decided = await listCalled();
await subject.close();
console.log(JSON.stringify({ asked, decided, all: [...new Set([...asked, ...decided])].toSorted() }));

/** Since the last query. */
async function listCalled(): Promise<string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const functions = result.find((script) => script.url === import.meta.url)?.functions ?? [];
  const called = functions.flatMap(({ ranges: [range] }) =>
    range && range.count > 0 ? [fileAt(range.startOffset)] : [],
  );
  return [...new Set(called)].filter((file) => file.startsWith("lib/")).toSorted();
}

function fileAt(offset: number): string {
  return places.findLast(({ at }) => at <= offset)?.file ?? "";
}
