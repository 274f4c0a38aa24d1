import type { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";

export function openActServer(onAct: () => unknown): Promise<InMemoryTransport>;
