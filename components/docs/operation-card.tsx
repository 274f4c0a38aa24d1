import { Command } from "@/components/ui/command";
import { Tag } from "@/components/ui/tag";
import type { Parameter, Schemas } from "./api-document";
import { curlExample } from "./curl-example";
import { describeLimits, describeType } from "./describe-type";
import type { ListedOperation } from "./list-operations";
import { Prose } from "./prose";
import { SchemaTree } from "./schema-tree";

export function OperationCard({
  listed,
  schemas,
  origin,
}: {
  listed: ListedOperation;
  schemas: Schemas;
  origin: string;
}) {
  const { method, path, operation } = listed;
  const body = operation.requestBody?.content["application/json"]?.schema;
  return (
    <article
      id={operation.operationId}
      aria-labelledby={`${operation.operationId}-title`}
      className="grid scroll-mt-4 gap-4 border-t border-line py-7"
    >
      <div className="grid gap-1.5">
        <h3 id={`${operation.operationId}-title`} className="text-lg font-semibold">
          {operation.summary ?? operation.operationId}
        </h3>
        <p className="flex flex-wrap items-center gap-2">
          <Tag tone="accent" className="font-mono">
            {method}
          </Tag>
          <code className="font-medium wrap-anywhere">{path}</code>
        </p>
        {operation.description ? (
          <p className="text-ink-2 text-pretty">
            <Prose text={operation.description} />
          </p>
        ) : null}
      </div>
      {operation.parameters && operation.parameters.length > 0 ? (
        <Parameters of={`${method} ${path}`} parameters={operation.parameters} />
      ) : null}
      {body ? (
        <Part title="Request body">
          <SchemaTree schema={body} schemas={schemas} />
        </Part>
      ) : null}
      <Part title="Answers">
        <Answers listed={listed} schemas={schemas} />
      </Part>
      <Command text={curlExample(listed, schemas, origin)} />
    </article>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="grid gap-2">
      <h4 className="text-sm font-medium text-ink-2">{title}</h4>
      {children}
    </section>
  );
}

function Parameters({ of, parameters }: { of: string; parameters: readonly Parameter[] }) {
  return (
    <Part title="Parameters">
      <div
        role="region"
        aria-label={`Parameters of ${of}`}
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-line"
      >
        <table className="w-full border-collapse text-left">
          <thead className="sr-only">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Where</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            {parameters.map((parameter) => (
              <tr key={`${parameter.in} ${parameter.name}`} className="border-b border-line align-top last:border-b-0">
                <th scope="row" className="px-3.5 py-2 font-medium">
                  <code>{parameter.name}</code>
                </th>
                <td className="py-2 pr-3.5 text-sm whitespace-nowrap text-ink-3">
                  {parameter.in}, {parameter.required ? "required" : "optional"}
                </td>
                <td className="w-full min-w-48 py-2 pr-3.5 text-sm">
                  <span className="text-ink-3">
                    {[describeType(parameter.schema ?? {}), ...describeLimits(parameter.schema ?? {})].join(", ")}
                  </span>
                  {parameter.description ? (
                    <span className="block text-ink-2">
                      <Prose text={parameter.description} />
                    </span>
                  ) : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  );
}

/**
 * Successes in full; errors by their meaning alone, since they all have the one form that the page shows at its top.
 */
function Answers({ listed, schemas }: { listed: ListedOperation; schemas: Schemas }) {
  return (
    <ul className="grid gap-2.5">
      {Object.entries(listed.operation.responses).map(([status, response]) => {
        const [mediaType, content] = Object.entries(response.content ?? {})[0] ?? [];
        const isSuccess = status.startsWith("2");
        return (
          <li key={status} className="grid gap-1.5">
            <p className="text-sm">
              <code className="font-medium">{status}</code> <span className="text-ink-2">{response.description}</span>
              {isSuccess && mediaType !== "application/json" ? <span className="text-ink-3">, {mediaType}</span> : null}
            </p>
            {isSuccess && mediaType === "application/json" && content?.schema ? (
              <SchemaTree schema={content.schema} schemas={schemas} />
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
