import NextAuth from "next-auth";
import { authOptions } from "@/lib/auth/options";
import { engineDeps } from "@/lib/engine/deps";
import { signInWithPassword } from "@/lib/engine/sign-in-with-password";
import { signInWithProvider } from "@/lib/engine/sign-in-with-provider";

// As a function, so that building the app needs neither secrets nor a database.
export const { handlers, signIn, signOut } = NextAuth(() =>
  authOptions({
    withPassword: (given) => signInWithPassword(engineDeps(), given),
    withProvider: (given) => signInWithProvider(engineDeps(), given),
  }),
);
