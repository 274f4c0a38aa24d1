/** How a form's last submission ended. Plain data, because it travels from the server action to the form. */
export interface FormState {
  status: "idle" | "done" | "failed";
  message: string;
  /** Problems by field name; the message alone says them too. */
  issues: Readonly<Record<string, string>>;
  /** What was given, so that a refused form keeps it. Never holds a password. */
  values: Readonly<Record<string, string>>;
  /** Something that is shown this once and cannot be had again. */
  secret?: string;
}

export type FormAction = (state: FormState, form: FormData) => Promise<FormState>;

export const IDLE: FormState = { status: "idle", message: "", issues: {}, values: {} };
