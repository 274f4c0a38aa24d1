import type { Metadata } from "next";
import { can, findSession } from "@/lib/people/session/session";
import type { Scope } from "@/lib/people/rules/roles";

/** The title of a page that not everyone may open. To the others it would tell that the page is there. */
export function titleFor(scope: Scope, title: string): () => Promise<Metadata> {
  return async () => {
    const session = await findSession();
    return { title: session && can(session, scope) ? title : "Not found" };
  };
}
