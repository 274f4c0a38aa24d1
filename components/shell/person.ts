/** Who is signed in, as the shell shows it. */
export interface Person {
  name: string;
  email: string;
  role: string;
  groups: readonly string[];
}

/** "Reviewer · finance, leads" */
export function describePerson({ role, groups }: Person): string {
  const word = role.charAt(0).toUpperCase() + role.slice(1);
  return groups.length > 0 ? `${word} · ${groups.join(", ")}` : word;
}
