import type { Role } from "@/lib/people/rules/roles";

/** A person as the client parts of the list need it. */
export interface ListedPerson {
  id: string;
  name: string;
  email: string;
  role: Role;
  disabled: boolean;
  isSelf: boolean;
}
