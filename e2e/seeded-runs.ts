import { randomBytes } from "node:crypto";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { EngineDeps } from "@/lib/engine/deps";
import { createId } from "@/lib/ids";
import { insertEvents } from "@/lib/store/event-sql";
import type { Person } from "./fixtures";

/** So many runs of a workflow of their own, oldest first, as a long life would leave them: written straight into the database. */
export async function seedRuns(deps: EngineDeps, by: Person, count: number): Promise<{ workflow: string; ids: string[] }> {
  const workflow = `long-${randomBytes(4).toString("hex")}`;
  const hash = `sha256:${"0".repeat(64)}`;
  await deps.db.projectVersion.upsert({ where: { hash }, create: { hash, content: randomBytes(64) }, update: {} });
  const at = deps.now();
  const ids = Array.from({ length: count }, () => createId("run"));
  await deps.db.run.createMany({
    data: ids.map((id, index) => ({
      id,
      workflow,
      version: "1.0.0",
      configHash: hash,
      ...(index % 10 === 0 ? { status: "failed" as const, error: { code: "tool_failed", message: "The shop did not answer" } } : { status: "complete" as const }),
      startedByKind: "user" as const,
      startedById: by.id,
      startedByName: by.name,
      params: {},
      costUsd: index / 1000,
      activeMs: 1200,
      createdAt: at,
      completedAt: at,
    })),
  });
  return { workflow, ids };
}

const BATCH = 1000;

/** A run that has turned, called and asked for days: one step, so many turns with a call each, and a trail of so many events. */
export async function seedBusyRun(deps: EngineDeps, by: Person, { turns, events }: { turns: number; events: number }): Promise<string> {
  const { ids } = await seedRuns(deps, by, 1);
  const runId = ids[0] ?? "";
  const stepId = createId("step");
  const at = deps.now();
  const startedAt = new Date(at.getTime() - turns * 2000);
  await deps.db.run.update({ where: { id: runId }, data: { createdAt: startedAt, completedAt: at } });
  await deps.db.step.create({ data: { id: stepId, runId, key: "work", type: "agent", agent: "worker", status: "complete", startedAt, completedAt: at } });
  const rows = Array.from({ length: turns }, (_, index) => ({ number: index + 1, turnId: createId("turn"), callId: createId("call"), at: new Date(at.getTime() - (turns - index) * 2000) }));
  await deps.db.turn.createMany({
    data: rows.map(({ number, turnId, at: createdAt }) => ({ id: turnId, runId, stepId, number, model: "test/m", request: { messages: [] }, response: { text: `Turn ${number}` }, tokensIn: 10, tokensOut: 5, costUsd: 0, durationMs: 1000, createdAt })),
  });
  await deps.db.call.createMany({
    data: rows.map(({ turnId, callId, at: createdAt }) => ({
      id: callId, runId, stepId, turnId, agent: "worker", server: "shop", tool: "look-up", status: "succeeded" as const, danger: "low" as const,
      arguments: {}, argumentsCanonical: "{}", digest: `sha256:${"0".repeat(64)}`, policyHash: "x", trace: [], createdAt, executingAt: createdAt, completedAt: new Date(createdAt.getTime() + 400), result: { output: "ok" },
    })),
  });
  for (let written = 0; written < events; written += BATCH) {
    const piece = Array.from({ length: Math.min(BATCH, events - written) }, (_, index) => ({ chainId: runId, type: "turn.recorded", at, actor: SYSTEM_ACTOR, data: { turn: written + index, model: "test/m" } }));
    await deps.db.$executeRaw`WITH one AS (SELECT 1) ${insertEvents(piece, "one")}`;
  }
  return runId;
}
