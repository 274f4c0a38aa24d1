/** `search`: the few items that fit a question, in one line each. Pure. */
import { nameHidden } from "@/lib/text/tool-text";
import { findNearest } from "@/lib/config/problem";
import { nameOf } from "./item-names";
import { parseArguments, searchSchema } from "./meta-arguments";
import type { MetaAnswer, MetaItem, MetaSource } from "./meta-source";
import { isWithin, parseQuery, type ParsedQuery } from "./parse-query";
import { indexOf } from "./search-index";

const LINE_LENGTH_MAX = 140;
/** Of a description, before it is cleaned. */
const READ_LENGTH_MAX = 1_000;

export function searchItems(source: MetaSource, args: unknown): MetaAnswer {
  const parsed = parseArguments("search", searchSchema, args);
  if (!parsed.ok) return parsed.answer;
  const query = parseQuery(parsed.value.query);
  const found = findItems(source.items, query);
  const note = describeEmpty(source, query, found.length);
  return {
    isError: false,
    data: {
      results: found.slice(0, parsed.value.limit).map(toResult),
      total: found.length,
      ...(note !== null && { note }),
      ...(source.unavailable.length > 0 && { unavailable: source.unavailable }),
    },
  };
}

/** Without text, everything that the modifiers leave, in its order. An item whose name was given comes first. */
function findItems(items: readonly MetaItem[], query: ParsedQuery): MetaItem[] {
  if (query.text === "") return items.filter((item) => isWithin(query, item));
  const ranked = indexOf(items)
    .find(query.text)
    .map((position) => items[position]!)
    .filter((item) => isWithin(query, item));
  const named = ranked.filter((item) => isNamed(item, query.text));
  return named.length === 0 ? ranked : [...named, ...ranked.filter((item) => !named.includes(item))];
}

function isNamed(item: MetaItem, text: string): boolean {
  const given = text.toLowerCase();
  return [item.definition.name, nameOf(item)].some((name) => name.toLowerCase() === given);
}

function toResult(item: MetaItem) {
  return {
    name: nameOf(item),
    ...(item.server !== null && { server: item.server }),
    about: toLine(item),
    danger: item.danger,
    policy: item.policy.decision,
  };
}

/** The first sentence of the description; hidden characters are named, as everywhere that a model reads. */
function toLine({ definition: { name, title, description } }: MetaItem): string {
  const text = nameHidden((description ?? title ?? name).slice(0, READ_LENGTH_MAX))
    .trim()
    .replaceAll(/\s+/g, " ");
  const [sentence] = /^.+?[.!?](?= |$)/.exec(text) ?? [text];
  return sentence.length <= LINE_LENGTH_MAX
    ? sentence
    : `${sentence
        .slice(0, LINE_LENGTH_MAX - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

/** Why nothing was found, where the query itself says it. */
function describeEmpty(source: MetaSource, { servers, scope }: ParsedQuery, count: number): string | null {
  const known = source.servers;
  const unknown = servers.filter((server) => !known.some((each) => each.toLowerCase() === server));
  if (unknown.length > 0) {
    const nearest = findNearest(unknown[0]!, known);
    return `There is no server ${JSON.stringify(unknown[0]!.slice(0, 100))}${nearest === undefined ? "" : `; did you mean ${nearest}`}. Servers: ${known.join(", ") || "none"}.`;
  }
  if (count > 0) return null;
  if (scope === "local" && !source.items.some(({ server }) => server === null)) return "There are no local items.";
  return "Nothing fits. Use other or fewer words, or mcp:NAME alone to see every tool of a server.";
}
