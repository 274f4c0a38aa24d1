import { unstable_rethrow } from "next/navigation";
import { type FormState, keptValues } from "@/components/ui/form-state";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";

/**
 * The boundary at which a server action turns a refusal into a message for its form. An unexpected error is logged
 * under an id, and only the id is shown. Redirects pass through.
 */
export async function runAction(
  form: FormData,
  work: () => Promise<{ message: string; secret?: string }>,
): Promise<FormState> {
  try {
    // An action can be called by anyone with anything.
    if (!(form instanceof FormData))
      throw new KimitsuError(
        "invalid_request",
        "This action takes the fields of a form and was sent something else; nothing was changed.",
      );
    return { status: "done", issues: {}, values: {}, ...(await work()) };
  } catch (error) {
    unstable_rethrow(error);
    const values = form instanceof FormData ? keptValues(form) : {};
    if (error instanceof KimitsuError && error.code !== "internal") {
      return { status: "failed", message: error.message, issues: issuesByField(error), values };
    }
    const requestId = createId("request");
    log.error({ err: error, request_id: requestId }, "a server action failed");
    return {
      status: "failed",
      message: `Something went wrong; the server's log has it under ${requestId}.`,
      issues: {},
      values,
    };
  }
}

function issuesByField(error: KimitsuError): Record<string, string> {
  const issues: Record<string, string> = {};
  for (const { path, message } of error.issues) issues[path.split(".")[0] ?? path] ??= message;
  return issues;
}

/**
 * A text field as it was typed; absent and empty are the same to a person. Text that the database cannot hold is
 * refused.
 */
export function textField(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  if (typeof value !== "string" || value === "") return undefined;
  if (!value.includes("\0")) return value;
  const message = "holds a NUL character, which cannot be stored; take it out";
  throw new KimitsuError("invalid_request", `${name} ${message}.`, { issues: [{ path: name, message }] });
}
