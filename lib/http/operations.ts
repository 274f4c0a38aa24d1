import type { Operation } from "@/lib/http/operation";
import { exportAuditLog, listAuditLog } from "@/lib/http/schemas/audit-log";
import { getHealth, getMetrics, getOpenApi, getReadiness } from "@/lib/http/schemas/health";

/** Every call of the API, in the order in which the reference shows them. A test holds it against the route files. */
export const OPERATIONS: Operation[] = [listAuditLog, exportAuditLog, getHealth, getReadiness, getMetrics, getOpenApi];
