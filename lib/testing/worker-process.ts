/**
 * Real worker and web processes on one database and one project, and functions for people in the test's own process,
 * which advances nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { scopesOf } from "@/lib/people/rules/roles";
import { createToken } from "@/lib/people/create-token";
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import type { Runtime } from "@/lib/runs/runtime";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { isDatabaseAway } from "@/lib/database/database-away";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { buildUser } from "@/lib/testing/builders";
import { type ChildProgram, startChildProgram } from "@/lib/testing/child-program";
import type { TestDatabase } from "@/lib/testing/database";
import { HANG_MS } from "@/lib/testing/hang";
import { listenForPauses, type PauseListener } from "@/lib/testing/pause-points";
import { openRunBench } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";

export interface WorkerProcess extends ChildProgram {
  /** As in the leases of its runs. */
  readonly ownerId: string;
}

export interface WebProcess extends WorkerProcess {
  /** Requests as the person of this token. Rejects when no answer comes, or none before the signal. */
  post(
    path: string,
    token: string,
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: { run_id?: string; error?: { message: string } } }>;
}

export interface Fleet {
  /** With the real time, and a channel on which the workers are notified of what people did. */
  deps: Runtime;
  pauses: PauseListener;
  env: Record<string, string>;
  /** Resolves when the worker is registered. `more` adds to its environment. */
  startWorker(more?: Record<string, string>): Promise<WorkerProcess>;
  /** Resolves when it listens. It advances this many runs at a time, none by default. */
  startWeb(options?: { runs?: number }): Promise<WebProcess>;
  person(name: string): Promise<DecidedBy>;
  /** A token with all of the person's scopes. */
  tokenOf(person: DecidedBy): Promise<string>;
  /** Ends every process by force. Call it while the database still runs. */
  close(): Promise<void>;
}

export async function openFleet(database: TestDatabase, files: Record<string, string>): Promise<Fleet> {
  const { deps: bench } = await openRunBench(database, files);
  const pauses = await listenForPauses();
  const data = mkdtempSync(path.join(os.tmpdir(), "kimitsu-fleet-"));
  const channel = openWakeChannel(database.url, createId("worker"), () => undefined);
  const deps: Runtime = { ...bench, now: () => new Date(), wake: (runId) => channel.call(runId) };
  const children: ChildProgram[] = [];
  const environment = {
    KIMITSU_PROJECT: bench.projects.current().project.root,
    KIMITSU_DATA: data,
    DATABASE_URL: database.url,
    AUTH_SECRET: env.AUTH_SECRET ?? "",
    KIMITSU_ALLOW_HOSTS: "127.0.0.1",
    LOG_LEVEL: "fatal",
    ...pauses.env,
  };
  return {
    deps,
    pauses,
    env: environment,
    startWorker: async (more = {}) => {
      const child = await startChildProgram("lib/runs/worker/main.ts", { env: { ...environment, ...more } });
      children.push(child);
      // One that was not seen to start is ended: a second attempt would otherwise leave two.
      const ownerId = await untilListed(deps, child).catch(async (error: unknown) => {
        await child.stop("SIGKILL");
        throw error;
      });
      return Object.assign(child, { ownerId });
    },
    startWeb: async ({ runs = 0 } = {}) => {
      const child = await startChildProgram("lib/testing/web-process.ts", {
        env: { ...environment, KIMITSU_WORKERS: String(runs) },
      });
      children.push(child);
      const [url, ownerId] = await untilServing(child);
      return Object.assign(child, {
        ownerId,
        post: async (address: string, token: string, body: unknown, headers = {}, signal?: AbortSignal) => {
          const answer = await fetch(url + address, {
            method: "POST",
            ...(signal && { signal }),
            headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
            body: JSON.stringify(body),
          });
          return { status: answer.status, body: await answer.json() };
        },
      });
    },
    person: async (name) => {
      const operator = await buildUser(deps, "operator", { name });
      return { userId: operator.id, role: "operator", groups: [], actor: operator.actor, tokenId: null };
    },
    tokenOf: async ({ userId, role, actor }) =>
      (await createToken(deps, actor, { name: "All", userId, scopes: scopesOf(role) })).token,
    close: async () => {
      await Promise.all(children.map((child) => child.stop("SIGKILL")));
      await channel.close();
      await pauses.close();
      await bench.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** A silent one is ended: a second attempt would otherwise leave two, and without one the test would wait for ever. */
async function untilServing(child: ChildProgram): Promise<[url: string, ownerId: string]> {
  const isLate = setTimeout(() => void child.stop("SIGKILL"), HANG_MS);
  try {
    return [await child.nextLine(), await child.nextLine()];
  } finally {
    clearTimeout(isLate);
  }
}

async function untilListed(deps: Runtime, child: ChildProgram): Promise<string> {
  let isGone = false;
  void child.ended.then(() => (isGone = true));
  // A brief outage of the database says nothing about the worker: it is looked for again, or has ended with a reason.
  const unlisted = (error: unknown): { id: string }[] => {
    if (isDatabaseAway(error)) return [];
    throw error;
  };
  const found = await until(
    () =>
      deps.db.$queryRaw<
        { id: string }[]
      >`SELECT id FROM workers WHERE process = ${`${os.hostname()}:${child.pid}`} ORDER BY started_at DESC LIMIT 1`.catch(
        unlisted,
      ),
    { what: `worker ${child.pid} on the list`, isDone: (rows) => rows.length > 0 || isGone },
  );
  // The reason is on its standard error.
  if (!found[0]) throw new Error(await child.nextLine());
  return found[0].id;
}
