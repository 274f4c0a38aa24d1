import type { Metadata } from "next";
import { can, findSession } from "@/lib/people/session/session";
import type { Scope } from "@/lib/people/rules/roles";

/** The title of a page that not everyone may open. It would reveal the page's existence to the others. */
export function titleFor(scope: Scope, title: string): () => Promise<Metadata> {
  return async () => {
    const session = await findSession();
    return { title: session && can(session, scope) ? title : "Not found" };
  };
}
