import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { openApiDocument } from "./openapi";
import { OPERATIONS } from "./operations";

test(verifies("http:openapi", "the document passes an OpenAPI linter with its recommended rules"), async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(openApiDocument()), config });
  expect(problems.map((problem) => `${problem.ruleId}: ${problem.message} at ${problem.location[0]?.pointer}`)).toEqual(
    [],
  );
});

test(
  verifies("http:openapi", "every route file serves exactly the operations that are documented for its path"),
  () => {
    const served = routeFiles("app").flatMap((file) => {
      const urlPath = `/${path.relative("app", path.dirname(file)).replaceAll(/\[(\w+)\]/g, "{$1}")}`;
      const methods = [
        ...readFileSync(file, "utf8").matchAll(/export const (GET|POST|PUT|DELETE|PATCH) = route\(/g),
      ].map((match) => match[1]);
      expect(methods.length, `${file} exports no handler made by route()`).toBeGreaterThan(0);
      return methods.map((method) => `${method} ${urlPath}`);
    });
    expect(served.sort()).toEqual(OPERATIONS.map((operation) => `${operation.method} ${operation.path}`).sort());
  },
);

test("operation ids are unique", () => {
  expect(new Set(OPERATIONS.map((operation) => operation.id)).size).toBe(OPERATIONS.length);
});

/**
 * All but Auth.js's own, which speaks its own protocol, and the console's, which are part of its pages and may change
 * with them.
 */
function routeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (file) =>
        path.basename(file) === "route.ts" &&
        !file.startsWith(path.join("api", "auth")) &&
        !file.startsWith("(console)"),
    )
    .map((file) => path.join(folder, file));
}
