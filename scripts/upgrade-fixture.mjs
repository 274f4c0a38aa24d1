#!/usr/bin/env node
/**
 * Makes lib/database/fixtures/first-schema.sql again, from which `npm test` tests upgrades. Only until that schema is
 * released: afterwards the file must match released databases.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { applicationNode, ROOT } from "./runtime.mjs";

const child = spawn(
  applicationNode(),
  [path.join(ROOT, "scripts/test.mjs"), "unit", "lib/database/upgrade.db.test.ts"],
  { cwd: ROOT, env: { ...process.env, UPGRADE_FIXTURE: "write" }, stdio: "inherit" },
);
child.once("close", (code) => (process.exitCode = code ?? 1));
