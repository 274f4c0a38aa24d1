import type { Role } from "@/lib/people/rules/roles";

/** What each role may do, in the words of the admins who assign them; each may also do what the one before may. */
export const ROLE_TEXT: Record<Role, { label: string; article: "a" | "an"; may: string }> = {
  viewer: { label: "Viewer", article: "a", may: "sees runs, tools and what waits; secrets stay hidden" },
  reviewer: { label: "Reviewer", article: "a", may: "approves and rejects calls, and sees all that a viewer sees" },
  operator: {
    label: "Operator",
    article: "an",
    may: "starts, cancels, retries and settles runs, reads the audit trail, and decides like a reviewer",
  },
  admin: {
    label: "Admin",
    article: "an",
    may: "manages people, groups and everyone’s tokens, and does all that an operator does",
  },
};

export const ROLE_CHOICES = Object.entries(ROLE_TEXT).map(([value, { label }]) => ({ value, label }));
