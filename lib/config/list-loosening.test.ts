import { describe, expect, it } from "vitest";
import { listLoosening } from "./list-loosening";

describe("loosening is refused at boot", () => {
  const check = (project: object, agent: object) => listLoosening(project, agent).map((found) => found.path.join("."));

  it.each([
    [{ mode: "strict" }, { mode: "default" }, ["mode"]],
    [{ mode: "default" }, { mode: "bypass" }, ["mode"]],
    [{ ask_from: "low" }, { ask_from: "high" }, ["ask_from"]],
    [{ budget_usd: 1 }, { budget_usd: 2 }, ["budget_usd"]],
    [{ self_approval: false }, { self_approval: true }, ["self_approval"]],
    [{ self_approval: true }, { self_approval: false }, []],
    [{ allow: ["read-*"] }, { allow: ["read-all", "write-*"] }, ["allow.1"]],
    [{ allow: ["read-a"] }, { allow: ["read-*"] }, ["allow.0"]],
    [
      { mode: "bypass", ask_from: "high", budget_usd: 2, allow: ["*"] },
      { mode: "plan", ask_from: "low", budget_usd: 1, allow: ["read-*"] },
      [],
    ],
    [{ mode: "plan" }, { mode: "strict" }, []],
    [{}, { mode: "bypass", ask_from: "critical", allow: ["*"] }, []],
  ])("%o against %o", (project, agent, paths) => expect(check(project, agent)).toEqual(paths));
});
