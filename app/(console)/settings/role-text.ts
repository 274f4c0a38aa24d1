import type { Role } from "@/lib/domain/roles";

/** What each role may do, in the words of the people who give them. */
export const ROLE_TEXT: Record<Role, { label: string; article: "a" | "an"; may: string }> = {
  viewer: { label: "Viewer", article: "a", may: "sees runs, tools and what waits; secrets stay hidden" },
  reviewer: { label: "Reviewer", article: "a", may: "also approves and rejects calls" },
  operator: { label: "Operator", article: "an", may: "also starts, cancels, retries and settles runs, and reads the audit trail" },
  admin: { label: "Admin", article: "an", may: "also manages people, groups and everyone’s tokens" },
};

export const ROLE_CHOICES = Object.entries(ROLE_TEXT).map(([value, { label }]) => ({ value, label }));
