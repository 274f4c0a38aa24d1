import type { Scope } from "@/lib/people/rules/roles";

/** What a token with this scope can do; typed by scope, so that a new one cannot be forgotten here. */
export const SCOPE_TEXT: Record<Scope, string> = {
  "runs:read": "Read runs, their steps and events",
  "runs:write": "Start, cancel and retry runs",
  "approvals:read": "See what waits for a person",
  "approvals:decide": "Approve and reject calls in your name",
  "registry:read": "Read tools and tool servers",
  "audit:read": "Read and export the audit trail",
  mcp: "Use the tools of a profile as an MCP client",
  admin: "Manage people, groups and tokens",
};

export const SCOPES = Object.keys(SCOPE_TEXT) as Scope[];
