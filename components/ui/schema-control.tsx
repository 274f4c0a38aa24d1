import type { ChangeEventHandler } from "react";
import { classNames } from "./class-names";
import { type Choice, controlClass, Select } from "./field";
import type { SchemaField } from "./schema-field";

interface Props {
  id: string;
  field: SchemaField;
  name?: string;
  /** Written by the page; `defaultValue` where the form itself keeps it. */
  value?: string;
  defaultValue?: string;
  /** A choice before the others, for what is not chosen yet. */
  unset?: Choice | undefined;
  /** All in the letters of code, also texts of one line. */
  mono?: boolean;
  required?: boolean;
  disabled?: boolean;
  autoFocus?: boolean;
  "aria-invalid"?: true | undefined;
  "aria-describedby"?: string | undefined;
  onChange?: ChangeEventHandler<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>;
}

const CODE = "font-mono text-[12.5px]";

/** The control for one property of a JSON Schema. A secret is never sent back to it. */
export function SchemaControl({ field, unset, mono = false, ...control }: Props) {
  const { kind, examples } = field;
  switch (kind) {
    case "choice":
    case "boolean":
      return <Select {...control} choices={unset ? [unset, ...field.choices] : field.choices} />;
    case "long":
    case "lines":
    case "json":
      return (
        <textarea
          {...control}
          rows={2}
          spellCheck={false}
          autoComplete="off"
          className={classNames(
            controlClass,
            "h-auto max-h-72 min-h-16 field-sizing-content py-1.5 max-tablet:h-auto",
            (mono || kind !== "long") && CODE,
          )}
        />
      );
    case "hidden":
      return <input id={control.id} disabled value="hidden; sent unchanged" className={controlClass} />;
    case "secret":
      return (
        <input
          {...control}
          type="password"
          defaultValue={control.value === undefined ? "" : undefined}
          autoComplete="new-password"
          className={controlClass}
        />
      );
    default: {
      const list = examples.length > 0 ? `${control.id}-examples` : undefined;
      return (
        <>
          <input
            {...control}
            type={kind === "text" ? field.inputType : "text"}
            inputMode={kind === "text" ? undefined : "decimal"}
            list={list}
            autoComplete="off"
            spellCheck={false}
            className={classNames(controlClass, mono && CODE)}
          />
          {list ? (
            <datalist id={list}>
              {examples.map((example) => (
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
}
