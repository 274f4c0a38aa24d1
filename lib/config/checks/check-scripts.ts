import { isUnknown, report, type Draft } from "@/lib/config/draft";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import { suggest } from "@/lib/config/problem";

/** A script for an agent that does not exist would never be played, which is most often a typing error in the name. */
export function checkScripts(draft: Draft): void {
  const names = draft.agents.map((agent) => agent.definition.name).filter((name) => !isClientWorkflow(name));
  const isComplete =
    ![...draft.broken].some((file) => file.startsWith("agents/")) &&
    !draft.agents.some(({ file, definition }) => !isClientWorkflow(definition.name) && isUnknown(draft, file, "name"));
  for (const { source, definition } of draft.scripts) {
    for (const name of Object.keys(definition.agents)) {
      if (name === "*" || names.includes(name) || !isComplete) continue;
      report(draft, source, ["agents", name], `no agent ${JSON.stringify(name)}`, {
        severity: "warning",
        hint: suggest(name, names, "agents"),
        part: "key",
      });
    }
  }
}
