import { expect, test } from "vitest";
import { findMisplaced, isOperation } from "@/lib/http/find-path";
import { OPERATIONS } from "@/lib/http/operations";

test.each(OPERATIONS.map(({ method, path }) => [method, path] as const))(
  "%s %s is known at its address",
  (method, path) => {
    expect(findMisplaced(method, path.replaceAll(/\{\w+\}/g, "some-id"))).toBeNull();
  },
);

test.each(OPERATIONS.map(({ method, path }) => [method, path] as const))("%s %s is an operation", (method, path) => {
  expect(isOperation(method, path.replaceAll(/\{\w+\}/g, "some-id"))).toBe(true);
});

test.each([
  ["GET", "/runs/run_1/cancel"],
  ["OPTIONS", "/runs"],
  ["POST", "/runs/"],
  ["GET", "/inbox"],
  ["GET", "/approvals/.."],
  ["GET", "/approvals/%2e%2e"],
  ["GET", "/runs\\..\\inbox"],
  ["GET", "//runs"],
  ["GET", "http://elsewhere/runs"],
])("%s %s is no operation", (method, path) => {
  expect(isOperation(method, path)).toBe(false);
});

test("HEAD is answered where GET is", () => {
  expect([isOperation("HEAD", "/runs"), isOperation("HEAD", "/runs/run_1/cancel")]).toEqual([true, false]);
});

test("unknown addresses are distinguished from known ones with another method", () => {
  expect(findMisplaced("POST", "/approvals/apr_1/approve")).toMatchObject({
    status: 404,
    code: "not_found",
    message: "The API has nothing at /approvals/apr_1/approve. What it has is listed at /openapi.json.",
  });
  expect(findMisplaced("GET", "/runs/run_1/cancel")).toMatchObject({
    status: 405,
    code: "method_not_allowed",
    message: "The API does not answer GET at /runs/run_1/cancel, but POST.",
    allow: ["POST"],
  });
  expect(findMisplaced("PUT", "/runs")).toMatchObject({ status: 405, allow: ["POST", "GET"] });
  expect(findMisplaced("HEAD", "/runs")).toBeNull();
});

test.each([
  ["GET", "/inbox"],
  ["POST", "/settings/people"],
  ["GET", "/history/run_1"],
  ["GET", "/"],
  ["OPTIONS", "/runs/nothing/here"],
])("%s %s is left to others", (method, path) => {
  expect(findMisplaced(method, path)).toBeNull();
});
