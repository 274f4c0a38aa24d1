import { expect, test } from "vitest";
import type { Project } from "@/lib/config/project";
import { mayAcceptOwn } from "./may-accept-own";

type Said = boolean | undefined;
const permissions = (said: Said) => (said === undefined ? {} : { permissions: { self_approval: said } });
const project = (policy: Said, own: Said, caller: Said) =>
  ({
    policy: permissions(policy),
    agents: { own: { definition: permissions(own) }, caller: { definition: permissions(caller) } },
  }) as unknown as Pick<Project, "agents" | "policy">;

test.each<[Said, Said, Said, boolean]>([
  [undefined, undefined, undefined, false],
  [undefined, true, undefined, true],
  [undefined, undefined, true, false],
  [undefined, true, false, false],
  [true, undefined, undefined, true],
  [true, false, undefined, false],
  [true, true, false, false],
  [false, true, true, false],
])("policy.yaml %s, the agent %s, the one that called it %s: %s", (policy, own, caller, expected) => {
  expect(mayAcceptOwn(project(policy, own, caller), ["own", "caller"])).toBe(expected);
});

test("an agent that the project does not have, or that nobody named, states nothing", () => {
  expect(mayAcceptOwn(project(undefined, true, undefined), ["gone"])).toBe(false);
  expect(mayAcceptOwn(project(undefined, true, undefined), ["constructor"])).toBe(false);
  expect(mayAcceptOwn(project(undefined, true, undefined), [])).toBe(false);
});
