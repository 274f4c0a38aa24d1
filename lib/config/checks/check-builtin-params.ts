/** Checks the types of params that are given to built-in servers, which declare them. */
import { BUILTIN_SERVERS } from "@/lib/config/builtin-servers";
import type { Draft, Loaded } from "@/lib/config/draft";
import type { Links } from "@/lib/config/links";
import { formatPath, type ValuePath } from "@/lib/config/problem";
import { parseTemplates } from "@/lib/config/template";
import { listZodProblems } from "@/lib/config/zod-problems";

type Source = Loaded<unknown>["source"];

export function checkBuiltinParams(draft: Draft, links: Links): void {
  for (const agent of draft.agents) {
    for (const { index, server } of links.servers.get(agent.file) ?? []) {
      const given = agent.definition.servers[index]?.params ?? {};
      checkGiven(draft, agent.source, ["servers", index, "params"], server.definition.name, given);
    }
  }
  for (const { file, source, definition } of draft.workflows) {
    for (const [index, step] of definition.pipeline.entries()) {
      const target = links.steps.get(file)?.[index];
      if (target?.kind !== "agent" || !("agent" in step)) continue;
      for (const { name, server } of links.servers.get(target.agent.file) ?? []) {
        const overrides = step.params.server as Record<string, unknown> | undefined;
        const given = overrides && Object.hasOwn(overrides, name) ? overrides[name] : {};
        checkGiven(draft, source, ["pipeline", index, "params", "server", name], server.definition.name, given);
      }
    }
  }
}

/** What a template gives is known only in a run, and checked when the server is opened. */
function checkGiven(draft: Draft, source: Source, at: ValuePath, serverName: string, given: unknown): void {
  const builtin = BUILTIN_SERVERS.get(serverName);
  if (builtin === undefined || given === null || typeof given !== "object") return;
  for (const [name, value] of Object.entries(given)) {
    const schema = Object.hasOwn(builtin.params.shape, name) ? builtin.params.shape[name] : undefined;
    if (schema === undefined || parseTemplates(value).references.length > 0) continue;
    const parsed = schema.safeParse(value);
    if (parsed.success) continue;
    const place = [...at, name];
    const part: Source = { ...source, value, locate: (path, key) => source.locate([...place, ...path], key) };
    for (const problem of listZodProblems(part, schema, parsed.error as never)) {
      const inner = problem.path === "" || problem.path.startsWith("[") ? problem.path : `.${problem.path}`;
      draft.problems.push({ ...problem, path: `${formatPath(place)}${inner}` });
    }
  }
}
