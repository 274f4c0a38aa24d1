/**
 * A call and its approval as a journal row stores them: without what the turn that made the call, the rule of the
 * approval or the run already says. Omitted values are filled in when the row is read. Pure.
 */
import { digestCanonical } from "@/lib/text/digest";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { PolicyLayer, TraceEntry } from "@/lib/policy/policy-answer";
import type { RunFacts } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import type { NewApproval, NewCall, NewTurn } from "@/lib/runs/changes/turn-recorded";

/** Position of a call: the turn that made it, and its index among that turn's calls. */
export interface CallPlace {
  run: RunFacts;
  stepId: string;
  turn: NewTurn | null;
  place: number;
}

export type KeptCall = Partial<Omit<NewCall, "trace">> & { trace: unknown };

export function keepCall({ trace, ...call }: NewCall, place: CallPlace): KeptCall {
  const known = { ...knownOfCall(place), digest: digestCanonical(call.argumentsCanonical) };
  return { ...leaveOut<Omit<NewCall, "trace">>(call, known), trace: keepTrace(trace) };
}

export function openCall({ trace, ...kept }: KeptCall, place: CallPlace): NewCall {
  const call = { ...knownOfCall(place), ...kept, trace: openTrace(trace) } as NewCall;
  return { ...call, digest: kept.digest ?? digestCanonical(call.argumentsCanonical) };
}

function knownOfCall({ run, stepId, turn, place }: CallPlace): Partial<NewCall> {
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
  };
}

type AskedCall = Pick<NewCall, "stepId" | "agent" | "server" | "tool" | "danger" | "summary" | "digest">;

export type KeptQuestion = Partial<Omit<NewApproval, "rule">> &
  Pick<NewApproval, "callId"> & { rule: Partial<ApprovalRule> };

export function keepQuestion({ rule, ...question }: NewApproval, call: AskedCall | undefined, run: RunFacts) {
  const kept = leaveOut<Omit<NewApproval, "rule">>(question, knownOfQuestion(rule, call, run));
  return { ...kept, callId: question.callId, rule: leaveOut(rule, usualRule()) } satisfies KeptQuestion;
}

export function openQuestion(kept: KeptQuestion, call: AskedCall | undefined, run: RunFacts): NewApproval {
  const rule = { ...usualRule(), ...kept.rule };
  return { ...knownOfQuestion(rule, call, run), ...kept, rule } as NewApproval;
}

function knownOfQuestion(rule: ApprovalRule, call: AskedCall | undefined, run: RunFacts): Partial<NewApproval> {
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
