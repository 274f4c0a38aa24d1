"use client";

import { FormFailure } from "@/components/ui/form-failure";
import { describeControl, FieldFrame } from "@/components/ui/field";
import type { FormAction, FormState } from "@/components/ui/form-state";
import { SchemaControl } from "@/components/ui/schema-control";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { controlName, type ParamField } from "./param-fields";

const NOT_CHOSEN = { value: "", label: "Choose…" };
const NOT_SET = { value: "", label: "Not set" };

/** Starts a run. Every problem is shown at its field, and what was typed stays, except secrets. */
export function StartForm({
  workflow,
  fields,
  action,
}: {
  workflow: string;
  fields: readonly ParamField[];
  action: FormAction;
}) {
  const [state, run] = useForm(action);
  return (
    <form action={run} noValidate className="grid gap-4" aria-label={`Start ${workflow}`}>
      <FormFailure state={state} fields={fields.map(({ name }) => name)} />
      <input type="hidden" name="workflow" value={workflow} />
      {fields.length === 0 ? <p className="text-sm text-ink-2">This workflow takes no params.</p> : null}
      {fields.map((field) => (
        <Field key={field.name} field={field} state={state} />
      ))}
      <div>
        <SubmitButton pendingText="Starting…">Start a run</SubmitButton>
      </div>
    </form>
  );
}

function Field({ field, state }: { field: ParamField; state: FormState }) {
  const name = controlName(field);
  const id = `start-${field.name}`;
  const error = state.issues[field.name];
  const defaultValue = state.status === "failed" ? (state.values[name] ?? "") : field.initial;
  const label = field.required ? field.label : `${field.label} (optional)`;
  const unset = field.required ? (defaultValue === "" ? NOT_CHOSEN : undefined) : NOT_SET;
  const frame = { id, label, hint: field.hint || undefined, error };
  return (
    <FieldFrame {...frame}>
      <SchemaControl
        {...describeControl(frame)}
        id={id}
        field={field}
        name={name}
        required={field.required}
        defaultValue={defaultValue}
        unset={unset}
      />
    </FieldFrame>
  );
}
