import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { connect, type ConnectOptions } from "@/lib/cli/connect";
import type { Project } from "@/lib/config/project";
import { authenticateToken } from "@/lib/people/authenticate-token";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { startRecordingServer } from "@/lib/testing/recording-server";

const database = useDatabase();

/** A real tool server behind a door that knows the tokens of the database, as the endpoint does. */
async function bench({ isOpen = true } = {}) {
  const deps = testDeps(database);
  const person = await buildUser(deps, "operator");
  const upstream = await startRecordingServer({});
  const door = createServer((request, response) => {
    void (async () => {
      const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      const known = isOpen ? await authenticateToken(deps, { token, address: "::1" }).catch(() => null) : null;
      if (!known) return response.writeHead(401).end('{"error":"unauthorized"}');
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { host: _host, authorization: _token, connection: _connection, ...headers } = request.headers;
      const answer = await fetch(upstream.url, {
        method: request.method ?? "POST",
        headers: headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const {
        "content-encoding": _encoding,
        "transfer-encoding": _transfer,
        ...out
      } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, out).end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(path.join(tmpdir(), "kimitsu-connect-"));
  onTestFinished(async () => {
    door.closeAllConnections();
    door.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  });
  const shown: string[] = [];
  const file = path.join(folder, "mcp.json");
  const run = (options: Partial<ConnectOptions> = {}, answer: boolean | null = null) =>
    connect(
      {
        ...deps,
        project: { profiles: { coding: {} } } as unknown as Project,
        show: (text) => void shown.push(text),
        ask: async () => answer ?? expect.fail("nobody should be asked"),
      },
      "cursor",
      {
        profile: "coding",
        as: "kimitsu",
        scope: "user",
        user: person.email,
        url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`,
        file,
        ...options,
      },
    );
  const tokens = () => deps.db.apiToken.findMany({ where: { userId: person.id } });
  return { run, file, shown, tokens, door };
}

test(verifies("connect:secret", "the file has the token in a header, and only its owner can read it"), async () => {
  const { run, file, tokens, shown } = await bench();
  writeFileSync(file, '{ "mcpServers": { "other": {} } }', { mode: 0o644 });
  await run({ yes: true, name: "my laptop", expires: "30d" });
  const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, unknown> };
  expect(mcpServers).toEqual({
    other: {},
    kimitsu: {
      url: expect.not.stringContaining("kmt_"),
      headers: { Authorization: expect.stringMatching(/^Bearer kmt_[\w-]{43}$/) },
    },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await tokens()).toMatchObject([{ name: "my laptop", scopes: ["mcp"], profile: "coding", revokedAt: null }]);
  expect(shown.join("\n"), "what was shown has no token").not.toMatch(/kmt_[\w-]{43}/);
  expect(shown.join("\n")).toMatch(/lists \d+ tools with it/);
});

test(verifies("connect:asks", "a file is changed only after a yes, and a no leaves no token behind"), async () => {
  const { run, file, tokens, shown } = await bench();
  writeFileSync(file, "{}\n");
  await run({}, false);
  expect(readFileSync(file, "utf8")).toBe("{}\n");
  expect(await tokens()).toEqual([]);
  expect(shown[0], "the difference").toMatch(/^\+.*"kimitsu": \{$/m);
  await run({}, true);
  expect(readFileSync(file, "utf8")).toContain("kmt_");
});

test(
  verifies("connect:checks", "when the tools cannot be listed, it says why, revokes the token and changes no file"),
  async () => {
    const { run, file, tokens } = await bench({ isOpen: false });
    writeFileSync(file, "{}\n");
    await expect(run({ yes: true })).rejects.toThrow(
      /\/mcp did not list its tools: .*401.* The token was revoked again, and no file was changed\.$/s,
    );
    expect(readFileSync(file, "utf8")).toBe("{}\n");
    expect((await tokens()).map(({ revokedAt }) => revokedAt === null)).toEqual([false]);
  },
);

test(verifies("connect:writes", "a file that cannot be read is left alone, and no token is made"), async () => {
  const { run, file, tokens } = await bench();
  writeFileSync(file, "{ broken");
  await expect(run({ yes: true })).rejects.toThrow(/mcp\.json:1 is not JSON/);
  expect(readFileSync(file, "utf8")).toBe("{ broken");
  expect(await tokens()).toEqual([]);
});

test("what is only printed touches no file, and shows the entry with its token", async () => {
  const { run, file, shown } = await bench();
  await run({ print: true });
  expect(() => statSync(file)).toThrow("ENOENT");
  expect(shown.join("\n")).toMatch(/"Authorization": "Bearer kmt_[\w-]{43}"/);
});

test("an unknown profile, a bad address or time is refused before a token exists", async () => {
  const { run, tokens } = await bench();
  await expect(run({ profile: "codng" })).rejects.toThrow(/There is no profile "codng"; did you mean/i);
  await expect(run({ url: "http://u:p@x/mcp" })).rejects.toThrow(/is not an address of the form/);
  await expect(run({ expires: "soon", yes: true })).rejects.toThrow(/--expires soon/);
  expect(await tokens()).toEqual([]);
});
