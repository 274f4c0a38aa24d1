import { plainLine } from "@/lib/cli/plain-line";
import type { RunEvent } from "@/lib/runs/queries/list-run-events";

const text = (value: unknown): string =>
  value === null || value === undefined || value === ""
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

/** Why it was allowed, asked or refused: the code of a refusal, the layer, and the place in the project's files. */
function byLayer({ code, layer, source }: RunEvent["data"]): string {
  const by = [text(layer), text(source)].filter(Boolean).join(" ");
  return `${code ? `: ${text(code)}` : ""}${by && ` (${by})`}`;
}

/** One line for a person who watches a run; null for events that only matter to the record. */
export function describeEvent({ type, at, actor, data }: RunEvent): string | null {
  const words = describe(type, data, actor.name);
  return words === null ? null : `${at.toISOString().slice(11, 19)}  ${plainLine(words)}`;
}

function describe(type: string, data: RunEvent["data"], who: string): string | null {
  const tool = [data.server, data.tool].map(text).filter(Boolean).join(".");
  const because = [data.code, data.message, data.reason].map(text).filter(Boolean).join(": ");
  const [noun, verb = ""] = type.split(".");
  switch (noun) {
    case "run":
      return `run ${verb.replaceAll("_", " ")}${data.status ? ` (${text(data.status)})` : ""}${because && `: ${because}`}`;
    case "step":
      return `step ${text(data.step)} ${verb.replaceAll("_", " ")}${because && `: ${because}`}`;
    case "turn":
      return `  model answered (turn ${text(data.turn)}, ${text(data.tokens_in)} + ${text(data.tokens_out)} tokens)`;
    case "call":
      return tool === "" ? null : `  call ${tool} ${verb.replaceAll("_", " ")}${byLayer(data)}`;
    case "approval":
      return verb === "decided"
        ? `  approval ${text(data.approval_id)} ${text(data.verdict)} by ${who}${because && `: ${because}`}`
        : `  approval ${text(data.approval_id)} ${verb}`;
    case "server":
      return `server ${text(data.server)} ${verb}, the run goes on without it${because && `: ${because}`}`;
    default:
      return null;
  }
}
