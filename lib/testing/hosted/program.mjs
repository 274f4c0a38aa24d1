/**
 * A tool server over standard input and output, in plain Node and without the SDK, which does what real ones do wrong.
 * Its behaviour is set by variables: DIARY is a file to which it writes every start and every line that it reads.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { createInterface } from "node:readline";

const { DIARY, CRASH, OLD, SILENT, STUBBORN } = process.env;
const note = (entry) => DIARY && appendFileSync(DIARY, `${JSON.stringify(entry)}\n`);
note({ started: process.pid });
if (CRASH) process.exit(Number(CRASH));
if (STUBBORN) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 60_000);
}

const HOLD = "process.on('SIGTERM', () => {}); setInterval(() => {}, 60_000);";
const tools = {
  pid: () => process.pid,
  env: () => process.env,
  place: () => ({ cwd: process.cwd(), mode: statSync(".").mode & 0o777 }),
  descriptors: () =>
    readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    }),
  // Does its work, and ends before it says so.
  die: () => {
    note({ worked: true });
    process.exit(7);
  },
  say: ({ text }) => process.stderr.write(text),
  // A process of its own that does not listen to requests to end.
  spawn: () =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, ["-e", `${HOLD} console.log("ready")`], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      child.stdout.once("data", () => resolve(child.pid));
    }),
  // The memory is in a process that it starts, and it never answers.
  grow: () => {
    const text = `const kept = Buffer.alloc(400 * 1024 * 1024, 1); ${HOLD} console.log(kept.length)`;
    spawn(process.execPath, ["-e", text], { stdio: "ignore" });
    return new Promise(() => {});
  },
};

async function answer({ method, params }) {
  if (method === "initialize")
    return {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "hosted", version: "1" },
    };
  if (method === "ping") return {};
  if (method === "tools/list")
    return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) };
  if (method !== "tools/call") return null;
  const value = await tools[params.name](params.arguments ?? {});
  return { content: [{ type: "text", text: JSON.stringify(value ?? null) }] };
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  note({ read: JSON.parse(line) });
  const message = JSON.parse(line);
  if (OLD && message.method === "server/discover") process.exit(5);
  if (SILENT || message.id === undefined) return;
  const result = await answer(message);
  const body = result === null ? { error: { code: -32601, message: "Method not found" } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body })}\n`);
});
