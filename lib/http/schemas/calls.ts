import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";
import { callIdParam } from "@/lib/http/schemas/common";

export const settleCall = defineOperation({
  id: "settleCall",
  method: "POST",
  path: "/calls/{callId}/settle",
  tag: "Calls",
  summary: "Say what became of a call whose outcome is unknown",
  description: "`happened`: it counts as done, with this result. `did_not_happen`: it is sent now. `failed`: it counts as failed. 409 for a call in any other state. `pending_settlements` of a run's envelope has these calls.",
  permission: "runs:write",
  params: z.strictObject({ callId: callIdParam }),
  body: z
    .strictObject({
      outcome: z.enum(["happened", "did_not_happen", "failed"]),
      result: z.unknown().optional().describe("What came of it, as the agent shall see it; only with `happened`"),
      comment: z.string().trim().max(4_000).optional().describe("Why, or how it is known; kept with who said it"),
    })
    .refine((body) => body.result === undefined || body.outcome === "happened", { path: ["result"], message: "can only be given for a call that happened" })
    .meta({ id: "SettleCall" }),
  response: z.strictObject({ call_id: z.string(), run_id: z.string(), status: z.string() }).meta({ id: "SettledCall" }),
});
