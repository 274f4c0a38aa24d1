import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";

export const getHealth = defineOperation({
  id: "getHealth",
  method: "GET",
  path: "/healthz",
  isProbe: true,
  tag: "Operations",
  summary: "Whether the process answers",
  permission: "public",
  response: z.strictObject({ status: z.literal("ok") }).meta({ id: "Health" }),
});

export const getReadiness = defineOperation({
  id: "getReadiness",
  method: "GET",
  path: "/readyz",
  isProbe: true,
  tag: "Operations",
  summary: "Whether requests can be served and runs go on",
  description:
    "The database is reachable, and a worker said within the last ten seconds that it lives. 503 names what is missing. `warnings` are settings by which the database can forget confirmed commits; `kimitsu doctor` says what to do about each.",
  permission: "public",
  response: z
    .strictObject({
      status: z.enum(["ready", "not_ready"]),
      database: z.enum(["ok", "unreachable"]),
      worker: z.enum(["ok", "silent", "unknown"]),
      warnings: z.array(z.enum(["fsync_off", "synchronous_commit_low", "standbys_asynchronous"])),
    })
    .meta({ id: "Readiness" }),
  otherStatuses: { 503: "Not ready" },
});

export const getMetrics = defineOperation({
  id: "getMetrics",
  method: "GET",
  path: "/metrics",
  isProbe: true,
  tag: "Operations",
  summary: "Figures for Prometheus",
  description: "Needs a token with `runs:read`; Prometheus sends one with `authorization.credentials`.",
  permission: "runs:read",
  response: "text/plain",
});

export const getOpenApi = defineOperation({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  tag: "Operations",
  summary: "This description",
  permission: "public",
  response: z.record(z.string(), z.unknown()).meta({ id: "OpenApiDocument" }),
});
