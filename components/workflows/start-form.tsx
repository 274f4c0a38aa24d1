"use client";

import { FormFailure } from "@/components/ui/form-failure";
import { SelectField, TextField } from "@/components/ui/field";
import type { FormAction, FormState } from "@/components/ui/form-state";
import { SubmitButton } from "@/components/ui/submit-button";
import { useForm } from "@/components/ui/use-form";
import { TextArea } from "@/components/runs/text-area";
import { controlName, type ParamField } from "./param-fields";

const NOT_CHOSEN = { value: "", label: "Choose…" };
const NOT_SET = { value: "", label: "Not set" };
const YES_NO = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Starts a run. Every problem stands at its field, and what was typed stays, secrets aside. */
export function StartForm({ workflow, fields, action }: { workflow: string; fields: readonly ParamField[]; action: FormAction }) {
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
  const control = {
    id: `start-${field.name}`,
    name,
    label: field.required ? field.label : `${field.label} (optional)`,
    hint: field.hint || undefined,
    error: state.issues[field.name],
    required: field.required,
    defaultValue: state.status === "failed" ? (state.values[name] ?? "") : field.initial,
    autoComplete: "off",
    spellCheck: false,
  };
  switch (field.kind) {
    case "choice":
    case "yes_no": {
      const choices = field.kind === "choice" ? field.choices : YES_NO;
      return <SelectField {...control} choices={field.required ? (control.defaultValue === "" ? [NOT_CHOSEN, ...choices] : choices) : [NOT_SET, ...choices]} />;
    }
    case "long":
      return <TextArea {...control} rows={4} />;
    case "lines":
    case "json":
      return <TextArea {...control} rows={4} mono />;
    case "secret":
      return <TextField {...control} type="password" defaultValue="" autoComplete="new-password" />;
    case "number":
      return <TextField {...control} inputMode="decimal" />;
    case "text":
      return (
        <>
          <TextField {...control} type={field.inputType} list={field.examples.length > 0 ? `${control.id}-examples` : undefined} />
          {field.examples.length > 0 ? (
            <datalist id={`${control.id}-examples`}>
              {field.examples.map((example) => (
                <option key={example} value={example}>
                  {example}
                </option>
              ))}
            </datalist>
          ) : null}
        </>
      );
  }
}
