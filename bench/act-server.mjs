/** The tool that everyone calls: a real MCP server in the same process, without a network between. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

/**
 * Resolves with the client's end of the connection. `onAct` runs inside the tool: probes count there, and are killed
 * there.
 */
export async function openActServer(onAct) {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool("act", { description: "Acts", inputSchema: { text: z.string() } }, async () => {
    await onAct();
    return { content: [{ type: "text", text: "acted" }] };
  });
  await server.connect(theirs);
  return mine;
}

/** For peers that have no MCP client of their own, or none that accepts an open connection: the SDK's. */
export async function openAct(onAct) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(await openActServer(onAct));
  await client.listTools();
  return async (text) => (await client.callTool({ name: "act", arguments: { text } })).content[0].text;
}
