import { findVariable, type Project } from "@/lib/config/project";
import { listReferences, renderTemplate } from "@/lib/config/template";
import { SendFailure } from "@/lib/engine/notices/send-failure";

/** A channel's text with its variables filled in, for the moment of use. Throws SendFailure, naming every variable that has no value. */
export function fillFromEnv(project: Project, processEnv: Readonly<Record<string, string | undefined>>, text: string): string {
  const names = [...new Set(listReferences(text, ["env"]).map(({ path }) => String(path[0])))];
  const values = names.map((name): [string, string | null] => {
    const entry = project.policy?.env.find((candidate) => candidate.name === name);
    return [name, entry ? findVariable(project, entry, processEnv) : null];
  });
  const missing = values.flatMap(([name, value]) => (value === null ? [name] : []));
  if (missing.length > 0) throw new SendFailure(`${missing.join(", ")} of policy.yaml has no value; set it where this process runs, or in the environment file.`, true);
  return String(renderTemplate(text, { env: Object.fromEntries(values) }));
}
