import { randomBytes } from "node:crypto";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import { changeQuestions, copyQuestion, expireQuestions } from "@/lib/testing/change-question";
import { buildUser } from "@/lib/testing/builders";
import { sessionCookie } from "@/lib/testing/requests";
import { expect, type Person, required } from "./fixtures";

export interface Pending {
  runId: string;
  approvalId: string;
}

/** Starts the demo's support workflow as an operator would, and waits until it asks a person. */
export async function startAndWait(deps: EngineDeps, ticket: string): Promise<Pending> {
  const base = required("BASE_URL");
  const operator = await buildUser(deps, "operator", { name: "Starter of runs" });
  const answer = await fetch(`${base}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: base, cookie: await sessionCookie(operator) },
    body: JSON.stringify({ workflow: "support", params: { ticket_id: ticket } }),
  });
  const { run_id: runId } = (await answer.json()) as { run_id: string };
  let approvalId: string | undefined;
  await expect
    .poll(async () => (approvalId = (await deps.db.approval.findFirst({ where: { runId, status: "pending" } }))?.id), {
      message: `run ${runId} of ${ticket} asks for a person`,
      timeout: 30_000,
      intervals: [50],
    })
    .toBeDefined();
  return { runId, approvalId: approvalId ?? "" };
}

/** The call that a question is about. */
export async function callOfQuestion(deps: EngineDeps, approvalId: string) {
  const { callId } = await deps.db.approval.findUniqueOrThrow({ where: { id: approvalId }, select: { callId: true } });
  return deps.db.call.findUniqueOrThrow({ where: { id: callId } });
}

/** Puts people into the group that the demo's policy names for deleting customers. */
export async function joinPrivacy(deps: EngineDeps, people: readonly Person[]): Promise<void> {
  // Two tests may be the first at the same time.
  await deps.db.group.createMany({ data: [{ id: createId("group"), name: "privacy" }], skipDuplicates: true });
  const group = await deps.db.group.findUniqueOrThrow({ where: { name: "privacy" } });
  await deps.db.groupMember.createMany({
    data: people.map((person) => ({ groupId: group.id, userId: person.id })),
    skipDuplicates: true,
  });
}

/** Gives calls a queue of their own, into which no other test puts anything: the filter that shows only them. */
export async function ownQueue(deps: EngineDeps, calls: readonly Pending[]): Promise<string> {
  const workflow = `own-${randomBytes(4).toString("hex")}`;
  await changeQuestions(
    deps.db,
    calls.map(({ approvalId }) => approvalId),
    { approval: { workflow } },
  );
  return `workflow=${workflow}`;
}

/**
 * The same call so many times more, each waiting for itself, oldest first: a queue too long to be filled by runs.
 * `remove` deletes them.
 */
export async function copyPending(
  deps: EngineDeps,
  approvalId: string,
  count: number,
): Promise<{ ids: string[]; remove: () => Promise<void> }> {
  const copies = await copyQuestion(deps.db, approvalId, count);
  const remove = () =>
    expireQuestions(
      deps.db,
      copies.map(({ id }) => id),
    );
  return { ids: copies.map(({ id }) => id), remove };
}
