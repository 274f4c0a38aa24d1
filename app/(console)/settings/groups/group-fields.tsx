import { TextField } from "@/components/ui/field";
import type { FormState } from "@/components/ui/form-state";

interface Props {
  state: FormState;
  name?: string;
  description?: string;
}

export const GROUP_FIELDS = ["name", "description"] as const;

export function GroupFields({ state: { values, issues }, name, description }: Props) {
  return (
    <>
      <TextField
        id="group-name"
        name="name"
        label="Name"
        required
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        defaultValue={values.name ?? name}
        error={issues.name}
        hint="Small letters, digits and hyphens, as the YAML will name it."
      />
      <TextField
        id="group-description"
        name="description"
        label="Description (optional)"
        maxLength={300}
        autoComplete="off"
        defaultValue={values.description ?? description}
        error={issues.description}
      />
    </>
  );
}
