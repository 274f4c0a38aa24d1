/** What the system knows about processes, read from /proc. Where there is none (macOS, Windows) it knows nothing. */
import { readdir, readFile } from "node:fs/promises";

interface ProcessEntry {
  pid: number;
  group: number;
  session: number;
}

/** Every process that the one with this id started, unless it left both its group and its session. */
export async function listMembers(leader: number): Promise<number[]> {
  const entries = await readTable();
  return entries.filter(({ group, session }) => group === leader || session === leader).map(({ pid }) => pid);
}

/** Bytes of memory of each leader with all its processes. Memory that they share counts for each of them. */
export async function sumMemory(leaders: ReadonlySet<number>): Promise<Map<number, number>> {
  const sums = new Map<number, number>();
  for (const { pid, group, session } of await readTable()) {
    const leader = leaders.has(session) ? session : leaders.has(group) ? group : null;
    if (leader !== null) sums.set(leader, (sums.get(leader) ?? 0) + (await readMemory(pid)));
  }
  return sums;
}

async function readTable(): Promise<ProcessEntry[]> {
  const names = await readdir("/proc").catch(() => []);
  const entries: ProcessEntry[] = [];
  for (const name of names) {
    if (!/^[0-9]+$/.test(name)) continue;
    const text = await readProc(`/proc/${name}/stat`);
    // A program's name is in brackets, and may hold spaces and brackets itself.
    const [, , group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (session !== undefined) entries.push({ pid: Number(name), group: Number(group), session: Number(session) });
  }
  return entries;
}

async function readMemory(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+([0-9]+) kB$/m.exec(await readProc(`/proc/${pid}/status`)) ?? [];
  return kilobytes === undefined ? 0 : Number(kilobytes) * 1024;
}

/** A process may end while it is read. */
const readProc = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
