/** How much memory each process uses over time, as reported by the system. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface WatchedProcess {
  name: string;
  pid: number;
  /** With its children, and without what they share: for Postgres, a process for each connection. */
  withChildren?: boolean;
}

export interface MemoryReport {
  name: string;
  /** Medians of the first tenth, the tenth in the middle and the last one. */
  startMb: number;
  middleMb: number;
  endMb: number;
  /** The slope of the line through all but the first fifth, in which caches fill. */
  mbPerMinute: number;
}

const EVERY_MS = 1_000;

export function watchMemory(processes: readonly WatchedProcess[]) {
  const startedAt = performance.now();
  const samples: { minute: number; mb: (number | null)[] }[] = [];
  const look = () => void samples.push({ minute: (performance.now() - startedAt) / 60_000, mb: processes.map(readMb) });
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    end(): MemoryReport[] {
      clearInterval(timer);
      look();
      return processes.flatMap(({ name }, index) => {
        const own = samples.flatMap(({ minute, mb }) =>
          typeof mb[index] === "number" ? [{ minute, mb: mb[index] }] : [],
        );
        return own.length === 0 ? [] : [{ name, ...describe(own) }];
      });
    },
  };
}

function describe(samples: { minute: number; mb: number }[]): Omit<MemoryReport, "name"> {
  const part = (from: number, to: number) =>
    samples.slice(Math.floor(samples.length * from), Math.max(Math.ceil(samples.length * to), 1));
  const median = (chosen: { mb: number }[]) =>
    chosen.map(({ mb }) => mb).toSorted((a, b) => a - b)[Math.floor(chosen.length / 2)] ?? 0;
  return {
    startMb: median(part(0, 0.1)),
    middleMb: median(part(0.45, 0.55)),
    endMb: median(part(0.9, 1)),
    mbPerMinute: slope(part(0.2, 1)),
  };
}

function slope(samples: { minute: number; mb: number }[]): number {
  const mean = (of: (sample: { minute: number; mb: number }) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [minute, mb] = [mean((sample) => sample.minute), mean((sample) => sample.mb)];
  const spread = mean((sample) => (sample.minute - minute) ** 2);
  return spread === 0 ? 0 : mean((sample) => (sample.minute - minute) * (sample.mb - mb)) / spread;
}

export function readMb({ pid, withChildren }: WatchedProcess): number | null {
  if (process.platform !== "linux")
    return withChildren ? null : toMb(spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).stdout);
  if (!withChildren) return field(pid, "VmRSS");
  const family = [pid, ...childrenOf(pid)];
  return family.reduce((sum, each) => sum + (field(each, "RssAnon") ?? 0), 0);
}

const toMb = (kilobytes: string | undefined): number | null => (kilobytes?.trim() ? Number(kilobytes) / 1024 : null);

function field(pid: number, name: string): number | null {
  try {
    return toMb(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return null;
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) === parent;
    } catch {
      return false;
    }
  });
}
