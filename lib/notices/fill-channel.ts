import { findVariable, type Project } from "@/lib/config/project";
import { renderAddress } from "@/lib/config/render-address";
import { listReferences, renderTemplate, TemplateError, type TemplateScope } from "@/lib/config/template";
import { SendFailure } from "@/lib/notices/send-failure";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * A channel's text with its variables filled in, for the moment of use. Throws SendFailure, naming every variable that
 * has no value.
 */
export function fillFromEnv(project: Project, processEnv: Variables, text: string): string {
  return String(renderTemplate(text, readEnv(project, processEnv, text)));
}

/** The same for an address, in which a value is data and cannot change the destination. */
export function fillAddressFromEnv(project: Project, processEnv: Variables, text: string): string {
  const scope = readEnv(project, processEnv, text);
  try {
    return String(renderAddress(text, scope));
  } catch (error) {
    if (error instanceof TemplateError)
      throw new SendFailure(`The address cannot be filled in: ${error.message}.`, false);
    throw error;
  }
}

function readEnv(project: Project, processEnv: Variables, text: string): TemplateScope {
  const names = [...new Set(listReferences(text, ["env"]).map(({ path }) => String(path[0])))];
  const values = names.map((name): [string, string | null] => {
    const entry = project.policy?.env.find((candidate) => candidate.name === name);
    return [name, entry ? findVariable(project, entry, processEnv) : null];
  });
  const missing = values.flatMap(([name, value]) => (value === null ? [name] : []));
  if (missing.length > 0)
    throw new SendFailure(
      `${missing.join(", ")} of policy.yaml has no value; set it where this process runs, or in the environment file.`,
      true,
    );
  return { env: Object.fromEntries(values) };
}
