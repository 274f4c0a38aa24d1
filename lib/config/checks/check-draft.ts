/** All cross-checks, in one pass over what was read. Order does not matter: problems are sorted at the end. */
import type { Draft } from "@/lib/config/draft";
import { followLinks, type Links } from "@/lib/config/links";
import { checkSecretChains } from "@/lib/config/secret-chain";
import { checkAgents } from "./check-agents";
import { checkBuiltinParams } from "./check-builtin-params";
import { checkBudgets } from "./check-budgets";
import { checkEnvironments } from "./check-environments";
import { checkGateway } from "./check-gateway";
import { SchemaChecker } from "./check-json-schemas";
import { checkParams } from "./check-params";
import { checkApprovalRules } from "./check-permissions";
import { checkPolicy } from "./check-policy";
import { checkProfiles } from "./check-profiles";
import { checkScripts } from "./check-scripts";
import { checkServers } from "./check-servers";
import { checkWorkflows } from "./check-workflows";

export function checkDraft(draft: Draft): Links {
  const links = followLinks(draft);
  checkGateway(draft);
  checkEnvironments(draft);
  checkPolicy(draft);
  checkServers(draft);
  checkAgents(draft, links);
  checkProfiles(draft, links);
  checkApprovalRules(draft);
  checkWorkflows(draft, links);
  checkBudgets(draft, links);
  checkParams(draft, links);
  checkBuiltinParams(draft, links);
  checkSchemas(draft);
  checkScripts(draft);
  checkSecretChains(draft, links);
  return links;
}

function checkSchemas(draft: Draft): void {
  const checker = new SchemaChecker(draft);
  for (const { source, definition } of draft.agents) {
    if (definition.params) checker.check(source, ["params", "schema"], definition.params.schema, true);
    if (definition.output) checker.check(source, ["output", "schema"], definition.output.schema, false);
  }
  for (const { source, definition } of draft.workflows) {
    if (definition.params) checker.check(source, ["params", "schema"], definition.params.schema, true);
    if (definition.output?.schema) checker.check(source, ["output", "schema"], definition.output.schema, false);
    for (const [index, step] of definition.pipeline.entries()) {
      if (step.output) checker.check(source, ["pipeline", index, "output", "schema"], step.output.schema, false);
    }
  }
}
