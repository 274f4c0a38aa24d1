"use server";

import { signOut } from "@/app/api/auth/auth";

export async function signOutHere(): Promise<void> {
  await signOut({ redirectTo: "/sign-in" });
}
