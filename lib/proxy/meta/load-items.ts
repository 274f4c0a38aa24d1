/** `load`: all that there is to know about named items before they are executed. Pure. */
import { mapText, nameHidden } from "@/lib/text/tool-text";
import { describeUnknown, findItem, nameOf } from "./item-names";
import { loadSchema, parseArguments } from "./meta-arguments";
import type { MetaAnswer, MetaPolicy, MetaSource, MetaTool } from "./meta-source";

/** Unknown names do not spoil the others; the answer is an error only when none is known. */
export function loadItems(source: MetaSource, args: unknown): MetaAnswer {
  const parsed = parseArguments("load", loadSchema, args);
  if (!parsed.ok) return parsed.answer;
  const named = parsed.value.names.map((name) => ({ name, item: findItem(source.items, name) }));
  const tools = named.flatMap(({ item }) => (item ? [toLoaded(item)] : []));
  const unknown = named.flatMap(({ name, item }) => (item ? [] : [describeUnknown(source, name)]));
  return { isError: tools.length === 0, data: { tools, ...(unknown.length > 0 && { unknown }) } };
}

function toLoaded(item: MetaTool) {
  const { definition, danger, policy } = item;
  const { title, description, inputSchema, outputSchema, annotations } = definition;
  return {
    name: nameOf(item),
    ...(mapText(
      {
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        input_schema: inputSchema,
        ...(outputSchema && { output_schema: outputSchema }),
        ...(annotations && { annotations }),
      },
      nameHidden,
    ) as Record<string, unknown>),
    danger,
    policy: toShown(policy),
    call: { tool: nameOf(item), arguments: sketchArguments(inputSchema) },
  };
}

function toShown({ decision, reason, approvers, minApprovals, dependsOnArguments }: MetaPolicy) {
  return {
    decision,
    reason,
    ...(decision === "ask" && {
      asked: approvers.length > 0 ? approvers : "any reviewer",
      ...(minApprovals > 1 && { approvals_needed: minApprovals }),
    }),
    ...(dependsOnArguments && { may_differ: "rules read the arguments" }),
  };
}

/** The required arguments, each with its type in place of a value. */
function sketchArguments({ properties, required }: Readonly<Record<string, unknown>>): Record<string, string> {
  if (!Array.isArray(required)) return {};
  const known = (typeof properties === "object" && properties !== null ? properties : {}) as Record<string, unknown>;
  const names = required.filter((name) => typeof name === "string");
  return Object.fromEntries(
    names.map((name) => {
      const schema = Object.hasOwn(known, name) ? (known[name] as { type?: unknown } | null) : null;
      return [nameHidden(name), `<${typeof schema?.type === "string" ? schema.type : "value"}>`];
    }),
  );
}
