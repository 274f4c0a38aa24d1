import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureDataFolder, ensureSecrets, readSecrets } from "./data-folder.mjs";

let parent: string;
let folder: string;

beforeEach(() => {
  parent = mkdtempSync(path.join(os.tmpdir(), "kimitsu-data-"));
  folder = path.join(parent, "data");
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const modeOf = (file: string) => statSync(file).mode & 0o777;

test("nobody but the owner can read the folder or the secrets", () => {
  ensureSecrets(ensureDataFolder(folder));
  expect(modeOf(folder)).toBe(0o700);
  expect(modeOf(path.join(folder, "secrets.json"))).toBe(0o600);
  chmodSync(folder, 0o777);
  ensureDataFolder(folder);
  expect(modeOf(folder) & 0o067).toBe(0);
});

test("secrets are made once and are long", () => {
  const secrets = ensureSecrets(ensureDataFolder(folder));
  expect(Buffer.from(secrets.authSecret, "base64url").length).toBeGreaterThanOrEqual(32);
  expect(ensureSecrets(folder)).toEqual(secrets);
  expect(readdirSync(folder)).toEqual(["secrets.json"]);
});

test("processes that start at the same moment get the same secrets", async () => {
  const module = path.join(import.meta.dirname, "data-folder.mjs");
  const code = `const { ensureDataFolder, ensureSecrets } = await import(${JSON.stringify(module)}); console.log(JSON.stringify(ensureSecrets(ensureDataFolder(${JSON.stringify(folder)}))));`;
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", code])),
  );
  expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
});

test("damaged secrets are refused, not replaced: the database could no longer be opened", () => {
  ensureDataFolder(folder);
  writeFileSync(path.join(folder, "secrets.json"), '{"authSecret": "short"}');
  expect(() => ensureSecrets(folder)).toThrow(/secrets\.json is damaged/);
});

test("no secrets is not an error for those who only read", () => {
  expect(readSecrets(folder)).toBeNull();
});

test("a data folder that cannot be made is named, with what to do", () => {
  writeFileSync(path.join(parent, "file"), "");
  expect(() => ensureDataFolder(path.join(parent, "file", "data"))).toThrow(/cannot be used.*[\s\S]*KIMITSU_DATA/);
});
