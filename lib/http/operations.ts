import type { Operation } from "@/lib/http/operation";
import * as approvals from "@/lib/http/schemas/approvals";
import { exportAuditLog, listAuditLog } from "@/lib/http/schemas/audit-log";
import { getCall, listRunCalls, settleCall } from "@/lib/http/schemas/calls";
import { getHealth, getMetrics, getOpenApi, getReadiness } from "@/lib/http/schemas/health";
import { listServers, listTools, searchTools } from "@/lib/http/schemas/registry";
import * as runs from "@/lib/http/schemas/runs";
import { getPause, setPause } from "@/lib/http/schemas/settings";

/** Every call of the API, in the order in which the reference shows them. A test compares it with the route files. */
export const OPERATIONS: Operation[] = [
  runs.invokeWorkflow,
  runs.startRun,
  runs.listRuns,
  runs.exportRuns,
  runs.getRun,
  runs.getRunEnvelope,
  runs.getRunOutput,
  runs.listRunEvents,
  runs.cancelRun,
  runs.retryRun,
  runs.reviewRun,
  approvals.approveRun,
  approvals.rejectRun,
  approvals.listApprovals,
  approvals.getApproval,
  approvals.decideApproval,
  approvals.extendApproval,
  approvals.setApprovalAside,
  approvals.takeApprovalUp,
  approvals.getStepApproval,
  approvals.decideStepApproval,
  listRunCalls,
  getCall,
  settleCall,
  listServers,
  listTools,
  searchTools,
  getPause,
  setPause,
  listAuditLog,
  exportAuditLog,
  getHealth,
  getReadiness,
  getMetrics,
  getOpenApi,
];
