import { z } from "zod";
import { declareBuiltin } from "./declare-builtin";

const host = z
  .string()
  .regex(
    /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/,
    'expected a host in lower case, such as "api.example.com", "*.example.com" or "api.example.com:8443"',
  );

/** Shared by the two servers that send requests. */
export const requestParams = {
  allowed_hosts: z
    .array(host)
    .max(200)
    .default([])
    .describe("Hosts that may be asked; `*.example.com` stands for all below it. Empty: every public host"),
  refused_hosts: z.array(host).max(200).default([]).describe("Hosts that may not be asked, even if allowed above"),
  max_response_bytes: z
    .int()
    .min(1)
    .max(8 * 1024 * 1024)
    .default(1024 * 1024)
    .describe("Most bytes of an answer; the rest is left out, and the result says so"),
  timeout_seconds: z.int().min(1).max(300).default(30).describe("Longest time of one request, redirects included"),
};

export const HTTP = declareBuiltin({
  name: "kimitsu/http",
  description: "Sends HTTP requests",
  timeoutMs: 310_000,
  params: z.strictObject(requestParams),
  tools: {
    http_get: { danger: "safe" },
    http_post: { danger: "medium", summary: "POST to {{ args.url }}" },
    http_put: { danger: "medium", summary: "PUT to {{ args.url }}" },
    http_delete: { danger: "high", summary: "DELETE {{ args.url }}" },
  },
});

export const WEB = declareBuiltin({
  name: "kimitsu/web",
  description: "Reads web pages",
  timeoutMs: 310_000,
  params: z.strictObject(requestParams),
  tools: { fetch_url: { danger: "safe" }, extract_links: { danger: "safe" } },
});
