/** Runs after every `npm install`: generates the Prisma client and makes `npx kimitsu` work in the project folder. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { markInstalled } from "./install.mjs";
import { PlainError, reportFailure } from "./plain-error.mjs";
import { applicationNode, ROOT } from "./runtime.mjs";

function generateClient() {
  if (!existsSync(path.join(ROOT, "prisma/schema.prisma"))) return;
  const result = spawnSync(applicationNode(), [path.join(ROOT, "node_modules/prisma/build/index.js"), "generate"], {
    cwd: ROOT,
    encoding: "utf8",
    env: {
      ...process.env,
      // Without this, every command of the Prisma CLI begins with a download, even `generate`, which needs no engine.
      PRISMA_SCHEMA_ENGINE_BINARY: path.join(ROOT, "scripts/postgres/no-schema-engine.mjs"),
      PRISMA_HIDE_UPDATE_MESSAGE: "1",
      CHECKPOINT_DISABLE: "1",
    },
  });
  if (result.status !== 0)
    throw new PlainError(
      `The Prisma client could not be generated:\n${result.error?.message ?? `${result.stdout}${result.stderr}`.trim()}`,
    );
}

/** npm links the commands of dependencies, not the project's own; without the link npx may ask the registry. */
function linkCommand() {
  const bin = path.join(ROOT, "node_modules/.bin");
  const target = path.join(ROOT, "scripts/kimitsu.mjs");
  if (!existsSync(target)) return;
  mkdirSync(bin, { recursive: true });
  if (process.platform === "win32") {
    writeFileSync(path.join(bin, "kimitsu.cmd"), '@node "%~dp0\\..\\..\\scripts\\kimitsu.mjs" %*\r\n');
    return;
  }
  const link = path.join(bin, "kimitsu");
  rmSync(link, { force: true });
  symlinkSync(path.relative(bin, target), link);
  chmodSync(target, 0o755);
}

try {
  generateClient();
  linkCommand();
  markInstalled();
} catch (error) {
  process.exitCode = reportFailure(error);
}
