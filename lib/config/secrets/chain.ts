/** One path of a value from its source to its use, and whether it is marked secret all along. */
import { formatPath, type ValuePath } from "@/lib/config/problem";
import type { YamlSource } from "@/lib/config/yaml-source";

export interface ChainNode {
  /** As it is drawn: `agent caller.params.token`. */
  label: string;
  /**
   * `declared`: an env entry or a param, which its file marks secret or not. `constant`: a literal or a step's output,
   * which can never be secret. `auth`: a place that must be fed by a secret. `open`: a place whose content is recorded,
   * so no secret may enter.
   */
  role: "declared" | "constant" | "auth" | "open";
  isSecret: boolean;
  /** True for what the file or the deployment itself sets, so that no caller, step or model can influence it. */
  isFixed?: true;
  /** The place to fix, and how. */
  source: YamlSource;
  at: ValuePath;
  fix: string;
}

export interface BrokenChain {
  /** The nodes that are missing a mark or have a wrong one, in the order of the flow. */
  culprits: ChainNode[];
  /** True when a secret would reach a place whose content is recorded. */
  isLeak: boolean;
}

/**
 * A chain with a secret in it, or with `auth` at its end, must be secret all along. Each mark that is missing would
 * make the next one missing too, so all of them are found at once, and a person can fix the chain at once.
 */
export function judgeChain(chain: readonly ChainNode[]): BrokenChain | null {
  const needsSecret = chain.map((node) => node.role === "auth" || (node.role === "declared" && node.isSecret));
  const isLeak = () => chain.some((node, index) => node.role === "open" && needsSecret[index - 1] === true);
  for (let changed = true; changed;) {
    changed = false;
    for (let index = 0; index + 1 < chain.length; index += 1) {
      const [from, to] = [chain[index]!, chain[index + 1]!];
      if (needsSecret[index] && !needsSecret[index + 1] && to.role === "declared")
        changed = needsSecret[index + 1] = true;
      if (needsSecret[index + 1] && !needsSecret[index] && from.role !== "open") changed = needsSecret[index] = true;
    }
  }
  const culprits = chain.filter(
    (node, index) =>
      (needsSecret[index] && !node.isSecret && node.role !== "auth") ||
      (node.role === "open" && needsSecret[index - 1]),
  );
  return culprits.length === 0 ? null : { culprits, isLeak: isLeak() };
}

export function drawChain(chain: readonly ChainNode[], culprits: readonly ChainNode[]): string {
  return chain
    .map((node) => {
      if (node.role === "auth") return node.label;
      if (node.role === "open") return culprits.includes(node) ? `${node.label} (NOT a place for secrets)` : node.label;
      return `${node.label} (${node.isSecret ? "secret" : culprits.includes(node) ? "NOT secret" : "not secret"})`;
    })
    .join("  →  ");
}

/** How to fix the chain, one line for each culprit; names the file where it is not the cited one. */
export function explainRepair(culprits: readonly ChainNode[]): string {
  const cited = culprits[0]?.source.file;
  return [
    ...new Set(culprits.map((node) => (node.source.file === cited ? node.fix : `${node.fix} in ${node.source.file}`))),
  ].join("\n");
}

export function keyOf(culprits: readonly ChainNode[]): string {
  return culprits.map((node) => `${node.source.file}:${formatPath(node.at)}`).join("|");
}
