/**
 * Signs in someone whom another service has authenticated. An unknown account is linked to the person with the same
 * verified e-mail. Anyone can have an account at GitHub or Google, so nobody else gets in through them; one's own OIDC
 * issuer knows only the organisation, so it adds people as viewers.
 */
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import { type Credentials, findByAccount, findCredentials } from "@/lib/people/queries/find-credentials";
import { createUserRow } from "@/lib/people/transitions/create-user";
import { linkAccountRow } from "@/lib/people/transitions/link-account";
import { recordSignInRow } from "@/lib/people/transitions/record-sign-in";

export interface ProviderClaim {
  provider: string;
  accountId: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
}

export type ProviderAnswer =
  | { userId: string; sessionVersion: number }
  | { refused: "disabled" | "not_invited" | "email_unverified" };

export async function signInWithProvider(deps: EngineDeps, claim: ProviderClaim): Promise<ProviderAnswer> {
  const user = (await findByAccount(deps.db, claim.provider, claim.accountId)) ?? (await admit(deps, claim));
  if ("refused" in user) return user;
  if (user.disabled) return { refused: "disabled" };
  await recordSignInRow(
    deps.db,
    { userId: user.id, provider: claim.provider },
    { kind: "user", id: user.id, name: user.name },
    deps.now(),
  );
  return { userId: user.id, sessionVersion: user.sessionVersion };
}

async function admit(
  deps: EngineDeps,
  claim: ProviderClaim,
): Promise<Credentials | { refused: "not_invited" | "email_unverified" }> {
  const email = claim.email?.trim().toLowerCase();
  if (!email || !claim.emailVerified) return { refused: "email_unverified" };
  if (claim.provider === "oidc") {
    const newcomer = {
      id: createId("user"),
      email,
      name: claim.name?.trim() || email,
      role: "viewer" as const,
      passwordHash: null,
    };
    await createUserRow(deps.db, newcomer, { ...OPERATOR_ACTOR, id: "oidc", name: "Single sign-on" }, deps.now());
  }
  const user = await findCredentials(deps.db, email);
  if (!user) return { refused: "not_invited" };
  const actor = { kind: "user" as const, id: user.id, name: user.name };
  await linkAccountRow(
    deps.db,
    { userId: user.id, provider: claim.provider, accountId: claim.accountId },
    actor,
    deps.now(),
  );
  return user;
}
