import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

/** The first signs sessions; the others are from before a rotation and are still accepted. */
export function sessionSecrets(): string[] {
  if (!env.AUTH_SECRET) throw new KimitsuError("unavailable", "AUTH_SECRET is not set; nobody can sign in without it.");
  return [env.AUTH_SECRET, env.AUTH_SECRET_1, env.AUTH_SECRET_2, env.AUTH_SECRET_3].filter(
    (secret) => secret !== undefined,
  );
}
