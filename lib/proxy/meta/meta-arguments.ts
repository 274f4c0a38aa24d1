/** What the four tools are called with. Kiwi's own spelling (`item_type`, `item_id`, `parameters`) is understood too. */
import { z } from "zod";
import type { MetaAnswer } from "./meta-source";

export const SEARCH_LIMIT_DEFAULT = 8;
export const SEARCH_LIMIT_MAX = 50;
export const LOAD_NAMES_MAX = 20;
const QUERY_LENGTH_MAX = 1_000;

/** The only kind of item there is. */
const itemType = z.enum(["tool"]).optional();
const name = z.string().min(1).max(300);

export const searchSchema = z.strictObject({
  query: z.string().max(QUERY_LENGTH_MAX).default(""),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
  item_type: itemType,
});

export const loadSchema = z
  .strictObject({
    names: z.union([name.transform((only) => [only]), z.array(name).min(1).max(LOAD_NAMES_MAX)]).optional(),
    item_id: name.optional(),
    item_type: itemType,
  })
  .transform(({ names, item_id: id }, context) => {
    const all = [...new Set([...(names ?? []), ...(id === undefined ? [] : [id])])];
    if (all.length === 0) context.addIssue({ code: "custom", path: ["names"], message: "is missing", input: names });
    return { names: all };
  });

const values = z.record(z.string(), z.unknown());

export const executeSchema = z
  .strictObject({
    tool: name.optional(),
    item_id: name.optional(),
    arguments: values.optional(),
    parameters: values.optional(),
    item_type: itemType,
    action: z.enum(["call", "run"]).optional(),
  })
  .transform((given, context) => {
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: "custom", path: [path], message, input: undefined });
      return z.NEVER;
    };
    if (given.tool !== undefined && given.item_id !== undefined)
      return refuse("item_id", "is another name of `tool`; give one of the two");
    if (given.arguments !== undefined && given.parameters !== undefined)
      return refuse("parameters", "is another name of `arguments`; give one of the two");
    const tool = given.tool ?? given.item_id;
    if (tool === undefined) return refuse("tool", "is missing; it names a tool, such as server.tool");
    return { tool, arguments: given.arguments ?? given.parameters ?? {} };
  });

export const helpSchema = z.strictObject({ topic: z.string().max(100).optional() });

export type Parsed<T> = { ok: true; value: T } | { ok: false; answer: MetaAnswer };

/** Every problem at once, each with its place. */
export function parseArguments<T>(tool: string, schema: z.ZodType<T>, args: unknown): Parsed<T> {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
  return { ok: false, answer: refusal("invalid_request", `${tool} was not run.`, { problems }) };
}

export function refusal(code: string, message: string, details: Record<string, unknown> = {}): MetaAnswer {
  return { isError: true, data: { error: { code, message, ...details } } };
}
