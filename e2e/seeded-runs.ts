import { randomBytes } from "node:crypto";
import type { EngineDeps } from "@/lib/engine/deps";
import { createId } from "@/lib/ids";
import type { Person } from "./fixtures";

/** So many runs of a workflow of their own, oldest first, as a long life would leave them: written straight into the database. */
export async function seedRuns(deps: EngineDeps, by: Person, count: number): Promise<{ workflow: string; ids: string[] }> {
  const workflow = `long-${randomBytes(4).toString("hex")}`;
  const hash = `sha256:${"0".repeat(64)}`;
  await deps.db.projectVersion.upsert({ where: { hash }, create: { hash, content: Buffer.from("") }, update: {} });
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
