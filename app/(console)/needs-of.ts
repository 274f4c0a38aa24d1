import type { Needs } from "@/components/shell/needs";
import { can, type Principal } from "@/lib/people/session/principal";
import { countNeeds, type NeedCounts } from "@/lib/runs/queries/needs";
import { engineDeps } from "@/lib/database/deps";

/** Of what runs need from people, that which this person may do: a number that one cannot act on is noise. */
export function needsOf(caller: Principal, { review, settle, either }: NeedCounts): Needs {
  if (can(caller, "approvals:decide") && can(caller, "runs:write")) return { review, settle, either };
  if (can(caller, "approvals:decide")) return { review, settle: 0, either: review };
  return can(caller, "runs:write") ? { review: 0, settle, either: settle } : { review: 0, settle: 0, either: 0 };
}

/** Not queried for people who may do none of it. */
export async function loadNeeds(caller: Principal): Promise<Needs> {
  const none = { review: 0, settle: 0, either: 0 };
  return can(caller, "approvals:decide") || can(caller, "runs:write")
    ? needsOf(caller, await countNeeds(engineDeps().db))
    : none;
}
