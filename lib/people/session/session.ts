import "server-only";
import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import { can, type Session } from "@/lib/people/session/principal";
import { readSession } from "@/lib/people/session/read-session";
import type { Scope } from "@/lib/people/rules/roles";

export { actorOf, can } from "@/lib/people/session/principal";
export type { Session } from "@/lib/people/session/principal";

/** Read once per request, however many components ask. */
export const findSession = cache(async (): Promise<Session | null> => readSession(await headers()));

/**
 * For pages and actions of the console: people who are not signed in are redirected to the sign-in page, and back
 * afterwards.
 */
export async function requireSession(): Promise<Session> {
  const session = await findSession();
  if (session) return session;
  const path = (await headers()).get("x-kimitsu-path") ?? "/inbox";
  redirect(`/sign-in?next=${encodeURIComponent(path)}`);
}

/** What a person may not see looks the same as what does not exist. */
export async function requirePermission(scope: Scope): Promise<Session> {
  const session = await requireSession();
  if (!can(session, scope)) notFound();
  return session;
}
