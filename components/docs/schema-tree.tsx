import { ChevronRight } from "lucide-react";
import { classNames } from "@/components/ui/class-names";
import { refName, resolveSchema, type Schema, type Schemas } from "./api-document";
import { describeLimits, describeType } from "./describe-type";
import { Prose } from "./prose";

interface Props {
  schema: Schema;
  schemas: Schemas;
  /** Named schemas that are already open above this one; nested again, they are only named. */
  above?: readonly string[];
}

/** A schema as a tree of its fields. What holds fields of its own folds out below its line. */
export function SchemaTree({ schema, schemas, above = [] }: Props) {
  const fields = fieldsOf(schema, schemas, above);
  if (!fields) return <p className="text-sm text-ink-2">{describeType(schema)}</p>;
  return (
    <ul
      className={classNames(
        "grid",
        above.length > 0 ? "border-l border-line pl-4.5" : "divide-y divide-line rounded-lg border border-line px-4.5",
      )}
    >
      {fields.list.map(([name, field]) => (
        <li key={name} className="py-1.5">
          <SchemaField
            name={name}
            schema={field}
            required={fields.required.includes(name)}
            schemas={schemas}
            above={fields.above}
          />
        </li>
      ))}
    </ul>
  );
}

function SchemaField({
  name,
  schema,
  required,
  schemas,
  above,
}: Props & { name: string; required: boolean; above: readonly string[] }) {
  const limits = describeLimits(schema);
  const line = (
    <>
      <code className="font-medium text-ink">{name}</code>{" "}
      <span className="text-sm text-ink-3">{describeType(schema)}</span>
      {required ? null : <span className="text-sm text-ink-3">, optional</span>}
      {limits.length > 0 ? <span className="text-sm text-ink-3">, {limits.join(", ")}</span> : null}
    </>
  );
  const says = schema.description ? (
    <p className="text-sm text-ink-2">
      <Prose text={schema.description} />
    </p>
  ) : null;
  const inner = innerOf(schema);
  if (!inner || !fieldsOf(inner, schemas, above)) {
    return (
      <>
        <div className="wrap-anywhere">{line}</div>
        {says}
      </>
    );
  }
  return (
    <details open={above.length === 1}>
      <summary className="relative wrap-anywhere hover:text-accent">
        <ChevronRight
          aria-hidden
          className="absolute top-1 -left-3.5 size-3 text-ink-3 transition-transform [[open]>summary>&]:rotate-90"
        />
        {line}
      </summary>
      {says}
      <div className="pt-1">
        <SchemaTree schema={inner} schemas={schemas} above={above.length > 0 ? above : ["root"]} />
      </div>
    </details>
  );
}

function fieldsOf(schema: Schema, schemas: Schemas, above: readonly string[]) {
  const name = schema.$ref ? refName(schema.$ref) : undefined;
  if (name && above.includes(name)) return null;
  const resolved = resolveSchema(schema, schemas);
  if (!resolved.properties || Object.keys(resolved.properties).length === 0) return null;
  return {
    list: Object.entries(resolved.properties),
    required: resolved.required ?? [],
    above: [...above, name ?? "inline"],
  };
}

/** Where a field's own fields are: in itself, in its items, or in the one variant that is not null. */
function innerOf(schema: Schema): Schema | null {
  if (schema.$ref || schema.properties) return schema;
  if (schema.items) return innerOf(schema.items);
  const variants = (schema.anyOf ?? schema.oneOf)?.filter((variant) => variant.type !== "null") ?? [];
  return variants.length === 1 && variants[0] ? innerOf(variants[0]) : null;
}
