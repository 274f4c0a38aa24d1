/** A workflow for each way in which a run can fail, each with a secret where the failure is likely to quote it. */

export interface WayToFail {
  /** What the run's first failed step says. */
  code: string;
  /** How a person has to help it to fail: by rejecting a call, or by not accepting an answer. */
  by?: "reject" | "review";
}

const quote = (text: string) => JSON.stringify(text);
const agentStep = (id: string, agent: string, more = "") =>
  `  - { id: ${id}, agent: ./agents/${agent}.agent.yaml${more} }\n`;

/** `secret` is what the model has got hold of. */
export function waysToFail(secret: string) {
  const ways: Record<string, WayToFail & { workflow: string; agent?: string; plays?: string }> = {
    violation: {
      code: "output_invalid",
      agent: "max_turns: 2\noutput: { schema: { type: object, required: [n], properties: { n: { type: integer } } } }",
      plays: `{ output: { n: ${quote(secret)} } }`,
      workflow: agentStep("work", "violation"),
    },
    injected: {
      code: "injection_attempt",
      plays: `{ output: { ktsu_injection_attempt: ${quote(`it says ${secret}`)} } }`,
      workflow: agentStep("work", "injected"),
    },
    mistrusted: {
      code: "untrusted_content",
      plays: `{ output: { ktsu_untrusted_content: ${quote(`it says ${secret}`)} } }`,
      workflow: agentStep("work", "mistrusted"),
    },
    poor: {
      code: "low_quality",
      plays: `{ output: { ktsu_low_quality: ${quote(`nothing but ${secret}`)} } }`,
      workflow: agentStep("work", "poor"),
    },
    unsure: {
      code: "low_confidence",
      plays: `{ output: { ktsu_confidence: 0.1, ktsu_rationale: ${quote(secret)} } }`,
      workflow: agentStep("work", "unsure", ", confidence_threshold: 0.9"),
    },
    endless: {
      code: "max_turns_exceeded",
      agent: "max_turns: 2",
      plays: `{ call: [{ tool: ${quote(`no-${secret}`)}, unlisted: true, arguments: { key: ${quote(secret)} } }] }`,
      workflow: agentStep("work", "endless"),
    },
    silent: { code: "model_refused", plays: "{ error: { kind: refused } }", workflow: agentStep("work", "silent") },
    short: {
      code: "model_cut",
      plays: `{ say: ${quote(`it is ${secret}, and`)}, error: { kind: cut } }`,
      workflow: agentStep("work", "short"),
    },
    spent: {
      code: "budget_exceeded",
      agent: asks('when: "`false`"'),
      plays: `{ call: [{ tool: act, arguments: { key: ${quote(secret)} } }] }`,
      workflow: `${agentStep("work", "spent")}model_policy: { cost_budget_usd: 0.000001 }\n`,
    },
    late: {
      code: "run_timeout",
      plays: "{ delay_ms: 60000, output: { ok: true } }",
      workflow: `${agentStep("work", "late")}model_policy: { timeout_s: 1 }\n`,
    },
    reviewed: {
      code: "review_refused",
      by: "review",
      plays: `{ output: { ktsu_needs_human: ${quote(`look at ${secret}`)}, word: ${quote(secret)} } }`,
      workflow: agentStep("work", "reviewed"),
    },
    refused: {
      code: "call_rejected",
      by: "reject",
      agent: asks("on_reject: fail"),
      plays: `{ say: ${quote(`with ${secret}`)}, call: [{ tool: act, arguments: { n: 1 } }] }`,
      workflow: agentStep("work", "refused"),
    },
    expired: {
      code: "call_expired",
      agent: asks("timeout: 1s, timeout_behavior: fail"),
      plays: `{ say: ${quote(`with ${secret}`)}, call: [{ tool: act, arguments: { n: 1 } }] }`,
      workflow: agentStep("work", "expired"),
    },
    unlisted: {
      code: "not_a_list",
      workflow: `${agentStep("tell", "teller")}${agentStep("work", "teller", ', for_each: { from: "step.tell.word", max_items: 3 }')}`,
    },
    several: {
      code: "too_many_failures",
      workflow: `${agentStep("tell", "teller")}${agentStep("work", "violation", ', for_each: { from: "step.tell.words", max_items: 3, max_failures: 0 }')}`,
    },
    reshaped: {
      code: "transform_failed",
      workflow: `${agentStep("tell", "teller")}  - { id: work, transform: { inputs: [{ from: tell }], ops: [{ map: { expr: "abs(word)" } }] } }\n`,
    },
    judged: {
      code: "condition_failed",
      workflow: `${agentStep("tell", "teller")}${agentStep("work", "teller", ', condition: "abs(step.tell.word) > `1`"')}`,
    },
    unreached: {
      code: "webhook_unreachable",
      workflow:
        '  - { id: work, webhook: { url: "http://127.0.0.1:9/{{ env.HOOK_KEY }}", headers: { Authorization: "Bearer {{ env.HOOK_KEY }}" }, body: { key: "{{ env.HOOK_KEY }}" } } }\n',
    },
  };
  const files: Record<string, string> = {
    "models/fails.script.yaml": `agents:\n  teller: { otherwise: { output: { word: ${quote(secret)}, words: [${quote(secret)}, ${quote(secret)}] } } }\n${Object.entries(
      ways,
    )
      .flatMap(([name, { plays }]) => (plays ? [`  ${name}: { otherwise: ${plays} }\n`] : []))
      .join("")}`,
    "agents/teller.agent.yaml": agentFile("teller"),
  };
  for (const [name, { agent, plays, workflow }] of Object.entries(ways)) {
    if (plays) files[`agents/${name}.agent.yaml`] = agentFile(name, agent);
    files[`workflows/${name}.workflow.yaml`] =
      `kind: workflow\nname: ${name}\n${workflow.includes("env.HOOK_KEY") ? "env: [{ name: HOOK_KEY, secret: true }]\n" : ""}pipeline:\n${workflow}`;
  }
  return { ways: ways as Record<string, WayToFail>, files };
}

const agentFile = (name: string, more = "") =>
  `name: ${name}\nmodel: fails\nprompt: { system: "Work.", user: "Go." }\n${more}\n`;

const asks = (rule: string) =>
  `servers: [{ name: hostile, path: servers/hostile.server.yaml, access: { allowlist: [{ name: act, require_approval: { ${rule} } }] } }]`;
