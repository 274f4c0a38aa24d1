/** An ended run is continued by another one. */
import type { Actor } from "@/lib/people/rules/actor";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";

export interface RunRetried extends Change {
  kind: "run_retried";
  as: string;
  actor: Actor;
}

export const runRetried: ChangeKind<RunRetried> = {
  kind: "run_retried",
  events: ({ as, actor }) => [{ type: "run.retried", actor, data: { run_id: as } }],
  apply: () => undefined,
};
