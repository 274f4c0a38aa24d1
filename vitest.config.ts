import { availableParallelism } from "node:os";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What looks at the process itself: its environment, its metrics, its tracing. */
const APART = [
  "lib/cli/**/*.test.ts",
  "lib/telemetry/**/*.test.ts",
  "app/metrics/**/*.test.ts",
  "lib/database/upgrade.db.test.ts",
];

/**
 * It lasts a minute on any machine and mostly waits: begun last it would be waited for, begun first the others run
 * beside it.
 */
const FIRST = path.resolve(import.meta.dirname, "lib/runs/worker/chaos.db.test.ts");

class LongestWaitFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter(({ moduleId }) => moduleId === FIRST),
      ...sorted.filter(({ moduleId }) => moduleId !== FIRST),
    ];
  }
}

export default defineConfig({
  resolve: { alias: { "@": path.resolve(import.meta.dirname) } },
  test: {
    globalSetup: ["lib/testing/global-setup.ts"],
    // Auth.js imports Next without file endings, which Node alone does not resolve.
    server: { deps: { inline: ["next-auth"] } },
    pool: "forks",
    sequence: { sequencer: LongestWaitFirst },
    // Tests of crashes and takeovers mostly wait, so that there is work for one process more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // Ends what hangs, and judges nothing; a wait inside of a test ends sooner and says for what it waited.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    projects: [
      {
        extends: true,
        test: {
          // These share processes, and so what is loaded there, which takes longer than most of them; each has a
          // database and servers of its own.
          name: "together",
          isolate: false,
          include: [
            "lib/**/*.test.ts",
            "app/**/*.test.ts",
            "components/**/*.test.ts",
            "scripts/**/*.test.ts",
            "docs/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...APART],
        },
      },
      { extends: true, test: { name: "apart", include: APART } },
    ],
  },
});
