/**
 * What a turn keeps for the provider that made it: the order of its parts, reasoning with its signatures, and the
 * provider's own ids. Only the model that wrote it gets it back; every other one gets text and calls alone.
 */
import { z } from "zod";
import type { AssistantMessage, Json } from "./model";

const metadataSchema = z.record(z.string(), z.record(z.string(), z.json())).optional();

const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), metadata: metadataSchema }),
  z.object({ type: z.literal("reasoning"), text: z.string(), metadata: metadataSchema }),
  /** Name and arguments are in the message, so that they are stored only once. */
  z.object({ type: z.literal("tool_call"), id: z.string(), metadata: metadataSchema }),
]);

const rawTurnSchema = z.object({ model: z.string(), parts: z.array(partSchema).default([]) });

export type RawTurn = z.infer<typeof rawTurnSchema>;
export type RawPart = z.infer<typeof partSchema>;

export function toRaw(turn: RawTurn): Json {
  // Metadata is the provider's own JSON; going through text drops fields that are present but undefined.
  return JSON.parse(JSON.stringify(turn)) as Json;
}

/** The model that made a message; null when it is not known. */
export function findAuthor(message: AssistantMessage): string | null {
  const parsed = rawTurnSchema.safeParse(message.raw);
  return parsed.success ? parsed.data.model : null;
}

/** The reasoning of the model that made a message; other models are not given it. */
export function findReasoning(message: AssistantMessage): Extract<RawPart, { type: "reasoning" }>[] {
  const parsed = rawTurnSchema.safeParse(message.raw);
  return parsed.success ? parsed.data.parts.filter((part) => part.type === "reasoning") : [];
}

/**
 * The parts to send back to `model`. Null when another model made the message, or when text or calls were changed
 * since: a signature over something else would be refused.
 */
export function findParts(message: AssistantMessage, model: string): RawPart[] | null {
  const parsed = rawTurnSchema.safeParse(message.raw);
  if (!parsed.success || parsed.data.model !== model || parsed.data.parts.length === 0) return null;
  const { parts } = parsed.data;
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const ids = parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
  const isSame =
    text === message.text &&
    ids.length === message.toolCalls.length &&
    ids.every((id, index) => message.toolCalls[index]?.id === id);
  return isSame ? parts : null;
}
