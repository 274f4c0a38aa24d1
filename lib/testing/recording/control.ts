/** Controls a recording server over HTTP, so that a test does it the same way in its own process and in another one. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { HttpRefusal, readJsonBody, sendJson } from "@/lib/demo/http";
import { HANG_MS } from "@/lib/testing/hang";
import type { Received } from "./recorded";
import { type Ailment, ailmentSchema, type RecordingState } from "./state";

const commandSchema = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("hold"), tool: z.string() }),
  z.strictObject({ do: z.literal("release"), tool: z.string() }),
  z.strictObject({ do: z.literal("change"), tool: z.looseObject({ name: z.string() }) }),
  z.strictObject({ do: z.literal("remove"), tool: z.string() }),
  z.strictObject({ do: z.literal("ail"), ailment: ailmentSchema.nullable() }),
  z.strictObject({ do: z.literal("reset") }),
]);
type Command = z.infer<typeof commandSchema>;

const COMMAND_BYTES_MAX = 4 * 1024 * 1024;

/**
 * POST /control with a command; GET /control for what was received; GET /control?tool=…&count=… answers when that many
 * have arrived.
 */
export async function answerControl(
  state: RecordingState,
  announceListChange: () => Promise<void>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "GET") {
    const query = new URL(request.url ?? "/", "http://localhost").searchParams;
    const tool = query.get("tool");
    return sendJson(
      response,
      200,
      tool === null ? state.recorder.list() : await state.recorder.waitFor(tool, Number(query.get("count"))),
    );
  }
  const parsed = commandSchema.safeParse(await readJsonBody(request, COMMAND_BYTES_MAX));
  if (!parsed.success) throw new HttpRefusal(422, z.prettifyError(parsed.error));
  obey(state, parsed.data);
  if (parsed.data.do === "change" || parsed.data.do === "remove") await announceListChange();
  sendJson(response, 200, { done: true });
}

function obey(state: RecordingState, command: Command): void {
  switch (command.do) {
    case "hold":
      return state.hold(command.tool);
    case "release":
      return state.release(command.tool);
    case "change":
      return state.change(command.tool as Partial<Tool> & { name: string });
    case "remove":
      return state.remove(command.tool);
    case "ail":
      state.ailment = command.ailment;
      return;
    case "reset":
      return state.recorder.reset();
    default:
      throw new Error(`unreachable: command ${JSON.stringify(command satisfies never)}`);
  }
}

/** The test's control of a recording server. */
export class RecordingControl {
  constructor(private readonly origin: string) {}

  /** Everything that reached the server, `initialize` and refused requests included. */
  async received(): Promise<Received[]> {
    return (await fetch(`${this.origin}/control`)).json() as Promise<Received[]>;
  }

  /** The tool calls that reached the server, of one tool or of all. */
  async calls(tool?: string): Promise<Received[]> {
    return (await this.received()).filter(
      (entry) => entry.method === "tools/call" && (tool === undefined || entry.tool === tool),
    );
  }

  /** Resolves when the tool was called that often. Rejects when it is not, with what was called instead. */
  async waitForCalls(tool: string, count = 1, timeoutMs = HANG_MS): Promise<Received[]> {
    const query = new URLSearchParams({ tool, count: String(count) });
    try {
      const response = await fetch(`${this.origin}/control?${query}`, { signal: AbortSignal.timeout(timeoutMs) });
      return (await response.json()) as Received[];
    } catch (cause) {
      const seen = (await this.received()).map((entry) => `  ${entry.method} ${entry.tool ?? ""}`);
      throw new Error(
        `${tool} was not called ${count} times within ${timeoutMs} ms. Received:\n${seen.join("\n") || "  nothing"}`,
        { cause },
      );
    }
  }

  /** Calls of the tool are recorded and then wait. */
  hold(tool: string): Promise<void> {
    return this.#send({ do: "hold", tool });
  }

  release(tool: string): Promise<void> {
    return this.#send({ do: "release", tool });
  }

  /** Adds a tool or changes the given fields of one, and notifies every session that the list has changed. */
  change(tool: Partial<Tool> & { name: string }): Promise<void> {
    return this.#send({ do: "change", tool });
  }

  remove(tool: string): Promise<void> {
    return this.#send({ do: "remove", tool });
  }

  /** Makes the whole server faulty, or healthy again with null. */
  ail(ailment: Ailment | null): Promise<void> {
    return this.#send({ do: "ail", ailment });
  }

  /** Forgets what was received. */
  reset(): Promise<void> {
    return this.#send({ do: "reset" });
  }

  async #send(command: Command): Promise<void> {
    const response = await fetch(`${this.origin}/control`, { method: "POST", body: JSON.stringify(command) });
    if (!response.ok)
      throw new Error(`The recording server refused ${JSON.stringify(command)}: ${await response.text()}`);
  }
}
