/**
 * Tokens of MCP clients: the scope `mcp` stands alone and is bound to one profile. Such a token lies in a client's
 * configuration file, where it must be good for nothing else.
 */
import type { Scope } from "@/lib/people/rules/roles";

export interface TokenGrant {
  scopes: readonly Scope[];
  /** By the name of a profile of the project. */
  profile: string | null;
}

interface Issue {
  path: "scopes" | "profile";
  message: string;
}

/** What is wrong with a token that is to be made; `profiles` is null when the project could not be read. */
export function listGrantIssues({ scopes, profile }: TokenGrant, profiles: readonly string[] | null): Issue[] {
  if (!scopes.includes("mcp")) {
    const message = "is only for tokens with the scope mcp; leave it out";
    return profile === null ? [] : [{ path: "profile", message }];
  }
  const issues: Issue[] = [];
  const others = scopes.filter((scope) => scope !== "mcp");
  if (others.length > 0)
    issues.push({
      path: "scopes",
      message: `mcp stands alone: the token lies in a client's configuration file, and must not also be good for ${others.join(", ")}. Make a second token for ${others.length === 1 ? "that" : "those"}`,
    });
  const message = profileIssue(profile, profiles);
  if (message !== null) issues.push({ path: "profile", message });
  return issues;
}

function profileIssue(profile: string | null, profiles: readonly string[] | null): string | null {
  if (profiles === null) return "cannot be checked, because the project cannot be read; `kimitsu validate` says why";
  if (profiles.length === 0)
    return "is missing, and the project has none: add profiles/NAME.profile.yaml, which says what a client may do";
  const known = `profiles are ${profiles.join(", ")}`;
  if (profile === null) return `is missing: the scope mcp needs the profile that says what the client may do; ${known}`;
  return profiles.includes(profile) ? null : `there is no profile ${JSON.stringify(profile)}; ${known}`;
}

/** Why a token may not be used by an MCP client, with what to do; null when it may. */
export function refuseClientToken(token: TokenGrant, profiles: readonly string[]): string | null {
  if (!token.scopes.includes("mcp"))
    return "This token lacks the scope mcp; MCP clients use a token of their own, made with `kimitsu token create --scopes mcp --profile NAME`.";
  if (token.profile === null)
    return "This token was made before tokens had a profile, so nothing says what it may do. Revoke it, and make another with `kimitsu token create --scopes mcp --profile NAME`.";
  if (profiles.includes(token.profile)) return null;
  return `The profile ${JSON.stringify(token.profile)} of this token is no longer in the project. Add profiles/${token.profile}.profile.yaml again, or make a token for another profile.`;
}
