import type { ActorKind } from "@/lib/domain/actor";
import type { EventData } from "@/lib/domain/audit-event";
import type { Db } from "@/lib/store/client";
import { listEventSubjects } from "@/lib/store/queries/list-event-subjects";
import { shown } from "@/lib/store/queries/shown";

/** What a person did to a run by their own word: who, when, and why if they said so. Decisions about calls stand with their approvals. */
export type PersonAct = ActFacts &
  (
    | { kind: "cancelled" }
    | { kind: "settled"; callId: string; tool: string; to: "succeeded" | "approved" | "failed" }
    | { kind: "reviewed"; stepId: string; rootStepId: string; step: string; accepted: boolean }
  );

interface ActFacts {
  /** With the person behind a token. */
  by: { kind: ActorKind; name: string; person: string | null };
  at: Date;
  said: string | null;
}

interface Row {
  type: "run.cancelled" | "call.settled" | "step.reviewed";
  at: Date;
  kind: ActorKind;
  name: string;
  userId: string | null;
  data: EventData & { reason?: string | null; comment?: string | null; call_id?: string; to?: "succeeded" | "approved" | "failed"; step_id?: string; accepted?: boolean };
}

/** Nobody settles more in one run by hand. */
const ACTS_MAX = 1000;

/** Newest first. The types are written out: they are in the index events_of_people, which Postgres takes only for a statement that names them. */
export async function listPersonActs(db: Db, runId: string): Promise<PersonAct[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT type, at, actor_kind::text AS kind, actor_name AS name, body::jsonb #>> '{actor,userId}' AS "userId", body::jsonb -> 'data' AS data
    FROM events WHERE chain_id = ${runId} AND type IN ('run.cancelled', 'call.settled', 'step.reviewed') ORDER BY seq DESC LIMIT ${ACTS_MAX}`;
  if (rows.length === 0) return [];
  const [subjectOf, steps, people] = await Promise.all([listEventSubjects(db, rows), placeSteps(db, rows.flatMap(({ data }) => data.step_id ?? [])), namePeople(db, rows)]);
  return rows.map(({ type, at, kind, name, userId, data }): PersonAct => {
    const facts = { by: { kind, name, person: people.get(userId ?? "") ?? null }, at, said: shown(data.reason ?? data.comment ?? null) };
    if (type === "run.cancelled") return { ...facts, kind: "cancelled" };
    if (type === "call.settled") return { ...facts, kind: "settled", callId: data.call_id ?? "", tool: subjectOf(data)?.tool ?? "", to: data.to ?? "failed" };
    const { root, name: step } = steps.get(data.step_id ?? "") ?? { root: "", name: "" };
    return { ...facts, kind: "reviewed", stepId: data.step_id ?? "", rootStepId: root, step, accepted: data.accepted === true };
  });
}

/** For each step the one of the pipeline to which it belongs, and what people call it: a sub-agent goes by the step of the workflow's file that it works for. */
async function placeSteps(db: Db, stepIds: string[]): Promise<Map<string, { root: string; name: string }>> {
  if (stepIds.length === 0) return new Map();
  const rows = await db.$queryRaw<{ id: string; root: string; key: string; item: number | null }[]>`
    WITH RECURSIVE up AS (
      SELECT s.id, s.id AS root, s.parent_id, s.key, s.item_index AS item, s.item_index IS NOT NULL OR p.type IS DISTINCT FROM 'agent' AS named
      FROM steps s LEFT JOIN steps p ON p.id = s.parent_id WHERE s.id = ANY (${stepIds})
      UNION ALL
      SELECT up.id, s.id, s.parent_id, CASE WHEN up.named THEN up.key ELSE s.key END, CASE WHEN up.named THEN up.item ELSE s.item_index END, up.named OR s.item_index IS NOT NULL OR p.type IS DISTINCT FROM 'agent'
      FROM up JOIN steps s ON s.id = up.parent_id LEFT JOIN steps p ON p.id = s.parent_id
    )
    SELECT id, root, key, item FROM up WHERE parent_id IS NULL`;
  return new Map(rows.map(({ id, root, key, item }) => [id, { root, name: item === null ? key : `${key}, item ${item + 1}` }]));
}

async function namePeople(db: Db, rows: readonly Row[]): Promise<Map<string, string>> {
  const ids = [...new Set(rows.flatMap(({ userId }) => userId ?? []))];
  const people = ids.length === 0 ? [] : await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(people.map(({ id, name }) => [id, name]));
}
