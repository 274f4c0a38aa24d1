/** How a built-in server offers a tool: typed input and output, and every error as an answer that a model can read. */
import type { McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { KimitsuError } from "@/lib/errors";

export interface BuiltinTool<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
}

export interface ToolUse {
  /** Ends when the caller gives up. */
  signal: AbortSignal;
  /** By which what the call replaces can be found again; null where the caller gives none. */
  callId: string | null;
}

export interface ToolAnswer<Data> {
  data: Data;
  /** What a person reads; the data as JSON when absent. */
  text?: string;
  /** True: the tool did what it was asked to, and what it reports is a failure. */
  isError?: boolean;
}

/** Throws what the caller of a tool is told: what was refused and what would be right. */
export function refuse(message: string): never {
  throw new KimitsuError("tool_failed", message);
}

export function offerTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  tool: BuiltinTool<Input, Output>,
  run: (input: z.output<Input>, use: ToolUse) => Promise<ToolAnswer<z.output<Output>>>,
): void {
  const { name, title, description, annotations, input, output } = tool;
  const config = { title, description, annotations, inputSchema: input as z.ZodObject, outputSchema: output };
  server.registerTool(name, config, async (given: Record<string, unknown>, context: ServerContext) => {
    try {
      const use = { signal: context.mcpReq.signal, callId: readCallId(context) };
      const { data, text = JSON.stringify(data), isError = false } = await run(given as z.output<Input>, use);
      return { content: [{ type: "text", text }], structuredContent: data as Record<string, unknown>, isError };
    } catch (error) {
      return { content: [{ type: "text", text: describe(error) }], isError: true };
    }
  });
}

function readCallId({ mcpReq }: ServerContext): string | null {
  const id = mcpReq._meta?.["dev.kimitsu/call_id"];
  return typeof id === "string" ? id : null;
}

/** Messages of the system name paths of this machine, so only their code is passed on. */
function describe(error: unknown): string {
  if (error instanceof KimitsuError) return error.message;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `The tool failed (${String(code ?? name ?? "unknown error")}).`;
}
