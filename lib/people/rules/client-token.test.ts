import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { listGrantIssues, refuseClientToken } from "./client-token";

const PROFILES = ["coding", "support"];
const texts = (grant: Parameters<typeof listGrantIssues>[0], profiles: readonly string[] | null = PROFILES) =>
  listGrantIssues(grant, profiles).map(({ path, message }) => `${path}: ${message}`);

test(verifies("tokens:profile", "the scope mcp needs a profile that exists"), () => {
  expect(texts({ scopes: ["mcp"], profile: "coding" })).toEqual([]);
  expect(texts({ scopes: ["mcp"], profile: null })).toEqual([
    expect.stringMatching(/^profile: is missing: .*; profiles are coding, support$/),
  ]);
  expect(texts({ scopes: ["mcp"], profile: "codng" })).toEqual([
    'profile: there is no profile "codng"; profiles are coding, support',
  ]);
  expect(texts({ scopes: ["mcp"], profile: "coding" }, [])).toEqual([expect.stringContaining("the project has none")]);
  expect(texts({ scopes: ["mcp"], profile: "coding" }, null)).toEqual([expect.stringContaining("kimitsu validate")]);
});

test(verifies("tokens:profile", "the scope mcp stands alone, and every problem is told at once"), () => {
  expect(texts({ scopes: ["mcp", "approvals:decide"], profile: null })).toEqual([
    expect.stringMatching(/^scopes: mcp stands alone: .*approvals:decide/),
    expect.stringMatching(/^profile: is missing/),
  ]);
});

test("only a token with the scope mcp has a profile", () => {
  expect(texts({ scopes: ["runs:read"], profile: null }, null)).toEqual([]);
  expect(texts({ scopes: ["runs:read"], profile: "coding" })).toEqual([
    "profile: is only for tokens with the scope mcp; leave it out",
  ]);
});

test(verifies("tokens:profile", "at use a token without scope or profile is refused, with what to do"), () => {
  expect(refuseClientToken({ scopes: ["mcp"], profile: "coding" }, PROFILES)).toBeNull();
  expect(refuseClientToken({ scopes: ["runs:read"], profile: null }, PROFILES)).toMatch(
    /lacks the scope mcp; .*--profile/,
  );
  expect(refuseClientToken({ scopes: ["mcp"], profile: null }, PROFILES)).toMatch(
    /Revoke it, and make another with .*--profile/,
  );
  expect(refuseClientToken({ scopes: ["mcp"], profile: "gone" }, PROFILES)).toMatch(
    /"gone" of this token is no longer in the project/,
  );
});
