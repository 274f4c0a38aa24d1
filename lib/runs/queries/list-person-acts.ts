import type { ActorKind } from "@/lib/people/rules/actor";
import type { EventData } from "@/lib/audit/rules/audit-event";
import type { Db } from "@/lib/database/client";
import type { EntryEvent } from "@/lib/runs/journal/entry";
import { type ReadRun, readRun } from "@/lib/runs/queries/read-run";
import { nameOfStep, rootOf } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";
import { shown } from "@/lib/text/shown";

/**
 * What a person did to a run themselves: who, when, and why if they said so. Decisions about calls are with their
 * approvals.
 */
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

type ActData = EventData & {
  reason?: string | null;
  comment?: string | null;
  call_id?: string;
  to?: "succeeded" | "approved" | "failed";
  step_id?: string;
  accepted?: boolean;
};

const TYPES = ["run.cancelled", "call.settled", "step.reviewed"];

/** Newest first. */
export async function listPersonActs(db: Db, runId: string): Promise<PersonAct[]> {
  const read = await readRun(db, runId);
  return read ? readPersonActs(db, read) : [];
}

/** For callers that already have the run. */
export async function readPersonActs(db: Db, { snapshot, notable }: ReadRun): Promise<PersonAct[]> {
  const events = notable.filter(({ type }) => TYPES.includes(type)).toReversed();
  const people = await namePeople(db, events);
  return events.map((event) => toAct(snapshot, event, people));
}

function toAct(snapshot: RunSnapshot, event: EntryEvent, people: ReadonlyMap<string, string>): PersonAct {
  const { type, actor } = event;
  const data = event.data as ActData;
  const facts = {
    by: { kind: actor.kind, name: actor.name, person: people.get(actor.userId ?? "") ?? null },
    at: new Date(event.at),
    said: shown(data.reason ?? data.comment ?? null),
  };
  if (type === "run.cancelled") return { ...facts, kind: "cancelled" };
  if (type === "call.settled") {
    const call = snapshot.calls.get(data.call_id ?? "");
    const tool = call ? `${call.server}.${call.tool}` : "";
    return { ...facts, kind: "settled", callId: data.call_id ?? "", tool, to: data.to ?? "failed" };
  }
  const stepId = data.step_id ?? "";
  const place = { stepId, rootStepId: rootOf(snapshot, stepId)?.id ?? "", step: nameOfStep(snapshot, stepId) };
  return { ...facts, kind: "reviewed", ...place, accepted: data.accepted === true };
}

async function namePeople(db: Db, events: readonly EntryEvent[]): Promise<Map<string, string>> {
  const ids = [...new Set(events.flatMap(({ actor }) => actor.userId ?? []))];
  const people =
    ids.length === 0 ? [] : await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  return new Map(people.map(({ id, name }) => [id, name]));
}
