import { expect, test } from "vitest";
import { DECIDING_ROLES } from "@/lib/config/policy-schema";
import { ROLES, roleAllows, SCOPES, scopesOf } from "./roles";

test("each role may do exactly what its row says", () => {
  expect(Object.fromEntries(ROLES.map((role) => [role, SCOPES.filter((scope) => roleAllows(role, scope))]))).toEqual({
    viewer: ["runs:read", "approvals:read", "registry:read"],
    reviewer: ["runs:read", "approvals:read", "approvals:decide", "registry:read"],
    operator: ["runs:read", "runs:write", "approvals:read", "approvals:decide", "registry:read", "audit:read", "mcp"],
    admin: [...SCOPES],
  });
});

test("a token of all scopes leaves out mcp, which needs one of its own", () => {
  expect(scopesOf("admin")).toEqual(SCOPES.filter((scope) => scope !== "mcp"));
  expect(scopesOf("viewer")).toEqual(["runs:read", "approvals:read", "registry:read"]);
});

test("a role can do everything that a lower role can", () => {
  for (const scope of SCOPES) {
    const allowed = ROLES.map((role) => roleAllows(role, scope));
    expect(allowed).toEqual([...allowed].sort((a, b) => Number(a) - Number(b)));
  }
});

test("a rule in a file can name exactly the roles that may decide", () => {
  expect(DECIDING_ROLES).toEqual(ROLES.filter((role) => roleAllows(role, "approvals:decide")));
});
