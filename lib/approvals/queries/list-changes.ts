import { redact } from "@/lib/text/redaction";
import type { Db } from "@/lib/database/client";
import { printShown, showArguments } from "@/lib/approvals/view/show-arguments";

/** A call whose arguments a person changed. */
interface ChangedCall {
  id: string;
  turnId: string | null;
  modelCallId: string | null;
  tool: string;
  definitionFingerprint: string | null;
  /** As they were sent, redacted. */
  arguments: unknown;
  /** Response of the turn that made the call, if the caller has it already; otherwise it is read from a projection. */
  response?: unknown;
  /** As a client proposed them, redacted. */
  proposed?: unknown;
}

/** Null where the proposal or the sent call lacks the argument. */
export interface ChangedArgument {
  path: string;
  proposed: string | null;
  effective: string | null;
}

type Fingerprint = (value: string) => string;

/**
 * What people changed, by call: arguments as the agent proposed them, and as they were sent. The proposal comes from
 * the turn that made the call, where only known secrets were removed; here it is redacted like the call's own
 * arguments. A proposal that cannot be redacted is not shown.
 */
export async function listChanges(
  db: Db,
  calls: readonly ChangedCall[],
  fingerprint: Fingerprint,
): Promise<Map<string, ChangedArgument[]>> {
  const ofClients = calls.flatMap(({ id, proposed, arguments: sent }): [string, ChangedArgument[]][] =>
    proposed === undefined ? [] : [[id, compare(proposed, sent)]],
  );
  const ofTurns = calls.filter(({ turnId }) => turnId !== null);
  if (ofTurns.length === 0) return new Map(ofClients);
  const [responseOf, schemaOf] = await Promise.all([readResponses(db, ofTurns), readSchemas(db, ofTurns)]);
  const changes = ofTurns.flatMap((call): [string, ChangedArgument[]][] => {
    const { toolCalls = [] } = (responseOf(call) ?? {}) as { toolCalls?: { id: string; arguments: unknown }[] };
    const wanted = toolCalls.find(({ id }) => id === call.modelCallId);
    const schema = schemaOf(call);
    if (!wanted || (call.definitionFingerprint !== null && !schema)) return [];
    return [[call.id, compare(redact(wanted.arguments, { fingerprint, ...(schema && { schema }) }), call.arguments)]];
  });
  return new Map([...ofClients, ...changes]);
}

async function readResponses(db: Db, calls: readonly ChangedCall[]): Promise<(call: ChangedCall) => unknown> {
  const ids = calls.flatMap(({ turnId, response }) => (response === undefined && turnId !== null ? [turnId] : []));
  const turns =
    ids.length === 0
      ? []
      : await db.turn.findMany({ where: { id: { in: ids } }, select: { id: true, response: true } });
  return (call) => call.response ?? turns.find(({ id }) => id === call.turnId)?.response;
}

async function readSchemas(
  db: Db,
  calls: readonly ChangedCall[],
): Promise<(call: ChangedCall) => Record<string, unknown> | undefined> {
  const known = calls.flatMap(({ tool, definitionFingerprint: fingerprint }) =>
    fingerprint === null ? [] : [{ tool, fingerprint }],
  );
  const rows = known.length === 0 ? [] : await db.toolDefinition.findMany({ where: { OR: known } });
  return ({ tool, definitionFingerprint }) => {
    const row = rows.find((each) => each.tool === tool && each.fingerprint === definitionFingerprint);
    return (row?.definition as { inputSchema?: Record<string, unknown> } | undefined)?.inputSchema;
  };
}

function compare(proposal: unknown, sent: unknown): ChangedArgument[] {
  const [before, after] = [proposal, sent].map(
    (value) => new Map(showArguments(value).map((argument) => [argument.path, argument.value])),
  );
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
  return paths.flatMap((path) => {
    const [was, is] = [before?.get(path), after?.get(path)];
    // A known secret looks different in the turn than in the call, so that difference means nothing.
    if (is?.kind === "redacted" && was?.kind !== "redacted" && was !== undefined) return [];
    const [proposed, effective] = [was, is].map((value) => (value === undefined ? null : printShown(value)));
    return proposed === effective ? [] : [{ path, proposed: proposed ?? null, effective: effective ?? null }];
  });
}
