import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { insertEvents } from "@/lib/store/event-sql";
import { findRunPage } from "@/lib/store/queries/get-run-page";
import { getRunTimeline } from "@/lib/store/queries/get-run-timeline";
import { findStepPage } from "@/lib/store/queries/get-step-page";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { toTimelineSteps } from "./timeline";

const database = useDatabase();
const CALL = "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5 } }]\n    otherwise: { output: {} }\n";

test(verifies("run:settled", "in the step list and in the conversation, until it is sent again"), async () => {
  const { db } = database;
  const bench = await openEngineBench(database, { script: CALL, allowlist: "- t-none" });
  const runId = await bench.launch();
  const call = await db.call.findFirstOrThrow({ where: { runId } });
  const sent = bench.clock.now();
  const after = (ms: number) => new Date(sent.getTime() + ms);
  const read = async () => {
    const run = await findRunPage(db, runId, after(0));
    const steps = run ? toTimelineSteps(run, await getRunTimeline(db, runId), after(0)) : [];
    const page = await findStepPage(db, { runId, stepId: call.stepId, fingerprint: () => "" });
    const shown = page?.turns.flatMap(({ calls }) => calls).find(({ id }) => id === call.id);
    return { listed: steps.flatMap(({ entries }) => entries).find(({ id }) => id === call.id)?.detail, tool: shown?.durationMs, person: shown?.unsettledMs };
  };
  await db.call.update({ where: { id: call.id }, data: { executingAt: sent, completedAt: after(211_000) } });
  const unknown = insertEvents([{ chainId: runId, type: "call.outcome_unknown", at: after(639), actor: SYSTEM_ACTOR, data: { call_id: call.id } }], "one");
  await db.$executeRaw`WITH one AS (SELECT 1) ${unknown}`;
  const settled = await read();
  expect(settled).toMatchObject({ tool: 639, person: 210_361 });
  expect(settled.listed).toMatch(/, 639 ms, settled after 3\.5 min$|, 639 ms, settled after 3 min 30 s$/);

  await db.call.update({ where: { id: call.id }, data: { executingAt: after(210_000) } });
  const again = await read();
  expect(again).toMatchObject({ tool: 1_000, person: null });
  expect(again.listed).not.toContain("settled");
});
