import type { ApiDocument, ApiOperation } from "./api-document";

const METHODS = ["get", "post", "put", "patch", "delete"];

export interface ListedOperation {
  method: string;
  path: string;
  operation: ApiOperation;
}

export interface OperationGroup {
  name: string;
  description: string;
  operations: ListedOperation[];
}

/** Operations by tag, tags in the document's order, operations in the order of their paths there. */
export function listOperations(document: ApiDocument): OperationGroup[] {
  const groups = new Map<string, OperationGroup>();
  for (const tag of document.tags ?? [])
    groups.set(tag.name, { name: tag.name, description: tag.description ?? "", operations: [] });
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (!METHODS.includes(method)) continue;
      const name = operation.tags?.[0] ?? "Other";
      const group = groups.get(name) ?? { name, description: "", operations: [] };
      group.operations.push({ method: method.toUpperCase(), path, operation });
      groups.set(name, group);
    }
  }
  return [...groups.values()].filter((group) => group.operations.length > 0);
}
