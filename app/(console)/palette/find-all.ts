import { DANGER_WORDS } from "@/components/approvals/card/danger";
import type { FoundGroup } from "@/components/shell/palette-items";
import { describeAge } from "@/components/ui/describe-age";
import { listWorkflows } from "@/lib/config/list-definitions";
import { can, type Principal } from "@/lib/people/session/principal";
import { engineDeps } from "@/lib/database/deps";
import { listRegistryTools } from "@/lib/tools/registry/list-registry";
import { runtime } from "@/lib/runs/runtime";
import { searchPending, searchPeople, searchRuns, toWords } from "@/lib/runs/queries/search-console";
import { findCurrentProject } from "../workflows/current-project";

const TOOLS_MAX = 5;

/**
 * Everything that matches these words, as far as this person may see it. Each entry is an address, and each page checks
 * permissions again.
 */
export async function findAll(caller: Principal, text: string): Promise<FoundGroup[]> {
  const { db, now } = engineDeps();
  const clock = now().toISOString();
  const words = toWords(text);
  const project = findCurrentProject();
  const [calls, runs, tools, people] = await Promise.all([
    can(caller, "approvals:read") ? searchPending(db, words) : [],
    searchRuns(db, text),
    project && can(caller, "registry:read") ? listRegistryTools(runtime(), { q: text }) : [],
    can(caller, "admin") ? searchPeople(db, text) : [],
  ]);
  const workflows = (project ? listWorkflows(project) : []).filter(({ name, definition }) =>
    words.every((word) => `${name} ${definition.description ?? ""}`.toLowerCase().includes(word)),
  );
  const start = (visibility: string) =>
    visibility === "root" && can(caller, "runs:write") ? "Start a run" : "Look at it";
  const groups: FoundGroup[] = [
    {
      title: "Waiting calls",
      items: calls.map((call) => ({
        label: call.summary,
        detail: `${call.tool} · ${DANGER_WORDS[call.danger]} · ${describeAge(call.at.toISOString(), clock)}`,
        href: `/inbox/${call.id}`,
      })),
    },
    {
      title: "Workflows",
      items: workflows.map(({ name, definition }) => ({
        label: name,
        detail: start(definition.visibility),
        href: `/workflows/${encodeURIComponent(name)}`,
      })),
    },
    {
      title: "Runs",
      items: runs.map((run) => ({
        label: run.id,
        detail: `${run.workflow} · ${run.status.replaceAll("_", " ")} · ${run.startedBy}`,
        about: run.about,
        href: `/history/${run.id}`,
      })),
    },
    {
      title: "Tools",
      items: tools.slice(0, TOOLS_MAX).map((tool) => ({
        label: `${tool.server}.${tool.tool}`,
        detail: tool.title ?? "",
        href: `/tools/${encodeURIComponent(tool.server)}/${encodeURIComponent(tool.tool)}`,
      })),
    },
    {
      title: "People",
      items: people.map((person) => ({
        label: person.name,
        detail: `${person.email} · ${person.role}`,
        href: `/settings/people?q=${encodeURIComponent(person.email)}`,
      })),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
