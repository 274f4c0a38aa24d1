import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";
import { pageQuery } from "@/lib/http/schemas/common";

const filter = {
  chain: z.string().max(64).optional().describe("A run's id, or `system` for what belongs to no run"),
  type: z.string().max(64).optional().describe("A type such as `user.created`, or its noun, such as `user`"),
  actor: z
    .string()
    .max(64)
    .optional()
    .describe("The id of a person, token or agent, or a part of a person's or token's name or e-mail address"),
  from: z.iso.datetime({ offset: true }).optional().describe("From this time on, ISO 8601"),
  to: z.iso.datetime({ offset: true }).optional().describe("Before this time, ISO 8601"),
};

export const trailEventSchema = z
  .strictObject({
    id: z.string(),
    chain_id: z.string(),
    seq: z.int(),
    type: z.string(),
    at: z.iso.datetime(),
    actor: z.strictObject({ kind: z.enum(["user", "token", "agent", "system"]), id: z.string(), name: z.string() }),
    body: z.unknown().describe("The event as it was sealed; digests and redacted values only"),
    hash: z.string(),
  })
  .meta({ id: "TrailEvent" });

export const listAuditLog = defineOperation({
  id: "listAuditLog",
  method: "GET",
  path: "/audit-log",
  tag: "Audit",
  summary: "The audit trail, newest first",
  permission: "audit:read",
  query: z.strictObject({ ...filter, ...pageQuery("event") }),
  response: z
    .strictObject({ items: z.array(trailEventSchema), next_cursor: z.string().nullable() })
    .meta({ id: "AuditLogPage" }),
});

export const exportAuditLog = defineOperation({
  id: "exportAuditLog",
  method: "GET",
  path: "/audit-log/export",
  tag: "Audit",
  summary: "The audit trail as JSON lines, oldest first",
  description:
    "One event a line, in the form of `TrailEvent`. Streams, so it can be of any length. A person has at most two exports under way; the next one is answered with 429.",
  permission: "audit:read",
  query: z.strictObject(filter),
  response: "application/jsonl",
});
