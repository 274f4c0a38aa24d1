/**
 * A webhook that carries a secret must go where the file or the deployment says: what chooses its address is traced to
 * its source.
 */
import { listAddressChoosers } from "@/lib/config/address-template";
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import type { ValuePath } from "@/lib/config/problem";
import type { WebhookStep } from "@/lib/config/step-schema";
import { parseTemplates } from "@/lib/config/template";
import type { Workflow } from "@/lib/config/workflow-schema";
import type { ChainNode } from "./chain";
import type { Flow } from "./flows";
import { envNode, workflowParamNode } from "./nodes";

export interface WebhookAddress {
  workflow: Loaded<Workflow>;
  step: WebhookStep;
  at: ValuePath;
  /** What the request carries, as it is drawn. */
  secrets: readonly string[];
}

/** Each value that influences where the request goes; none when the request carries no secret. */
export function listAddressFlows(
  workflow: Loaded<Workflow>,
  index: number,
  step: WebhookStep,
): { flow: Flow; address: WebhookAddress }[] {
  const secrets = listCarried(workflow, step);
  if (secrets.length === 0) return [];
  const at = ["pipeline", index, "webhook", "url"];
  return listAddressChoosers(step.webhook.url).map(({ root, path }) => ({
    flow: { from: { root, path }, at, to: [] },
    address: { workflow, step, at, secrets },
  }));
}

function listCarried(workflow: Loaded<Workflow>, { webhook }: WebhookStep): string[] {
  const { url, headers, body = null } = webhook;
  const nodes = parseTemplates({ url, headers, body }).references.map(({ root, path }) => {
    if (root === "env") return envNode(workflow, path[0] ?? "");
    return root === "params" ? workflowParamNode(workflow, path, "read") : null;
  });
  return [...new Set(nodes.flatMap((node) => (node?.isSecret ? [node.label] : [])))];
}

export function checkWebhookAddress(
  draft: Draft,
  { workflow, step, at, secrets }: WebhookAddress,
  chain: readonly ChainNode[],
): void {
  const [source, ...between] = chain;
  if (source === undefined || source.isFixed === true) return;
  const way = [
    `${source.label} (chooses the address)`,
    ...between.map(({ label }) => label),
    `webhook of step ${step.id}`,
  ].join("  →  ");
  report(draft, workflow.source, at, "a secret would be sent to an address that the file does not fix", {
    chain: `${way}  ←  ${secrets.map((label) => `${label} (secret)`).join(", ")}`,
    hint: "write scheme, host and port out in `url`, or take them from an `env` entry; or send this request without the secret",
  });
}
