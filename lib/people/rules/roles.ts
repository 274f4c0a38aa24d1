/** Who may do what. A role includes all that the roles before it may do; a token is further limited to its scopes. */

export const ROLES = ["viewer", "reviewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = [
  "runs:read",
  "runs:write",
  "approvals:read",
  "approvals:decide",
  "registry:read",
  "audit:read",
  "mcp",
  "admin",
] as const;
export type Scope = (typeof SCOPES)[number];

const FIRST_ROLE_WITH: Record<Scope, Role> = {
  "runs:read": "viewer",
  "approvals:read": "viewer",
  "registry:read": "viewer",
  "approvals:decide": "reviewer",
  "runs:write": "operator",
  mcp: "operator",
  "audit:read": "operator",
  admin: "admin",
};

export function roleAllows(role: Role, scope: Scope): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(FIRST_ROLE_WITH[scope]);
}

/** All that one token can have: `mcp` needs a token of its own (client-token.ts). */
export function scopesOf(role: Role): Scope[] {
  return SCOPES.filter((scope) => scope !== "mcp" && roleAllows(role, scope));
}
