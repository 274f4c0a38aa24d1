import type { Project, ProjectProfile } from "@/lib/config/project";

const PREFIX = "profile:";

/** By its name, or as `profile:NAME` where something else has the same name. */
export function findProfile({ profiles }: Pick<Project, "profiles">, text: string): ProjectProfile | null {
  const name = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
}
