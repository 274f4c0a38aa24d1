import type { Agent } from "@/lib/config/agent-schema";
import { modelFacingName } from "@/lib/config/builtin-servers";
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import type { Links } from "@/lib/config/links";
import { listLoosening } from "@/lib/config/list-loosening";
import { listCycles } from "@/lib/config/pipeline-order";
import { suggest } from "@/lib/config/problem";
import { isClientWorkflow, ownerKind } from "@/lib/config/profile-parts";
import { checkPermissions } from "./check-permissions";
import { checkModelGroup } from "./check-gateway";
import { checkLegacyReferences, checkTemplates } from "./check-templates";
import { checkUnique } from "./check-unique";

/** Profiles are among the agents; what only the file of an agent has is not checked of them (check-profiles.ts). */
export function checkAgents(draft: Draft, links: Links): void {
  const own = draft.agents.filter(({ definition }) => !isClientWorkflow(definition.name));
  checkUnique(
    draft,
    "agent",
    own.map((agent) => ({ name: agent.definition.name, source: agent.source, at: ["name"] })),
  );
  for (const agent of own) {
    checkModelGroup(draft, agent.source, ["model"], agent.definition.model);
    checkPlaces(draft, agent);
    checkParams(draft, agent);
  }
  for (const agent of draft.agents) {
    checkServerNames(draft, agent, links);
    checkToolsets(draft, agent, links);
    checkPermissions(draft, agent.source, ["permissions"], agent.definition.permissions);
    for (const { path, message, hint } of listLoosening(
      draft.policy?.definition.permissions,
      agent.definition.permissions,
      ownerKind(agent.definition.name) === "profile" ? "a profile" : "an agent",
    )) {
      report(draft, agent.source, ["permissions", ...path], message, { hint });
    }
  }
  checkSubagents(draft, links);
}

function checkPlaces(draft: Draft, agent: Loaded<Agent>): void {
  checkLegacyReferences(
    draft,
    agent,
    (name) =>
      `let the workflow pass it as a param marked \`secret: true\`, and write "{{ params.${name.toLowerCase()} }}"`,
  );
  checkTemplates(draft, agent, ([field, ...rest]) => {
    if (field === "prompt" && rest[0] === "system")
      return {
        roots: [],
        hint: "prompt.system must be static so that providers can cache it; move this to prompt.user",
      };
    if (field === "prompt") return ["params"];
    // Older projects fill it in; here it has no effect.
    if (field === "servers" && rest[1] === "persistent_id") return "skip";
    if (field === "servers" && rest[1] === "params")
      return { roots: ["params"], hint: "an agent sees only its own params" };
    if ((field === "subagents" || field === "sub_agents") && rest[1] === "params") return ["params"];
    if (field === "params" || field === "output") return "skip";
    return {
      roots: [],
      hint: "templates are filled in only in `prompt.user`, `prompt.reflect` and `servers[].params`",
    };
  });
}

function checkServerNames(draft: Draft, agent: Loaded<Agent>, links: Links): void {
  const taken = new Map<string, number>();
  for (const { index, name, server } of links.servers.get(agent.file) ?? []) {
    const at = agent.definition.servers[index]?.name === undefined ? ["servers", index] : ["servers", index, "name"];
    const facing = modelFacingName(name);
    const earlier = taken.get(facing);
    if (earlier !== undefined) {
      const owner = ownerKind(agent.definition.name);
      report(
        draft,
        agent.source,
        at,
        `the ${owner} already has a server ${JSON.stringify(name)} (servers[${earlier}])`,
        {
          hint: "its tools would have the same names; give one of them another name",
        },
      );
    }
    taken.set(facing, index);
    if (server.origin !== "local" || name === server.definition.name) continue;
    if (!/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name) || name.startsWith("kimitsu-")) {
      report(draft, agent.source, at, `${JSON.stringify(name)} cannot name a server`, {
        hint: `use lower-case letters, digits and hyphens, such as ${JSON.stringify(server.definition.name)}`,
      });
    } else {
      report(
        draft,
        agent.source,
        at,
        `the server calls itself ${JSON.stringify(server.definition.name)} in ${server.file}`,
        {
          severity: "warning",
          hint: `people will see it as ${JSON.stringify(name)} here; one name for one server is easier to follow`,
        },
      );
    }
  }
}

function checkToolsets(draft: Draft, agent: Loaded<Agent>, links: Links): void {
  const known = (links.servers.get(agent.file) ?? []).flatMap(({ server }) => server.definition.toolset ?? []);
  const isComplete = links.servers.get(agent.file)?.length === agent.definition.servers.length;
  for (const [index, entry] of (agent.definition.toolsets ?? []).entries()) {
    const toolset = typeof entry === "string" ? entry : entry.name;
    if (known.includes(toolset) || !isComplete) continue;
    report(
      draft,
      agent.source,
      typeof entry === "string" ? ["toolsets", index] : ["toolsets", index, "name"],
      `none of the ${ownerKind(agent.definition.name)}'s servers has the toolset ${JSON.stringify(toolset)}`,
      {
        hint:
          suggest(toolset, [...new Set(known)], "toolsets of its servers") ??
          "add `toolset:` to the server, or remove this entry",
      },
    );
  }
}

function checkParams(draft: Draft, agent: Loaded<Agent>): void {
  const properties = agent.definition.params?.schema.properties;
  if (
    properties === undefined ||
    properties === null ||
    typeof properties !== "object" ||
    !Object.hasOwn(properties, "server")
  )
    return;
  report(draft, agent.source, ["params", "schema", "properties", "server"], 'a param cannot be named "server"', {
    hint: "in workflow steps `params.server` holds overrides for tool servers; choose another name",
    part: "key",
  });
}

function checkSubagents(draft: Draft, links: Links): void {
  const edges = new Map(
    [...links.subagents].map(([file, targets]) => [file, targets.map((target) => target.agent.file)]),
  );
  for (const cycle of listCycles(edges)) {
    const [first, second] = cycle;
    const agent = draft.agents.find((candidate) => candidate.file === first);
    const link = links.subagents.get(first ?? "")?.find((target) => target.agent.file === second);
    if (agent && link)
      report(draft, agent.source, link.at, `agents call each other in a circle: ${cycle.join(" → ")}`, {
        hint: "remove one of the links",
      });
  }
  for (const [file, targets] of links.subagents) {
    const parent = draft.agents.find((agent) => agent.file === file);
    const names = new Set(links.servers.get(file)?.map((link) => link.name));
    for (const { agent, at } of targets) {
      const foreign = (links.servers.get(agent.file) ?? [])
        .filter((link) => !names.has(link.name))
        .map((link) => link.name);
      if (foreign.length === 0 || parent === undefined) continue;
      report(
        draft,
        parent.source,
        at,
        `${agent.definition.name} uses ${foreign.join(", ")}, which ${parent.definition.name} does not have`,
        {
          severity: "warning",
          hint: "a sub-agent never gets more than its parent; those tools will not be there",
        },
      );
    }
  }
}
