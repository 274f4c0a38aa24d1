import type { OwnApp } from "./own-app";
import type { Place } from "./search";

export interface Answer {
  status: number;
  text: string;
  json: Record<string, unknown>;
}

/** Calls the API, and keeps its answers, headers included. */
export async function ask(
  app: OwnApp,
  places: Place[],
  method: string,
  address: string,
  facts: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body =
    facts.body === undefined ? undefined : typeof facts.body === "string" ? facts.body : JSON.stringify(facts.body);
  const response = await fetch(app.url + address, {
    method,
    redirect: "manual",
    signal: AbortSignal.timeout(60_000),
    headers: {
      ...(facts.token ? { authorization: `Bearer ${facts.token}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...facts.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  places.push({
    name: `answer ${method} ${address}`,
    text: `${JSON.stringify(Object.fromEntries(response.headers))}\n${text}`,
  });
  return {
    status: response.status,
    text,
    json: text.startsWith("{") && !text.includes("\n{") ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
