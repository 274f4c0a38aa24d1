interface Property {
  type?: unknown;
  description?: unknown;
  enum?: unknown;
}

/** The arguments of a tool: name, type, whether it must be given, and what the server says of it. */
export function ArgumentList({ schema }: { schema: Readonly<Record<string, unknown>> }) {
  const known = (schema.properties ?? {}) as Record<string, Property>;
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  // As on a card: required ones first, as the author wrote them; the order of the others is not recorded.
  const names = [
    ...new Set([...[...required].filter((name) => Object.hasOwn(known, name)), ...Object.keys(known).sort()]),
  ];
  const properties = names.map((name): [string, Property] => [name, known[name] ?? {}]);
  if (properties.length === 0) return <p className="text-ink-2">It takes none.</p>;
  return (
    <dl className="rounded-lg border border-line">
      {properties.map(([name, property]) => (
        <div
          key={name}
          className="grid gap-x-6 border-b border-line px-3.5 py-2 last:border-b-0 tablet:grid-cols-[200px_minmax(0,1fr)]"
        >
          <dt>
            <code className="wrap-anywhere">{name}</code>
            <span className="block text-sm text-ink-3">
              {describeType(property)}
              {required.has(name) ? "" : ", optional"}
            </span>
          </dt>
          <dd className="text-ink-2 wrap-anywhere">
            {typeof property.description === "string" ? property.description : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function describeType(property: Property): string {
  if (Array.isArray(property.enum)) return `one of ${property.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  if (Array.isArray(property.type)) return property.type.join(" or ");
  return typeof property.type === "string" ? property.type : "any";
}
