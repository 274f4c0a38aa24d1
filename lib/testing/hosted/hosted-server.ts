/** The program as a tool server of the engine, and what it wrote into its diary. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { SecretRef } from "@/lib/config/secret-ref";
import { testServer } from "@/lib/testing/hostile-servers/tool-server";
import type { ToolServer } from "@/lib/tools/tool-server";

export const PROGRAM = path.resolve(process.cwd(), "lib/testing/hosted/program.mjs");

export interface HostedOptions {
  env?: Record<string, string>;
  /** Goes to the program as the variable TOKEN. */
  secret?: string;
  limits?: { memory_mb?: number; start_timeout?: string; idle?: string };
}

export function hostedServer({ env = {}, secret, limits }: HostedOptions = {}): ToolServer {
  const server = testServer(undefined, {
    fields: { transport: "stdio", command: process.execPath, args: [PROGRAM], ...(limits && { limits }) },
    params: { region: "eu" },
    ...(secret !== undefined && { secretParams: { token: secret } }),
  });
  const secrets: Record<string, SecretRef> = secret === undefined ? {} : { TOKEN: SecretRef.env("token") };
  return { ...server, resolved: { ...server.resolved, env: { ...env, ...secrets } } };
}

export interface DiaryEntry {
  started?: number;
  worked?: true;
  read?: { method?: string; params?: unknown };
}

export function readDiary(file: string): DiaryEntry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as DiaryEntry);
}

/** A process that has ended and that nobody has asked about yet does not count. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
