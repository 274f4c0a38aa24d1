/** An MCP client calls tools that return all they get; what it is answered must hold no secret either. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { OwnApp } from "./own-app";
import type { Place } from "./search";

/** Returns the client's token. */
export async function driveClient(
  app: OwnApp,
  { secret, named }: { secret: string; named: string },
  places: Place[],
): Promise<string> {
  const { stdout } = await app.cli("token create --name editor --scopes mcp --profile coding --json".split(" "));
  const { token } = JSON.parse(stdout) as { token: string };
  const calls: [tool: string, args: Record<string, unknown>][] = [
    ["echo-headers", {}],
    ["fail-protocol", {}],
    ["fail-result", {}],
    ["structured-invalid", {}],
    ["drop-after", { n: 1 }],
    ["t-none", { text: `the key is ${secret}` }],
    ["echo", { user: "ana", password: named }],
  ];
  for (const mode of [{ pin: "2026-07-28" }, "legacy"] as const) {
    const client = new Client({ name: "editor", version: "1.0" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", app.url), { requestInit }));
    places.push({ name: "tools of a client", text: JSON.stringify(await client.listTools()) });
    for (const [tool, args] of calls) {
      const call = client.callTool({ name: `recorder__${tool}`, arguments: args });
      const answer = await call.catch((error: unknown) => String(error));
      places.push({ name: `answer to a client's ${tool}`, text: JSON.stringify(answer) });
    }
    await client.close();
  }
  return token;
}
