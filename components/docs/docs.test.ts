import { describe, expect, it } from "vitest";
import type { ApiDocument, ApiOperation } from "./api-document";
import { curlExample, exampleOf } from "./curl-example";
import { describeLimits, describeType } from "./describe-type";
import { listOperations } from "./list-operations";

const operation = (id: string, tag: string, rest: Partial<ApiOperation> = {}): ApiOperation => ({
  operationId: id,
  tags: [tag],
  responses: {},
  ...rest,
});

describe("the list of operations", () => {
  it("groups by tag in the document's order and leaves out tags without operations", () => {
    const document: ApiDocument = {
      info: { title: "", version: "" },
      tags: [{ name: "Runs" }, { name: "Empty" }, { name: "Audit" }],
      paths: {
        "/audit-log": { get: operation("a", "Audit") },
        "/runs": { get: operation("b", "Runs"), post: operation("c", "Runs") },
      },
    };
    expect(
      listOperations(document).map((group) => [
        group.name,
        group.operations.map(({ method, path }) => `${method} ${path}`),
      ]),
    ).toEqual([
      ["Runs", ["GET /runs", "POST /runs"]],
      ["Audit", ["GET /audit-log"]],
    ]);
  });
});

describe("a type in words", () => {
  it.each([
    [{ type: "string", format: "date-time" }, "string, date-time"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ type: ["integer", "null"] }, "integer or null"],
    [{ type: "array", items: { $ref: "#/components/schemas/Run" } }, "array of Run"],
    [{ enum: ["a", "b"] }, '"a" or "b"'],
    [{}, "anything"],
  ])("%j reads as %s", (schema, words) => expect(describeType(schema)).toBe(words));

  it("names bounds and the default, and no bound that every number keeps", () => {
    expect(describeLimits({ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 50 })).toEqual([
      "at least 1",
      "default 50",
    ]);
  });
});

describe("the example", () => {
  const schemas = {
    Node: {
      type: "object",
      required: ["next", "name"],
      properties: { next: { $ref: "#/components/schemas/Node" }, name: { type: "string" } },
    },
  };

  it("ends for a schema that holds itself", () => {
    expect(JSON.stringify(exampleOf({ $ref: "#/components/schemas/Node" }, schemas)).length).toBeLessThan(200);
  });

  it("fills the path, sends a token only where one is needed, and quotes the body for a shell", () => {
    const listed = {
      method: "POST",
      path: "/runs/{id}/reject",
      operation: operation("r", "Runs", {
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", required: ["reason"], properties: { reason: { const: "it's" } } },
            },
          },
        },
      }),
    };
    expect(curlExample(listed, {}, "http://localhost:3000")).toBe(
      `curl -X POST 'http://localhost:3000/runs/ID/reject' \\\n  -H 'Authorization: Bearer TOKEN' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"reason":"it'\\''s"}'`,
    );
    const open = {
      method: "GET",
      path: "/healthz",
      operation: operation("h", "Operations", { "x-permission": "public" }),
    };
    expect(curlExample(open, {}, "http://localhost:3000")).toBe("curl 'http://localhost:3000/healthz'");
  });
});
