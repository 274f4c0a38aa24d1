import { describeDuration } from "@/components/runs/describe-figures";
import type { Mark } from "@/components/runs/run-words";
import { StatusMark } from "@/components/runs/status-mark";

interface Rule {
  onReject: string;
  timeoutMs: number | null;
  approvers: readonly string[];
  minApprovals: number;
  selfApproval: boolean;
}

interface Policy {
  agent: string;
  answer: "allow" | "ask" | "deny";
  reasons: readonly { layer: string; outcome: string; reason: string; source: string | null }[];
  conditions: readonly { outcome: string; when: string; source: string | null }[];
  rule: Rule | null;
}

const ANSWERS: Record<Policy["answer"], { mark: Mark; word: string }> = {
  allow: { mark: "done", word: "runs at once" },
  ask: { mark: "person", word: "asks a person" },
  deny: { mark: "failed", word: "is denied" },
};
const DEPENDS = { mark: "person", word: "depends on arguments" } as const;
const OUTCOMES: Readonly<Record<string, string>> = { allow: "Runs at once", ask: "Asks", deny: "Is denied" };

/** For each agent what the policy answers to a call, and the places in the YAML that decide it. */
export function AgentPolicies({ policies }: { policies: readonly Policy[] }) {
  return (
    <ul className="grid rounded-lg border border-line">
      {policies.map((policy) => (
        <li
          key={policy.agent}
          className="grid gap-x-6 gap-y-1 border-b border-line px-3.5 py-3 last:border-b-0 tablet:grid-cols-[200px_minmax(0,1fr)]"
        >
          <div>
            <p className="font-medium">{policy.agent}</p>
            <StatusMark
              {...(policy.conditions.length > 0 ? DEPENDS : ANSWERS[policy.answer])}
              className="text-sm text-ink-2"
            />
          </div>
          <div className="grid gap-1">
            {policy.conditions.map((condition, index) => (
              <Line key={`when ${index}`} source={condition.source}>
                {OUTCOMES[condition.outcome] ?? condition.outcome} when{" "}
                <code className="wrap-anywhere">{condition.when}</code>
              </Line>
            ))}
            {policy.reasons.map((reason, index) => (
              <Line key={`reason ${index}`} source={reason.source ?? reason.layer}>
                {policy.conditions.length > 0 ? "Without arguments: " : ""}
                {reason.reason}
              </Line>
            ))}
            {policy.rule ? <p className="text-sm text-ink-3">{describeRule(policy.rule)}</p> : null}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Line({ source, children }: { source: string | null; children: React.ReactNode }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-4">
      <span className="min-w-0 flex-1 wrap-anywhere max-tablet:basis-full">{children}</span>
      {source ? <code className="text-ink-3 wrap-anywhere">{source}</code> : null}
    </p>
  );
}

function describeRule({ approvers, minApprovals, selfApproval, onReject, timeoutMs }: Rule): string {
  return [
    `${minApprovals} of ${approvers.length > 0 ? approvers.join(", ") : "any reviewer"}`,
    selfApproval ? "whoever started the run may decide" : "not whoever started the run",
    `a rejection means ${onReject}`,
    timeoutMs === null ? "waits without end" : `waits ${describeDuration(timeoutMs)}`,
  ].join(" · ");
}
