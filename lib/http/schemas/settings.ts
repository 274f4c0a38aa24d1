import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";

const pausedSchema = z.strictObject({ paused: z.boolean() }).meta({ id: "Paused" });

export const getPause = defineOperation({
  id: "getPause",
  method: "GET",
  path: "/settings/pause",
  tag: "Settings",
  summary: "Whether all calls are held back",
  permission: "runs:read",
  response: pausedSchema,
});

export const setPause = defineOperation({
  id: "setPause",
  method: "POST",
  path: "/settings/pause",
  tag: "Settings",
  summary: "Hold all calls back, approved ones included, or let them go",
  permission: "admin",
  body: pausedSchema,
  response: pausedSchema,
});
