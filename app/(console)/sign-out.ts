"use server";

import { signOut } from "@/lib/auth/auth";

export async function signOutHere(): Promise<void> {
  await signOut({ redirectTo: "/sign-in" });
}
