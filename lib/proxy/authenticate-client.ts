/** Who a client is, by its token alone: a token of scope `mcp` that is bound to a profile of today's project. */
import { authenticateToken } from "@/lib/people/authenticate-token";
import { roleAllows } from "@/lib/people/rules/roles";
import type { ProxyDeps } from "@/lib/proxy/proxy-deps";
import type { Identity } from "@/lib/proxy/token-door";
import { KimitsuError } from "@/lib/errors";

export async function authenticateClient(
  deps: ProxyDeps,
  { authorization, address }: { authorization: string | undefined; address: string },
): Promise<Identity> {
  const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];
  if (!token)
    throw new KimitsuError(
      "unauthorized",
      "Send a token of an MCP client: Authorization: Bearer <token>. `npx kimitsu connect` makes one.",
    );
  const found = await authenticateToken(deps, { token, address });
  if (!found.scopes.includes("mcp")) throw new KimitsuError("forbidden", `The token ${found.name} has no scope mcp.`);
  if (!roleAllows(found.user.role, "mcp"))
    throw new KimitsuError("forbidden", `The role ${found.user.role} does not include mcp.`);
  if (found.profile === null)
    throw new KimitsuError(
      "forbidden",
      `The token ${found.name} is bound to no profile; make a new one with \`npx kimitsu connect\`.`,
    );
  const { profiles } = deps.projects.current().project;
  const profile = Object.hasOwn(profiles, found.profile) ? profiles[found.profile] : undefined;
  if (!profile)
    throw new KimitsuError(
      "forbidden",
      `The token ${found.name} is bound to the profile ${found.profile}, which the project does not have.`,
    );
  const { id, name } = found;
  return {
    deps,
    profile,
    caller: { token: { id, name }, user: { id: found.user.id, name: found.user.name }, profile: profile.name },
  };
}
