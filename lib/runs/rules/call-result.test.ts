import { expect, test } from "vitest";
import { toCallResult } from "./call-result";

const error = { message: "no answer" };

test("a tool's result stays as it is", () => {
  const result = {
    success: true,
    output: "a",
    content: [],
    structured_content: null,
    is_error: false,
    error: null,
    stdout: "a",
    stderr: "",
    exit_code: 0,
  };
  expect(toCallResult({ status: "succeeded", result, error: null })).toBe(result);
});

test("any other stored result becomes text and data", () => {
  const kept = { status: 200, body: { ok: true } };
  const text = JSON.stringify(kept);
  expect(toCallResult({ status: "succeeded", result: kept, error: null })).toEqual({
    success: true,
    output: text,
    content: [{ type: "text", text }],
    structured_content: kept,
    is_error: false,
    error: null,
  });
  expect(toCallResult({ status: "failed", result: kept, error })).toMatchObject({
    success: false,
    is_error: true,
    error: "no answer",
    structured_content: kept,
  });
  expect(toCallResult({ status: "succeeded", result: "plain", error: null })).toMatchObject({
    output: "plain",
    structured_content: null,
  });
});

test("a call that failed without an answer has a result that says so; one that was not sent, or has an unknown outcome, has none", () => {
  expect(toCallResult({ status: "failed", result: null, error })).toEqual({
    success: false,
    output: "no answer",
    content: [],
    structured_content: null,
    is_error: true,
    error: "no answer",
  });
  for (const status of ["rejected", "expired", "denied", "pending_approval", "outcome_unknown"] as const)
    expect(toCallResult({ status, result: null, error })).toBeNull();
  expect(toCallResult({ status: "outcome_unknown", result: { status: 502, body: "Bad gateway" }, error })).toBeNull();
});
