/**
 * What is checked of a profile alone. What it has in common with an agent (servers, toolsets, permissions, approval
 * rules) is checked with the agents, and its secrets with all chains.
 */
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import type { Links } from "@/lib/config/links";
import { findNearest, suggest } from "@/lib/config/problem";
import type { Profile } from "@/lib/config/profile-schema";
import { parseTemplates } from "@/lib/config/template";
import { valueAt } from "@/lib/config/zod-problems";
import { checkDeclaredEnv, checkEnvBlock } from "./check-env";
import { checkToolNames } from "./check-tool-names";
import { checkLegacyReferences, checkTemplates } from "./check-templates";
import { checkUnique } from "./check-unique";

export function checkProfiles(draft: Draft, links: Links): void {
  checkUnique(
    draft,
    "profile",
    draft.profiles.map(({ definition, source }) => ({ name: definition.name, source, at: ["name"] })),
  );
  for (const profile of draft.profiles) {
    checkVariables(draft, profile);
    checkPlaces(draft, profile);
    checkServerParams(draft, profile, links);
    checkToolNames(draft, profile, links);
    checkWithoutEffect(draft, profile);
  }
}

function checkVariables(draft: Draft, { source, definition }: Loaded<Profile>): void {
  checkEnvBlock(draft, source, definition.env);
  for (const [index, { name }] of definition.env.entries()) {
    if (name !== "server") continue;
    report(draft, source, ["env", index, "name"], 'a variable of a profile cannot be named "server"', {
      hint: "the word stands for the params of servers; choose another name, such as SERVER",
    });
  }
}

function checkPlaces(draft: Draft, profile: Loaded<Profile>): void {
  checkLegacyReferences(
    draft,
    profile,
    (name) => `write "{{ env.${name} }}" in \`servers[].params\` and declare ${name} under \`env\``,
  );
  checkTemplates(draft, profile, ([field, , inner]) => {
    if (field === "servers" && inner === "params")
      return {
        roots: ["env"],
        hint: 'a profile has no params and no steps: declare a variable under `env` and write "{{ env.NAME }}"',
      };
    if (field === "instructions")
      return { roots: [], hint: "instructions are given to the client's model as they are; write the text itself" };
    return { roots: [], hint: "in a profile only `servers[].params` is filled in, from `env`" };
  });
}

function checkServerParams(draft: Draft, { source, file, definition }: Loaded<Profile>, links: Links): void {
  for (const { index, name, server } of links.servers.get(file) ?? []) {
    const at = ["servers", index];
    const given = definition.servers[index]?.params ?? {};
    for (const { path, at: inside } of parseTemplates(given, ["env"]).references)
      checkDeclaredEnv(draft, source, [...at, "params", ...inside], path[0] ?? "", definition.env);
    const known = Object.keys(server.definition.params);
    const unknown = Object.keys(given).filter((param) => !known.includes(param));
    for (const param of unknown)
      report(draft, source, [...at, "params", param], `server ${name} has no param ${JSON.stringify(param)}`, {
        hint: suggest(param, known, "params of the server"),
        part: "key",
      });
    const meant = new Set(unknown.map((param) => findNearest(param, known)));
    for (const [param, { default: fallback, secret }] of Object.entries(server.definition.params)) {
      if (fallback !== undefined || Object.hasOwn(given, param) || meant.has(param)) continue;
      report(draft, source, at, `server ${name} needs the param ${JSON.stringify(param)}, which nobody gives`, {
        hint: `add it under servers[${index}].params${secret ? "" : `, or give it a default in ${server.file}`}`,
      });
    }
  }
}

/** Settings that mean something for an agent and nothing for a client: whoever writes one expects more than it does. */
function checkWithoutEffect(draft: Draft, { source, definition }: Loaded<Profile>): void {
  for (const [index, server] of definition.servers.entries()) {
    for (const [position, entry] of (server.access?.allowlist ?? []).entries()) {
      const at = ["servers", index, "access", "allowlist", position, "require_approval", "on_reject"];
      if (typeof entry === "string" || valueAt(source.value, at) === undefined) continue;
      report(draft, source, at, "`on_reject` has no effect in a profile", {
        severity: "warning",
        hint: "a client gets the rejection as the tool's error, and its own model goes on; remove the field",
      });
    }
  }
  if (definition.permissions?.self_approval !== undefined)
    report(draft, source, ["permissions", "self_approval"], "`self_approval` has no effect in a profile", {
      severity: "warning",
      hint: "it is about answers of agents; for calls write it under `require_approval`",
    });
}
