"use server";

import { revalidatePath } from "next/cache";
import { z } from "zod";
import type { FormState } from "@/components/ui/form-state";
import { actorOf, can, requireSession } from "@/lib/people/session/session";
import { createToken, createTokenSchema } from "@/lib/people/create-token";
import { engineDeps } from "@/lib/database/deps";
import { parseInput } from "@/lib/text/parse-input";
import { revokeToken } from "@/lib/people/revoke-token";
import { runAction, textField } from "../../run-action";
import { findCurrentProject } from "../../workflows/current-project";
import { EXPIRY_DAYS } from "./expiry";

const DAY_MS = 24 * 60 * 60 * 1000;
const expirySchema = z.object({ expires: z.enum(EXPIRY_DAYS, "is not one of the choices") });

/** A token acts as the person who makes it here; the command line can make one for someone else. */
export async function addToken(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requireSession();
  return runAction(form, async () => {
    const deps = { ...engineDeps(), project: findCurrentProject() };
    const { expires } = parseInput(expirySchema, { expires: textField(form, "expires") });
    const wanted = parseInput(createTokenSchema, {
      name: textField(form, "name") ?? "",
      userId: session.user.id,
      scopes: form.getAll("scopes"),
      profile: textField(form, "profile") ?? null,
      expiresAt: expires === "never" ? null : new Date(deps.now().getTime() + Number(expires) * DAY_MS),
    });
    const { token } = await createToken(deps, actorOf(session), wanted);
    revalidatePath("/settings/tokens");
    return { message: `Token ${wanted.name} is ready`, secret: token };
  });
}

export async function endToken(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requireSession();
  return runAction(form, async () => {
    const ownerId = can(session, "admin") ? null : session.user.id;
    await revokeToken(engineDeps(), actorOf(session), { tokenId: textField(form, "tokenId") ?? "", ownerId });
    revalidatePath("/settings/tokens");
    revalidatePath("/clients", "layout");
    return { message: "Token revoked" };
  });
}
