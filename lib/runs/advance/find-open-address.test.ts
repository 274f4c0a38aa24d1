import { describe, expect, test } from "vitest";
import { SecretRef } from "@/lib/config/secret-ref";
import { findOpenAddress } from "./find-open-address";

describe("what determines a webhook's address, for a project that an earlier release checked", () => {
  const params = { host: "x.example", own: SecretRef.param("own"), passed: SecretRef.env("HOOK") };
  const root = { params, env: { HOST: "x.example" }, step: { first: { host: "x.example" } } };
  const { env: _env, ...sub } = root;

  test.each([
    ["https://x.example/{{ params.host }}", null, null],
    ["https://{{ env.HOST }}/a", null, undefined],
    ["https://{{ params.host }}/a", "params.host", null],
    ["https://{{ step.first.host }}/a", "step.first.host", "step.first.host"],
    ["{{ params.own }}", "params.own", "params.own"],
    ["{{ params.passed }}", null, null],
  ])("%s", (url, inRoot, inSub) => {
    expect(findOpenAddress(url, root)).toBe(inRoot);
    if (inSub !== undefined) expect(findOpenAddress(url, sub)).toBe(inSub);
  });
});
