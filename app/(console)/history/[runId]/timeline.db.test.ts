import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { getRunTimeline } from "@/lib/runs/queries/get-run-timeline";
import { findStepPage } from "@/lib/runs/queries/get-step-page";
import { useDatabase } from "@/lib/testing/database";
import { buildSettledCall } from "@/lib/testing/settled-call";
import { toTimelineSteps } from "./timeline";

const database = useDatabase();
test(verifies("run:settled", "in the step list and in the conversation, until it is sent again"), async () => {
  const { db } = database;
  const sent = new Date("2026-01-01T10:00:00.000Z");
  const after = (ms: number) => new Date(sent.getTime() + ms);
  const read = async ({ runId, stepId, callId }: { runId: string; stepId: string; callId: string }) => {
    const run = await findRunPage(db, runId, after(0));
    const steps = run ? toTimelineSteps(run, await getRunTimeline(db, runId), after(0)) : [];
    const page = await findStepPage(db, { runId, stepId, fingerprint: () => "" });
    const shown = page?.turns.flatMap(({ calls }) => calls).find(({ id }) => id === callId);
    return {
      listed: steps.flatMap(({ entries }) => entries).find(({ id }) => id === callId)?.detail,
      tool: shown?.durationMs,
      person: shown?.unsettledMs,
    };
  };
  const settled = await read(
    await buildSettledCall(db, { sentAt: sent, unknownAt: after(639), settledAt: after(211_000) }),
  );
  expect(settled).toMatchObject({ tool: 639, person: 210_361 });
  expect(settled.listed).toMatch(/, 639 ms, settled after 3\.5 min$|, 639 ms, settled after 3 min 30 s$/);

  const sentAgain = { at: after(210_000), endedAt: after(211_000) };
  const again = await read(
    await buildSettledCall(db, { sentAt: sent, unknownAt: after(639), settledAt: after(209_000), sentAgain }),
  );
  expect(again).toMatchObject({ tool: 1_000, person: null });
  expect(again.listed).not.toContain("settled");
});
