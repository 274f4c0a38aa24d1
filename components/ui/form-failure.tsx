import type { FormState } from "./form-state";
import { Notice } from "./notice";

/** Why a form was refused, unless each reason is already shown at its field. */
export function FormFailure({ state, fields = [] }: { state: FormState; fields?: readonly string[] }) {
  if (state.status !== "failed") return null;
  const paths = Object.keys(state.issues);
  if (paths.length > 0 && paths.every((path) => fields.includes(path))) return null;
  return <Notice tone="failed" title={state.message} />;
}
