/** A program that decides approvals for one person, as a web process would: one after the other, each outcome told on a line. */
import { decideApproval, type DecidedBy } from "@/lib/engine/decide-approval";
import { openRuntime } from "@/lib/engine/runtime";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { db } from "@/lib/store/client";
import { openWakeLine } from "@/lib/store/wake-line";

export interface Errand {
  by: DecidedBy;
  decisions: { approvalId: string; verdict: "approved" | "rejected" }[];
}

export interface ErrandOutcome {
  approvalId: string;
  /** 200, or that of the refusal. */
  status: number;
  message: string;
}

const { by, decisions } = JSON.parse(process.argv[2] ?? "{}") as Errand;
const line = openWakeLine(env.DATABASE_URL ?? "", createId("worker"), () => undefined);
const runtime = await openRuntime((runId) => line.call(runId));
for (const wish of decisions) {
  const outcome = await decideApproval(runtime, by, wish).then(
    () => ({ status: 200, message: "" }),
    (error: unknown) => {
      if (!(error instanceof KimitsuError)) throw error;
      return { status: error.httpStatus, message: error.message };
    },
  );
  process.stdout.write(`${JSON.stringify({ approvalId: wish.approvalId, ...outcome } satisfies ErrandOutcome)}\n`);
}
await line.close();
await runtime.close();
await db().$disconnect();
process.disconnect?.();
