import type { Provider } from "next-auth/providers";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import { readGitHubProfile } from "@/lib/people/session/github-profile";
import { env } from "@/lib/env";

export interface ProviderInfo {
  id: "github" | "google" | "oidc";
  name: string;
}

/** Those whose variables are set. */
export function enabledProviders(): ProviderInfo[] {
  const all: (ProviderInfo & { on: boolean })[] = [
    { id: "oidc", name: env.AUTH_OIDC_NAME, on: Boolean(env.AUTH_OIDC_ISSUER && env.AUTH_OIDC_ID) },
    { id: "github", name: "GitHub", on: Boolean(env.AUTH_GITHUB_ID && env.AUTH_GITHUB_SECRET) },
    { id: "google", name: "Google", on: Boolean(env.AUTH_GOOGLE_ID && env.AUTH_GOOGLE_SECRET) },
  ];
  return all.filter((provider) => provider.on).map(({ id, name }) => ({ id, name }));
}

export function authProviders(): Provider[] {
  return enabledProviders().map(({ id, name }) => {
    switch (id) {
      case "github":
        return GitHub({
          clientId: env.AUTH_GITHUB_ID,
          clientSecret: env.AUTH_GITHUB_SECRET,
          userinfo: {
            url: "https://api.github.com/user",
            request: ({ tokens }: { tokens: { access_token?: string } }) =>
              readGitHubProfile(tokens.access_token ?? ""),
          },
        });
      case "google":
        return Google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET });
      case "oidc":
        return {
          id,
          name,
          type: "oidc",
          issuer: env.AUTH_OIDC_ISSUER,
          clientId: env.AUTH_OIDC_ID,
          clientSecret: env.AUTH_OIDC_SECRET,
        };
    }
  });
}
