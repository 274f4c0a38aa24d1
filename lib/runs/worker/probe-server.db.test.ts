import { beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { createToken } from "@/lib/people/create-token";
import { engineDeps } from "@/lib/database/deps";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { twoCallsProject } from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { openFleet } from "@/lib/testing/worker-process";
import { openProbes } from "@/lib/runs/worker/probe-server";
import { freePort } from "@/scripts/process/ports.mjs";

const database = useDatabase();
let base: string;

beforeAll(async () => {
  const server = await startRecordingServer({});
  const fleet = await openFleet(database, twoCallsProject(server.url));
  const port = await freePort();
  await fleet.startWorker({ HOST: "127.0.0.1", KIMITSU_WORKER_PORT: String(port) });
  base = `http://127.0.0.1:${port}`;
  return async () => {
    await fleet.close();
    await server.close();
  };
});

const tokenWith = async (scopes: ("runs:read" | "registry:read")[]) => {
  const deps = engineDeps();
  const user = await buildUser(deps, "viewer");
  return (await createToken(deps, user.actor, { name: "probe", userId: user.id, scopes })).token;
};
const get = (path: string, token?: string) =>
  fetch(base + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

test(verifies("operations:worker-probes", "a port that is taken is refused before any run is claimed"), async () => {
  const taken = Number(new URL(base).port);
  await expect(openProbes(engineDeps(), { host: "127.0.0.1", port: taken })).rejects.toThrow(
    `KIMITSU_WORKER_PORT ${taken} on 127.0.0.1 cannot be listened on: EADDRINUSE.`,
  );
});

test(
  verifies(
    "operations:worker-probes",
    "a separate worker process reports that it is alive, and gives its metrics to a token that may read runs",
  ),
  async () => {
    const health = await until(() => get("/healthz").catch(() => null), {
      what: "the worker listens",
      isDone: (response) => response !== null,
    });
    expect(await health!.json()).toEqual({ status: "ok" });
    expect((await get("/metrics")).status).toBe(401);
    expect((await get("/metrics", "kim_unknown")).status).toBe(401);
    expect((await get("/metrics", await tokenWith(["registry:read"]))).status).toBe(403);
    expect((await get("/runs")).status).toBe(404);
    const figures = await get("/metrics", await tokenWith(["runs:read"]));
    expect(figures.status).toBe(200);
    expect(await figures.text()).toMatch(/^kimitsu_worker_capacity 16$/m);
  },
);
