/**
 * A workflow may name a header and a secret by which callers without an account start it. Wrong ones are counted like
 * wrong tokens.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { findWorkflow } from "@/lib/config/list-definitions";
import { findVariable, type Project, type ProjectWorkflow } from "@/lib/config/project";
import { renderTemplate } from "@/lib/config/template";
import type { Actor } from "@/lib/people/rules/actor";
import { looksLikeToken } from "@/lib/people/rules/api-token";
import { countBadProof } from "@/lib/people/count-bad-proof";
import type { Runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";

export interface InvokeCaller {
  workflow: string;
  headers: Headers;
  address: string;
}

/** Null when the workflow declares no invoke secret, or the request has none; then a session or a token is required. */
export async function authenticateInvoke(deps: Runtime, caller: InvokeCaller): Promise<Actor | null> {
  const { project } = deps.projects.current();
  const workflow = findWorkflow(project, caller.workflow);
  const auth = workflow?.definition.visibility === "root" ? workflow.definition.invoke?.auth : undefined;
  const given = auth ? caller.headers.get(auth.header) : null;
  if (!workflow || !auth || given === null) return null;
  const proof = auth.scheme === "bearer" ? /^Bearer\s+(\S+)$/i.exec(given)?.[1] : given;
  const isOurs = auth.header.toLowerCase() === "authorization";
  if (isOurs && proof !== undefined && looksLikeToken(proof)) return null;
  const secret = readSecret(auth.secret, { project, workflow }, deps.processEnv);
  if (proof !== undefined && secret !== null && isSame(proof, secret)) {
    return {
      kind: "token",
      id: `invoke:${workflow.name}`,
      name: `Secret of ${workflow.name}`,
      address: caller.address,
    };
  }
  await countBadProof(deps, { address: caller.address, what: "secrets" });
  throw new KimitsuError(
    "unauthorized",
    `The header ${auth.header} does not hold the secret of workflow ${workflow.name}${auth.scheme === "bearer" ? "; it must read: Bearer <secret>" : ""}.`,
  );
}

/** Null when one of its variables is not set: an unset secret must not open access. */
function readSecret(
  template: string,
  { project, workflow }: { project: Project; workflow: ProjectWorkflow },
  processEnv: Runtime["processEnv"],
): string | null {
  const values = workflow.definition.env.map((entry) => [
    entry.name,
    findVariable(project, entry, processEnv) ?? undefined,
  ]);
  try {
    const secret = renderTemplate(template, { env: Object.fromEntries(values) });
    return typeof secret === "string" && secret !== "" ? secret : null;
  } catch {
    return null;
  }
}

/** Hashes have equal length, so the time reveals neither the length nor the first wrong character. */
function isSame(given: string, secret: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(secret));
}
