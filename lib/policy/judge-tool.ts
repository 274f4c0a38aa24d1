/**
 * What the tool's own state requires, whatever the layers say: a definition that nobody has seen cannot have been
 * allowed.
 */
import { DEFAULT_APPROVAL_RULE } from "./approval-rule";
import type { LayerAnswer, PolicyLayer } from "./policy-answer";
import type { PolicyCall, PolicyContext } from "./policy-input";
import { formatToolName } from "./tool-pattern";

export interface ToolAnswer {
  layer: Extract<PolicyLayer, "tool_list" | "pin">;
  answer: LayerAnswer;
}

export function judgeTool(call: PolicyCall, context: PolicyContext): ToolAnswer[] {
  return [
    { layer: "tool_list", answer: judgeListing(call, context.tool.listing) },
    { layer: "pin", answer: judgePin(call, context) },
  ];
}

function judgeListing(call: PolicyCall, listing: PolicyContext["tool"]["listing"]): LayerAnswer {
  if (listing === "listed") return { outcome: "pass", reason: "the server lists the tool" };
  if (listing === "unlisted") {
    return { outcome: "deny", code: "tool_unknown", reason: `Server '${call.server}' has no tool '${call.tool}'` };
  }
  return ask(`the tools of server '${call.server}' could not be listed, so the definition is not known`);
}

function judgePin(call: PolicyCall, { tool, hasLock }: PolicyContext): LayerAnswer {
  const name = formatToolName(call);
  switch (tool.pin) {
    case "pinned":
      return { outcome: "pass", reason: "the definition is as locked" };
    case "trusted_first_use":
      if (tool.hidesText)
        return ask(`the definition of '${name}' holds characters that cannot be seen, and nobody has locked it`);
      return { outcome: "pass", reason: "no lock file: the first definition seen is trusted" };
    case "changed":
      return ask(`the definition of '${name}' has changed since it was ${hasLock ? "locked" : "first seen"}`);
    case "new":
    case "renamed": {
      const what = tool.pin === "new" ? "is new" : "was renamed";
      if (!hasLock) return ask(`the tool '${name}' ${what} since the server was first seen`);
      return {
        outcome: "deny",
        code: "tool_not_pinned",
        reason: `Tool '${name}' ${what} and not in tools.lock.yaml; run \`kimitsu lock\` after reviewing it`,
      };
    }
    default:
      return ask(`it is not known whether the definition of '${name}' has changed`);
  }
}

function ask(reason: string): LayerAnswer {
  return { outcome: "ask", rule: { ...DEFAULT_APPROVAL_RULE }, reason };
}
