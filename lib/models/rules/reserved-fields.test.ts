import { describe, expect, test } from "vitest";
import { readReserved, type ReservedContext } from "@/lib/models/rules/reserved-fields";

const context: ReservedContext = { confidenceThreshold: 0.5, canReflect: false, reviewed: false };

describe("reserved fields", () => {
  /** In the order in which they are read: each takes precedence over all after it. */
  const ORDER: [Record<string, unknown>, object][] = [
    [{ ktsu_injection_attempt: true }, { kind: "fail_run", code: "injection_attempt" }],
    [{ ktsu_untrusted_content: true }, { kind: "fail_step", code: "untrusted_content" }],
    [{ ktsu_low_quality: true }, { kind: "fail_step", code: "low_quality" }],
    [{ ktsu_needs_human: true }, { kind: "needs_human" }],
    [{ ktsu_confidence: 0.1 }, { kind: "fail_step", code: "low_confidence" }],
    [{ ktsu_skip_reason: "none" }, { kind: "skip", reason: "none" }],
  ];
  test.each(ORDER.map(([field, verdict], index) => [Object.keys(field)[0]!, index, verdict] as const))(
    "%s takes precedence over every field after it",
    (_name, index, verdict) => {
      const answer = Object.assign({}, ...ORDER.slice(index).map(([field]) => field)) as Record<string, unknown>;
      expect(readReserved(answer, context).verdict).toMatchObject(verdict);
    },
  );

  test("all are taken out, also those that are not known", () => {
    const { output, notes, verdict } = readReserved(
      { a: 1, ktsu_flags: ["x"], ktsu_rationale: "y", ktsu_other: 2, ktsu_confidence: 0.9 },
      context,
    );
    expect(output).toEqual({ a: 1 });
    expect(notes).toEqual({ flags: ["x"], rationale: "y", confidence: 0.9 });
    expect(verdict).toEqual({ kind: "accept" });
  });

  test("false, null and empty have no effect", () => {
    expect(
      readReserved({ ktsu_injection_attempt: false, ktsu_needs_human: null, ktsu_skip_reason: "" }, context).verdict,
    ).toEqual({ kind: "accept" });
  });

  test("confidence counts only against a threshold, equal is enough, and reflection comes before failure", () => {
    expect(readReserved({ ktsu_confidence: 0.1 }, { ...context, confidenceThreshold: null }).verdict).toEqual({
      kind: "accept",
    });
    expect(readReserved({ ktsu_confidence: 0.5 }, context).verdict).toEqual({ kind: "accept" });
    expect(readReserved({ ktsu_confidence: 0.1 }, { ...context, canReflect: true }).verdict).toEqual({
      kind: "reflect",
      confidence: 0.1,
    });
  });

  test("an answer that a person has accepted is not reviewed again, and the other fields still apply", () => {
    expect(readReserved({ ktsu_needs_human: true }, { ...context, reviewed: true }).verdict).toEqual({
      kind: "accept",
    });
    expect(
      readReserved({ ktsu_needs_human: true, ktsu_confidence: 0 }, { ...context, reviewed: true }).verdict,
    ).toMatchObject({ code: "low_confidence" });
  });
});
