import type { Node } from "./jmespath-interpreter";

/**
 * The field paths that an expression reads from the root of its data, for the order of steps and for checks. Fields
 * inside projections and filters belong to an element and are left out, except where they start again at `$`.
 */
export function listPaths(tree: Node): string[][] {
  const paths: string[][] = [];
  collect(tree, [], paths);
  return paths;
}

/** `base` is the path of the current value, or null when it cannot be named; the return is the path of the result. */
function collect(node: Node, base: string[] | null, paths: string[][]): string[] | null {
  switch (node.type) {
    case "Root":
      return [];
    case "Current":
    case "Identity":
    case "Index":
    case "Slice":
      return base;
    case "Field":
      return base && record([...base, node.name], base, paths);
    case "Subexpression":
    case "Pipe":
    case "IndexExpression":
      return collect(node.right, collect(node.left, base, paths), paths);
    case "Projection":
    case "ValueProjection":
      collect(node.left, base, paths);
      collect(node.right, null, paths);
      return null;
    case "FilterProjection":
      collect(node.left, base, paths);
      collect(node.condition, null, paths);
      collect(node.right, null, paths);
      return null;
    case "ExpressionReference":
      collect(node.child, null, paths);
      return null;
    case "Literal":
      return null;
    default:
      for (const child of children(node)) collect(child, base, paths);
      return null;
  }
}

/** A longer path replaces the shorter one that led to it. */
function record(path: string[], base: string[], paths: string[][]): string[] {
  const last = paths.at(-1);
  if (last && base.length > 0 && last.length === base.length && last.every((name, index) => name === base[index]))
    paths.pop();
  paths.push(path);
  return path;
}

function children(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => value !== null && typeof value === "object" && "type" in value);
}
