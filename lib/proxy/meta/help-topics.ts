/** `help`: how to work with these four tools, one short text for each topic. Pure. */
import { findNearest } from "@/lib/config/problem";
import {
  helpSchema,
  LOAD_NAMES_MAX,
  parseArguments,
  refusal,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
} from "./meta-arguments";
import type { MetaAnswer, MetaSource } from "./meta-source";

const TOPICS: Readonly<Record<string, string>> = {
  search:
    `search({ query, limit }) finds tools by words of their name, title, description and parameters, best first; ${SEARCH_LIMIT_DEFAULT} unless limit says otherwise (${SEARCH_LIMIT_MAX} at most). ` +
    "Modifiers in the query: mcp:NAME for one server, mcp:* for tools of any server, local:* for items of the project itself, type:NAME for one type. Modifiers without words list everything that they leave. " +
    "policy says what becomes of a call: allow, ask (a person decides first) or deny.",
  load: `load({ names }) gives the whole definition of up to ${LOAD_NAMES_MAX} tools: their input schema, danger, and who is asked. Names that do not exist are answered with the nearest.`,
  execute:
    'execute({ tool: "server.tool", arguments }) makes one call. Arguments that do not fit the schema are refused with every problem and nothing is sent: correct them and call again. ' +
    "The result is the tool's own.",
  approvals:
    "Where policy is ask, a person sees the call with its arguments and approves, edits or rejects it. Until then the answer may be pending_approval, which is no error: do other work and ask for the result by the call id that it names. " +
    "The same call made again joins the one that waits. A rejection comes back as the tool's error with the reviewer's reason; do not repeat the call unchanged.",
  errors:
    "invalid_request: the arguments are wrong, the answer lists every problem. not_found: no such tool, the answer has the nearest names. " +
    "outcome_unknown: the call was sent and nobody knows whether it took effect; a person finds out, so do not make it again.",
};

export function answerHelp(source: MetaSource, args: unknown): MetaAnswer {
  const parsed = parseArguments("help", helpSchema, args);
  if (!parsed.ok) return parsed.answer;
  const topic = parsed.value.topic?.trim().toLowerCase() ?? "";
  const topics = Object.keys(TOPICS);
  if (topic === "")
    return {
      isError: false,
      data: {
        help: "search for a tool, load its definition, execute it. Every call is judged by a policy, and a person may be asked first.",
        servers: countTools(source),
        ...(source.unavailable.length > 0 && { unavailable: source.unavailable }),
        topics,
      },
    };
  if (Object.hasOwn(TOPICS, topic)) return { isError: false, data: { topic, help: TOPICS[topic]! } };
  const nearest = findNearest(topic, topics);
  return refusal("not_found", `There is no topic ${JSON.stringify(topic.slice(0, 100))}.`, {
    ...(nearest !== undefined && { nearest }),
    topics,
  });
}

function countTools(source: MetaSource): Record<string, number> {
  return Object.fromEntries(
    source.servers.map((server) => [server, source.items.filter((item) => item.server === server).length]),
  );
}
