import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { engineDeps } from "@/lib/database/deps";
import * as engine from "@/lib/approvals/look-at-card";
import { beginLook, endLook } from "@/lib/http/schemas/console";

export const POST = route(beginLook, async ({ body, principal }) => {
  await engine.beginLook(engineDeps(), { approvalId: body.approval_id, userId: callerOf(principal).user.id });
  return { data: {} };
});

export const DELETE = route(endLook, async ({ body, principal }) => {
  await engine.endLook(engineDeps(), { approvalId: body.approval_id, userId: callerOf(principal).user.id });
  return { data: {} };
});
