/**
 * Calls a server action the way a browser does, which anybody can without one: its id, at an address, with whatever
 * arguments.
 */
import { readFileSync } from "node:fs";
import { expect } from "../fixtures";

export interface Action {
  /** As `(console)/inbox/actions.ts decideCard`. */
  name: string;
  id: string;
  /** An address that knows it; parts in brackets are to be filled in. */
  address: string;
}

type Manifest = { node: Record<string, { exportedName: string; filename: string; workers: Record<string, unknown> }> };

/** Every action that can be called, from the build's own manifest. */
export function listActions(): Action[] {
  const { node } = JSON.parse(readFileSync(".next/server/server-reference-manifest.json", "utf8")) as Manifest;
  return Object.entries(node).map(([id, { exportedName, filename, workers }]) => ({
    name: `${filename.replace(/^app\//, "")} ${exportedName}`,
    id,
    address: `/${Object.keys(workers)[0]!
      .split("/")
      .slice(1, -1)
      .filter((part) => !part.startsWith("("))
      .join("/")}`,
  }));
}

export interface ActionAnswer {
  status: number;
  /** Where it redirects the browser, if it does. */
  redirect: string | null;
  text: string;
}

export async function callAction(
  base: string,
  { id, address }: Action,
  args: readonly unknown[],
  { cookie, params }: { cookie: string | null; params: Record<string, string> },
): Promise<ActionAnswer> {
  const filled = address.replaceAll(/\[(\w+)\]/g, (_match, name: string) => encodeURIComponent(params[name] ?? "none"));
  const response = await fetch(base + filled, {
    method: "POST",
    redirect: "manual",
    headers: {
      accept: "text/x-component",
      "next-action": id,
      origin: base,
      ...(cookie ? { cookie } : {}),
      ...(args.some(isForm) ? {} : { "content-type": "text/plain;charset=UTF-8" }),
    },
    body: args.some(isForm) ? encodeForms(args) : JSON.stringify(args),
  });
  const answer = {
    status: response.status,
    redirect: response.headers.get("x-action-redirect") ?? response.headers.get("location"),
    text: await response.text(),
  };
  // An id that the server does not know would look like a refusal.
  expect(response.headers.get("x-nextjs-action-not-found"), `${id} at ${filled}`).toBeNull();
  return answer;
}

const isForm = (value: unknown): value is Record<string, string> & { form: true } =>
  typeof value === "object" && value !== null && "form" in value;

/** The fields of a form among the arguments of an action. */
export const form = (fields: Record<string, string>) => ({ form: true as const, fields });

/**
 * As React writes arguments among which are forms: each form's fields under its number, and the list itself under 0.
 */
function encodeForms(args: readonly unknown[]): FormData {
  const body = new FormData();
  const list = args.map((value, index) => {
    if (!isForm(value)) return value;
    for (const [name, field] of Object.entries((value as unknown as ReturnType<typeof form>).fields))
      body.append(`_${index + 1}_${name}`, field);
    return `$K${(index + 1).toString(16)}`;
  });
  body.append("0", JSON.stringify(list));
  return body;
}
