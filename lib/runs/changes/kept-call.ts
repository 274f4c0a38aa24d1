/**
 * A call and its approval as a journal row stores them: without what the turn that made the call, the rule of the
 * approval, their events in the same row or the run already says. Omitted values are filled in when the row is read. Pure.
 */
import { digestCanonical } from "@/lib/text/digest";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { PolicyLayer, TraceEntry } from "@/lib/policy/policy-answer";
import type { RunFacts } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import type { RowEvent } from "@/lib/runs/changes/row-events";
import type { NewApproval, NewCall, NewTurn } from "@/lib/runs/changes/turn-recorded";

/** Position of a call: the turn that made it, and its index among that turn's calls. */
export interface CallPlace {
  run: RunFacts;
  stepId: string;
  turn: NewTurn | null;
  place: number;
  /** That it was judged, as the same row says. */
  event?: RowEvent | null | undefined;
}

export type KeptCall = Partial<Omit<NewCall, "trace">> & { trace: unknown };

export function keepCall({ trace, ...call }: NewCall, place: CallPlace): KeptCall {
  const known = knownOfCall(place);
  const digest = known.digest ?? digestCanonical(call.argumentsCanonical);
  return { ...leaveOut<Omit<NewCall, "trace">>(call, { ...known, digest }), trace: keepTrace(trace) };
}

export function openCall({ trace, ...kept }: KeptCall, place: CallPlace): NewCall {
  const call = { ...knownOfCall(place), ...kept, trace: openTrace(trace) } as NewCall;
  return { ...call, digest: call.digest ?? digestCanonical(call.argumentsCanonical) };
}

function knownOfCall({ run, stepId, turn, place, event }: CallPlace): Partial<NewCall> {
  const said = (turn?.response ?? {}) as { text?: string; toolCalls?: { id: string; arguments: unknown }[] };
  const asked = said.toolCalls?.[place];
  return {
    stepId,
    turnId: turn?.id ?? null,
    parentCallId: null,
    modelCallId: asked?.id ?? null,
    policyHash: run.configHash,
    agentSays: said.text || null,
    retrySafe: false,
    costUsd: 0,
    result: null,
    error: null,
    // Only what the model wrote in canonical form is the same text when it is read back.
    ...(asked && { arguments: asked.arguments, argumentsCanonical: JSON.stringify(asked.arguments) }),
    ...(event && {
      id: event.data.call_id as string,
      server: event.data.server as string,
      tool: event.data.tool as string,
      danger: event.data.danger as string,
      digest: event.data.digest as string,
      definitionFingerprint: event.data.definition as string | null,
    }),
  };
}

type AskedCall = Pick<NewCall, "stepId" | "agent" | "server" | "tool" | "danger" | "summary" | "digest">;

export type KeptQuestion = Partial<Omit<NewApproval, "rule">> & { rule: Partial<ApprovalRule> };

interface Asked {
  run: RunFacts;
  /** That it was asked, as the same row says. */
  event: RowEvent | null | undefined;
}

export function keepQuestion({ rule, ...question }: NewApproval, asked: Asked & { call: AskedCall | undefined }) {
  const kept = leaveOut<Omit<NewApproval, "rule">>(question, knownOfQuestion(rule, asked));
  return { ...kept, rule: leaveOut(rule, usualRule()) } satisfies KeptQuestion;
}

export function openQuestion(
  kept: KeptQuestion,
  { callOf, run, event }: Asked & { callOf: (id: string) => AskedCall | undefined },
): NewApproval {
  const rule = { ...usualRule(), ...kept.rule };
  const call = callOf(kept.callId ?? (event?.data.call_id as string));
  return { ...knownOfQuestion(rule, { call, run, event }), ...kept, rule } as NewApproval;
}

function knownOfQuestion(
  rule: ApprovalRule,
  { call, run, event }: Asked & { call: AskedCall | undefined },
): Partial<NewApproval> {
  const { stepId, agent, server, tool, danger, summary, digest }: Partial<AskedCall> = call ?? {};
  return {
    stepId,
    agent,
    server,
    tool,
    danger,
    summary,
    digest,
    workflow: run.workflow,
    ...columnsOfRule(rule),
    expiresAt: null,
    escalateAt: null,
    ...(event && {
      id: event.data.approval_id as string,
      callId: event.data.call_id as string,
      questionDigest: event.data.digest as string,
    }),
  } as Partial<NewApproval>;
}

/** The parts of its rule that an approval has as its own columns. */
export const columnsOfRule = (rule: ApprovalRule) => ({
  approvers: rule.approvers,
  minApprovals: rule.minApprovals,
  selfApproval: rule.selfApproval,
  editable: rule.edit,
  onReject: rule.onReject,
  timeoutBehavior: rule.timeoutBehavior,
  escalateTo: rule.escalate?.to ?? [],
});

/** Must never change, whatever the defaults of a project become: existing records are read with it. */
const usualRule = (): ApprovalRule => ({
  onReject: "fail",
  timeoutMs: null,
  timeoutBehavior: "fail",
  approvers: [],
  minApprovals: 1,
  selfApproval: false,
  edit: true,
  reason: null,
  rejectReasons: [],
  escalate: null,
});

/** The layers in a row that belong to the file of one agent, or to none. */
interface KeptLayers {
  agent?: string | undefined;
  layers: (KeptLayer | PolicyLayer)[];
}

/**
 * A layer given by its name alone was passed, for the usual reason. Must never change: existing records are read with
 * it.
 */
const USUAL_REASONS: Partial<Record<PolicyLayer, string>> = {
  bypass: "mode is not bypass",
  budget: "no budget is set",
  plan: "mode is not plan",
  deny: "not denied by name",
  tool_list: "the server lists the tool",
  pin: "no lock file: the first definition seen is trusted",
};

type KeptLayer = [
  layer: TraceEntry["layer"],
  outcome: TraceEntry["outcome"],
  reason: string,
  source?: [file: string, line: number, column: number],
];

function keepTrace(trace: unknown): unknown {
  if (!Array.isArray(trace)) return trace;
  const kept: KeptLayers[] = [];
  for (const entry of trace as TraceEntry[]) {
    const last = kept.at(-1);
    if (last && last.agent === entry.agent) last.layers.push(keepLayer(entry));
    else kept.push({ agent: entry.agent, layers: [keepLayer(entry)] });
  }
  return kept;
}

function keepLayer({ layer, outcome, reason, source }: TraceEntry): KeptLayer | PolicyLayer {
  if (source) return [layer, outcome, reason, [source.file, source.line, source.column]];
  return outcome === "pass" && reason === USUAL_REASONS[layer] ? layer : [layer, outcome, reason];
}

function openTrace(kept: unknown): unknown {
  if (!Array.isArray(kept)) return kept;
  return (kept as (KeptLayers | TraceEntry)[]).flatMap((each) => ("layers" in each ? openLayers(each) : each));
}

const openLayers = ({ agent, layers }: KeptLayers): TraceEntry[] =>
  layers.map((kept) => {
    const [layer, outcome, reason, place] =
      typeof kept === "string" ? ([kept, "pass", USUAL_REASONS[kept] ?? ""] as const) : kept;
    const source = place && { file: place[0], line: place[1], column: place[2] };
    return { layer, outcome, reason, ...(source && { source }), ...(agent !== undefined && { agent }) };
  });
