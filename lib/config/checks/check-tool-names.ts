/**
 * With `prefix: never` clients call tools by their own names, so that two of one name cannot be told apart. What the
 * files know is checked here: the lock, the facts of servers, and names on allowlists. The rest shows when the tools
 * are listed.
 */
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import type { Links, ServerLink } from "@/lib/config/links";
import type { Profile } from "@/lib/config/profile-schema";

/** Kimitsu's own tools, which every client gets. */
const OWN_TOOLS = ["kimitsu_get_result", "kimitsu_cancel"];

export function checkToolNames(draft: Draft, { source, file, definition }: Loaded<Profile>, links: Links): void {
  if (definition.prefix !== "never") return;
  const hint = "use `prefix: always`, or narrow `access.allowlist` so that only one of them is left";
  const taken = new Map<string, string>();
  for (const link of links.servers.get(file) ?? []) {
    const at = ["servers", link.index];
    for (const tool of listNames(draft, definition, link)) {
      const earlier = taken.get(tool);
      if (OWN_TOOLS.includes(tool))
        report(draft, source, at, `the tool ${tool} of server ${link.name} has the name of one of Kimitsu's own`, {
          hint,
        });
      else if (earlier !== undefined)
        report(draft, source, at, `the servers ${earlier} and ${link.name} both have a tool ${JSON.stringify(tool)}`, {
          hint,
        });
      else taken.set(tool, link.name);
    }
  }
}

/** Names of tools that clients may call, as far as the files know them. */
function listNames(draft: Draft, profile: Profile, { index, server }: ServerLink): string[] {
  const allowlist = profile.servers[index]?.access?.allowlist ?? ["*"];
  const patterns = allowlist.map((entry) => (typeof entry === "string" ? entry : entry.name));
  const exact = patterns.filter((pattern) => !pattern.endsWith("*"));
  const known = draft.lockedTools.get(server.definition.name) ?? [
    ...Object.keys(server.definition.tools ?? {}),
    ...exact,
  ];
  const isAllowed = (tool: string) =>
    patterns.some((pattern) => (pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern));
  return [...new Set(known)].filter(isAllowed);
}
