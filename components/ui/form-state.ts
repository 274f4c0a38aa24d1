/** How a form's last submission ended. Plain data, because it is sent from the server action to the form. */
export interface FormState {
  status: "idle" | "done" | "failed";
  message: string;
  /** Problems by field name; the message alone says them too. */
  issues: Readonly<Record<string, string>>;
  /** What was given, so that a refused form keeps it. Never holds a password. */
  values: Readonly<Record<string, string>>;
  /** Something that is shown only once. */
  secret?: string;
}

export type FormAction = (state: FormState, form: FormData) => Promise<FormState>;

/** What was typed, for a form that has to be shown again. Passwords are typed anew. */
export function keptValues(form: FormData): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === "string" && !name.startsWith("$") && !/password/i.test(name)) values[name] = value;
  }
  return values;
}

export const IDLE: FormState = { status: "idle", message: "", issues: {}, values: {} };
