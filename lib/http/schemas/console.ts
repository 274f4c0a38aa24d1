/**
 * What the console's own pages request. It changes with them, so it is not part of the documented API; all other rules
 * apply to it too.
 */
import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";
import { approvalIdParam } from "@/lib/http/schemas/common";

const tag = "Console";
const look = {
  path: "/live/inbox/look",
  tag,
  permission: "approvals:decide",
  body: z.strictObject({ approval_id: approvalIdParam }),
  response: z.strictObject({}),
} as const;

export const beginLook = defineOperation({
  ...look,
  id: "beginLook",
  method: "POST",
  summary: "The caller has this card on the screen",
});
export const endLook = defineOperation({
  ...look,
  id: "endLook",
  method: "DELETE",
  summary: "The caller no longer has it",
});

const foundSchema = z.strictObject({
  label: z.string(),
  detail: z.string(),
  about: z.string().optional(),
  href: z.string(),
});

export const searchConsole = defineOperation({
  id: "searchConsole",
  method: "GET",
  path: "/palette",
  tag,
  summary: "What the palette finds: calls that wait, runs, workflows, tools, people",
  permission: "runs:read",
  query: z.strictObject({ q: z.string().trim().min(1).max(200) }),
  response: z.strictObject({ groups: z.array(z.strictObject({ title: z.string(), items: z.array(foundSchema) })) }),
});
