import { report, type Draft } from "@/lib/config/draft";
import { ROLES } from "@/lib/config/policy-schema";
import { parseTemplates } from "@/lib/config/template";
import { checkDeclaredEnv, checkEnvBlock, checkSecretPlace } from "./check-env";
import { checkPermissions } from "./check-permissions";
import { checkTemplates } from "./check-templates";
import { checkUnique } from "./check-unique";

export function checkPolicy(draft: Draft): void {
  if (draft.policy === null) return;
  const { source, definition } = draft.policy;
  checkUnique(
    draft,
    "channel",
    definition.channels.map(({ name }, index) => ({ name, source, at: ["channels", index, "name"] })),
  );
  checkEnvBlock(draft, source, definition.env);
  checkPermissions(draft, source, ["permissions"], definition.permissions);
  for (const name of Object.keys(definition.groups)) {
    if (!(ROLES as readonly string[]).includes(name)) continue;
    report(draft, source, ["groups", name], `${JSON.stringify(name)} is a role, so it cannot name a group`, {
      hint: "choose another name",
      part: "key",
    });
  }
  checkRetention(draft);
  checkTemplates(draft, draft.policy, ([field, , inner]) =>
    field === "channels" && (inner === "url" || inner === "secret")
      ? ["env"]
      : { roots: [], hint: "in the policy only the `url` and `secret` of channels are filled in, from `env`" },
  );
  for (const [index, channel] of definition.channels.entries()) {
    const at = ["channels", index];
    for (const field of ["url", "secret"] as const) {
      const value = (channel as { url?: string; secret?: string })[field];
      if (value === undefined) continue;
      for (const { path } of parseTemplates(value, ["env"]).references)
        checkDeclaredEnv(draft, source, [...at, field], path[0] ?? "", definition.env);
      if (field === "secret" || channel.type === "slack")
        checkSecretPlace(draft, source, [...at, field], value, definition.env);
    }
  }
}

/** The trail must outlive its runs: a run without its trail could be neither shown nor verified. */
function checkRetention(draft: Draft): void {
  const { runs, audit } = draft.policy?.definition.retention ?? {};
  if (!draft.policy || audit === undefined || (runs !== undefined && runs <= audit)) return;
  const hint = runs === undefined ? "add `runs`, such as `90d`" : "keep `audit` at least as long as `runs`";
  report(
    draft,
    draft.policy.source,
    ["retention", "audit"],
    "the audit trail would end before the runs that it tells of",
    { hint },
  );
}
