/**
 * Judges past calls by the project as its files are now: what would newly be asked, allowed or denied. Nothing is sent
 * and nothing is written. Tools are taken as they were when they were called, and arguments as the agent proposed them,
 * so that only the YAML makes a difference; what a run had spent by then is left out.
 */
import type { Project } from "@/lib/config/project";
import { isClientWorkflow, shownOwner } from "@/lib/config/profile-parts";
import { formatSourceLocation } from "@/lib/config/source-location";
import { toCallerScopes } from "@/lib/policy/agent-scope";
import { judgeByProject } from "@/lib/policy/judge-by-project";
import type { PolicyDecision } from "@/lib/policy/policy-answer";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { parseArguments } from "@/lib/runs/advance/find-lapse";
import type { Db } from "@/lib/database/client";
import { findDefinition } from "@/lib/tools/queries/find-definition";
import { listPastCalls, type PastCall } from "@/lib/runs/queries/list-past-calls";

type Verdict = PolicyDecision["decision"];

export interface ReplayedCall {
  callId: string;
  runId: string;
  agent: string;
  tool: string;
  before: Verdict;
  now: Verdict;
  /** The reason for the new decision, with the deciding line if there is one. */
  reason: string;
  source: string | null;
}

export interface Replay {
  calls: number;
  /** Newest first. */
  changed: ReplayedCall[];
  /** There are more calls in that time than were checked. */
  isCut: boolean;
}

export interface ReplayOptions {
  since: Date;
  workflow?: string | undefined;
  limit: number;
}

const PAGE = 500;

export async function replayCalls(
  deps: { db: Db; project: Project; allowBypass: boolean; hasLock: boolean },
  { since, workflow, limit }: ReplayOptions,
): Promise<Replay> {
  const definitions = new Map<string, Promise<ToolDefinition | null>>();
  const replay: Replay = { calls: 0, changed: [], isCut: false };
  for (let beforeId: string | null = null; ;) {
    const page: PastCall[] = await listPastCalls(deps.db, {
      since,
      workflow,
      beforeId,
      limit: Math.min(PAGE, limit + 1 - replay.calls),
    });
    for (const call of page) {
      if (replay.calls === limit) return { ...replay, isCut: true };
      replay.calls += 1;
      const changed = await replayCall(deps, call, definitions);
      if (changed) replay.changed.push(changed);
    }
    beforeId = page.at(-1)?.id ?? null;
    if (beforeId === null || page.length < PAGE) return replay;
  }
}

const describeAgent = (name: string): string => (isClientWorkflow(name) ? shownOwner(name) : `agent ${name}`);

/** Null when the decision is unchanged. */
async function replayCall(
  { db, project, allowBypass, hasLock }: Parameters<typeof replayCalls>[0],
  call: PastCall,
  definitions: Map<string, Promise<ToolDefinition | null>>,
): Promise<ReplayedCall | null> {
  const shown = {
    callId: call.id,
    runId: call.runId,
    agent: call.agents.at(-1) ?? "",
    tool: `${call.server}.${call.tool}`,
    before: call.decision,
  };
  const scopes = toCallerScopes(project, call.agents);
  const server = project.agents[shown.agent]?.servers.find(({ name }) => name === call.server)?.server;
  if (!scopes || !server) {
    const reason = scopes
      ? `${describeAgent(shown.agent)} has no server ${call.server} any more`
      : `there is no ${call.agents.map(describeAgent).join(" → ")} any more`;
    return call.decision === "deny" ? null : { ...shown, now: "deny", reason, source: null };
  }
  const key = `${server.name} ${call.tool} ${call.definitionFingerprint ?? ""}`;
  const finding =
    definitions.get(key) ??
    (call.definitionFingerprint
      ? findDefinition(db, { server: server.name, tool: call.tool, fingerprint: call.definitionFingerprint })
      : Promise.resolve(null));
  definitions.set(key, finding);
  const definition = await finding;
  const judged = judgeByProject({
    project,
    scopes,
    call: { server: call.server, tool: call.tool, arguments: parseArguments(call.argumentsAsked) ?? {} },
    server,
    tool: { listing: definition ? "listed" : "unlisted", annotations: definition?.annotations },
    hasLock,
    deployment: { allowBypass },
  });
  if (judged.decision === call.decision) return null;
  const deciding = judged.trace.findLast(({ outcome }) => outcome === judged.decision);
  const reason = judged.decision === "allow" ? (deciding?.reason ?? "nothing asks any more") : judged.reason;
  return {
    ...shown,
    now: judged.decision,
    reason,
    source: deciding?.source && deciding.source.file !== "" ? formatSourceLocation(deciding.source) : null,
  };
}
