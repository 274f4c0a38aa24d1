/**
 * What a test can control while the server runs: which tools there are, which are held, and whether the server is
 * faulty.
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { Recorder } from "./recorded";
import { answerPlainly, listTestTools, type TestTool } from "./tools";

export const illnessSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    status: z.number().int().min(400).max(599),
    retryAfterS: z.number().optional(),
  }),
  z.strictObject({ kind: z.literal("redirect"), to: z.url() }),
  z.strictObject({ kind: z.literal("hang-up") }),
]);

/**
 * Instead of answering: an HTTP status, a redirect, or a connection that ends. `methods` limits it, for example to
 * `tools/list`.
 */
export const ailmentSchema = z.strictObject({ illness: illnessSchema, methods: z.array(z.string()).optional() });
export type Ailment = z.infer<typeof ailmentSchema>;

interface Gate {
  opened: Promise<void>;
  open(): void;
}

export class RecordingState {
  readonly recorder: Recorder;
  ailment: Ailment | null = null;
  #tools = new Map<string, TestTool>();
  readonly #gates = new Map<string, Gate>();

  constructor(options: { file?: string | undefined; tools?: Tool[] | undefined }) {
    this.recorder = new Recorder(options.file);
    this.#tools = new Map(listTestTools().map((tool) => [tool.definition.name, tool]));
    for (const tool of options.tools ?? []) this.change(tool);
    this.hold("slow");
  }

  listTools(): Tool[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  findTool(name: string): TestTool | undefined {
    return this.#tools.get(name);
  }

  /**
   * Adds the tool, or replaces the fields given of one that exists. Its behaviour stays, and is plain for a new one.
   */
  change(changed: Partial<Tool> & { name: string }): void {
    const known = this.#tools.get(changed.name);
    const definition: Tool = { inputSchema: { type: "object" }, ...known?.definition, ...changed };
    this.#tools.set(changed.name, { answer: answerPlainly, ...known, definition });
  }

  remove(name: string): void {
    this.#tools.delete(name);
  }

  hold(tool: string): void {
    if (this.#gates.has(tool)) return;
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.#gates.set(tool, { opened, open });
  }

  /** Releases every waiting call, and does not hold later ones. */
  release(tool: string): void {
    this.#gates.get(tool)?.open();
    this.#gates.delete(tool);
  }

  releaseAll(): void {
    for (const tool of this.#gates.keys()) this.release(tool);
  }

  async passGate(tool: string): Promise<void> {
    await this.#gates.get(tool)?.opened;
  }
}
