import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { joinNames } from "./join-names";

export interface Outcome {
  tone: "failed" | "done" | "note";
  title: string;
  /** When it ended, where the title ends with a time. */
  at: string | null;
  detail: string | null;
  /** The call is in progress: more will follow by itself. */
  isMoving: boolean;
}

type Facts = Pick<ApprovalCard, "status" | "approvals" | "minApprovals" | "decidedAt" | "cancelledBy"> & {
  decisions: readonly Pick<ApprovalCard["decisions"][number], "by" | "verdict" | "reason">[];
  call: Pick<ApprovalCard["call"], "status" | "isError" | "problem">;
};

/** How an approval ended, with a distinct text for each case. Null while it waits. */
export function describeOutcome({ status, decisions, decidedAt, cancelledBy, call }: Facts): Outcome | null {
  const said = decisions.filter(({ verdict }) => verdict === status);
  const by = said.length > 0 ? ` by ${joinNames(said.map((decision) => decision.by))}` : "";
  const reason = said.at(-1)?.reason;
  switch (status) {
    case "pending":
      return null;
    case "rejected":
      return {
        tone: "note",
        title: `Rejected${by}`,
        at: null,
        detail: `${reason ? `${quote(reason)} ` : ""}It was never sent.`,
        isMoving: false,
      };
    case "expired":
      return {
        tone: "note",
        title: "Expired",
        at: decidedAt,
        detail: "Nobody decided in time. It was never sent.",
        isMoving: false,
      };
    case "cancelled":
      return {
        tone: "note",
        title: "Withdrawn",
        at: decidedAt,
        detail: `${cancelledBy === null ? "Its run ended" : `${cancelledBy} cancelled its run`} before anyone decided. It was never sent.`,
        isMoving: false,
      };
    case "approved":
      return { at: null, ...afterApproval(call, by) };
  }
}

/** A reason that ends with punctuation needs no second stop. */
const quote = (reason: string): string => `“${reason}”${/[.!?…]$/.test(reason) ? "" : "."}`;

function afterApproval(call: Facts["call"], by: string): Omit<Outcome, "at"> {
  switch (call.status) {
    case "approved":
      return {
        tone: "note",
        title: `Approved${by}`,
        detail: call.problem ?? "It is sent next, unless all calls are paused.",
        isMoving: true,
      };
    case "executing":
      return {
        tone: "note",
        title: `Approved${by}; executing now`,
        detail: "It was sent; the answer is awaited.",
        isMoving: true,
      };
    case "succeeded":
      return { tone: "done", title: `Approved${by}, and done`, detail: null, isMoving: false };
    case "failed":
      return { tone: "failed", title: `Approved${by}, but the call failed`, detail: call.problem, isMoving: false };
    case "outcome_unknown":
      return {
        tone: "failed",
        title: `Approved${by} and sent; what came of it is unknown`,
        detail: `${call.problem ? `${call.problem} ` : ""}An operator settles it on the run’s page.`,
        isMoving: false,
      };
    case "pending_approval":
      return {
        tone: "note",
        title: `Approved${by}, then asked anew`,
        detail:
          "What was approved is no longer what would run, so it waits in the inbox as a new question. It was not sent.",
        isMoving: false,
      };
    case "cancelled":
      return {
        tone: "note",
        title: `Approved${by}, but withdrawn`,
        detail: "Its run ended first. It was never sent.",
        isMoving: false,
      };
    default:
      return {
        tone: "failed",
        title: `Approved${by}, but refused before it was sent`,
        detail: call.problem,
        isMoving: false,
      };
  }
}
