import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import { expect, test } from "vitest";
import { requireConnection } from "./postgres/database.mjs";
import { requireDiskSpace } from "./disk.mjs";
import { npmFailure } from "./install.mjs";
import { startFailure } from "./postgres/pg-log.mjs";
import { freePort, requireFreePort } from "./process/ports.mjs";
import { requireSupportedNode } from "./runtime.mjs";
import { applyStartOptions } from "./start-options.mjs";

test("an old Node gets a message that names the required one", () => {
  expect(() => requireSupportedNode("18.20.1")).toThrow(/needs Node\.js 20\.19 or newer.*18\.20\.1/);
  expect(() => requireSupportedNode("20.18.9")).toThrow();
  for (const version of ["20.19.0", "22.1.0", "24.0.0"]) expect(() => requireSupportedNode(version)).not.toThrow();
});

test("start takes an environment and asks for nothing else; a word it does not know starts nothing", () => {
  const variables: Record<string, string> = {};
  expect(applyStartOptions(["--help"], variables)).toMatch(/--env <name>/);
  expect(applyStartOptions(["--env", "prod"], variables)).toBeNull();
  expect(variables).toEqual({ KIMITSU_ENV: "prod" });
  expect(() => applyStartOptions(["--environment", "prod"], variables)).toThrow(
    /kimitsu start: Unknown option '--environment'.*It takes --env NAME and --help/,
  );
  expect(() => applyStartOptions(["--env"], variables)).toThrow(/It takes --env NAME/);
});

test("a port in use is named together with a remedy", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(requireFreePort("localhost", port)).rejects.toMatchObject({
    message: expect.stringContaining(`PORT=${port + 1} npm start`),
    exitCode: 98,
  });
  server.close();
});

test("npm without a network, and npm on a full disk, are distinguished", () => {
  expect(npmFailure("npm error code EAI_AGAIN\nnpm error getaddrinfo EAI_AGAIN").message).toMatch(
    /registry cannot be reached/,
  );
  expect(npmFailure("npm error code ENOSPC").message).toMatch(/disk .*is full/);
  expect(npmFailure("npm error Invalid: lock file's x does not satisfy y").message).toMatch(
    /npm ci failed[\s\S]*does not satisfy/,
  );
});

test("too little space is refused before the database starts, and a full disk is named when it is hit", async () => {
  await expect(requireDiskSpace(os.tmpdir(), 50 * 1024 * 1024)).rejects.toThrow(/Only 50 MB are free.*at least 200 MB/);
  const full = startFailure({
    dataFolder: "/data",
    cluster: "/data/pg",
    log: 'FATAL:  could not write file "pg_wal": No space left on device',
    ended: "exit code 1",
  });
  expect(full.message).toMatch(/disk that holds \/data\/pg is full/);
});

test("a database that does not start shows the fatal line and where the whole log is", () => {
  const log =
    "LOG:  starting\nLOG:  listening\nFATAL:  configuration file contains errors\nLOG:  database system is shut down\n";
  const { message } = startFailure({ dataFolder: "/data", cluster: "/data/pg", log, ended: "exit code 1" });
  expect(message).toContain("FATAL:  configuration file contains errors");
  expect(message).not.toContain("LOG:  listening");
  expect(message).toContain("/data/postgres.log");
});

test("a DATABASE_URL that leads nowhere is explained without its password", async () => {
  const port = await freePort();
  const failure = (url: string) =>
    requireConnection(url).then(
      () => "connected",
      (error: Error) => error.message,
    );
  const refused = await failure(`postgresql://ana:hush@127.0.0.1:${port}/kimitsu`);
  expect(refused).toContain(`Nothing listens on 127.0.0.1:${port}`);
  expect(refused).not.toContain("hush");
  const wrong = await failure("mysql://ana:hush@host/db");
  expect(wrong).toContain("must look like postgresql://");
  expect(wrong).not.toContain("hush");
});
