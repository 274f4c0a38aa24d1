import path from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@": path.resolve(import.meta.dirname) } },
  test: {
    include: ["lib/**/*.test.ts", "app/**/*.test.ts", "components/**/*.test.ts", "scripts/**/*.test.ts", "docs/**/*.test.ts"],
    globalSetup: ["lib/testing/global-setup.ts"],
    // Auth.js imports Next without file endings, which Node alone does not resolve.
    server: { deps: { inline: ["next-auth"] } },
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
