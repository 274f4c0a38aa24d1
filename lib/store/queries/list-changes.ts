import { redact } from "@/lib/domain/redaction";
import type { Db } from "@/lib/store/client";
import { printShown, showArguments } from "@/lib/store/queries/show-arguments";

/** A call whose arguments a person changed. */
interface ChangedCall {
  id: string;
  turnId: string | null;
  modelCallId: string | null;
  tool: string;
  definitionFingerprint: string | null;
  /** As they were sent, redacted. */
  arguments: unknown;
}

/** Null where the one or the other had no such argument. */
export interface ChangedArgument {
  path: string;
  proposed: string | null;
  effective: string | null;
}

type Fingerprint = (value: string) => string;

/**
 * What people changed, by call: arguments as the agent proposed them, and as they were sent. The proposal stands in the turn that asked for the call, where only
 * known secrets were taken out; here it is redacted as the call's own arguments were. Of one that cannot be, nothing is told.
 */
export async function listChanges(db: Db, calls: readonly ChangedCall[], fingerprint: Fingerprint): Promise<Map<string, ChangedArgument[]>> {
  const turnIds = calls.flatMap(({ turnId }) => turnId ?? []);
  if (turnIds.length === 0) return new Map();
  const [turns, definitions] = await Promise.all([
    db.turn.findMany({ where: { id: { in: turnIds } }, select: { id: true, response: true } }),
    db.toolDefinition.findMany({ where: { OR: calls.flatMap(({ tool, definitionFingerprint }) => (definitionFingerprint === null ? [] : [{ tool, fingerprint: definitionFingerprint }])) } }),
  ]);
  const changes = calls.flatMap((call): [string, ChangedArgument[]][] => {
    const { toolCalls = [] } = (turns.find(({ id }) => id === call.turnId)?.response ?? {}) as { toolCalls?: { id: string; arguments: unknown }[] };
    const wanted = toolCalls.find(({ id }) => id === call.modelCallId);
    const definition = definitions.find(({ tool, fingerprint: known }) => tool === call.tool && known === call.definitionFingerprint)?.definition as { inputSchema?: Record<string, unknown> } | undefined;
    if (!wanted || (call.definitionFingerprint !== null && !definition?.inputSchema)) return [];
    return [[call.id, compare(redact(wanted.arguments, { fingerprint, ...(definition?.inputSchema ? { schema: definition.inputSchema } : {}) }), call.arguments)]];
  });
  return new Map(changes);
}

function compare(proposal: unknown, sent: unknown): ChangedArgument[] {
  const [before, after] = [proposal, sent].map((value) => new Map(showArguments(value).map((argument) => [argument.path, argument.value])));
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
  return paths.flatMap((path) => {
    const [was, is] = [before?.get(path), after?.get(path)];
    // A known secret has another form in the turn than in the call; that it differs says nothing.
    if (is?.kind === "redacted" && was?.kind !== "redacted" && was !== undefined) return [];
    const [proposed, effective] = [was, is].map((value) => (value === undefined ? null : printShown(value)));
    return proposed === effective ? [] : [{ path, proposed: proposed ?? null, effective: effective ?? null }];
  });
}
