/**
 * The states of an approval: one question to people about one call.
 *
 * pending    waits for people                     request-approval
 * approved   enough people said yes               decide-approval
 * rejected   one said no                          decide-approval
 * expired    nobody decided in time               expire-approval
 * cancelled  the run ended, or what was asked changed   cancel-run, withdraw-approval
 *
 * The first way out is final: every arrow leaves `pending`, and nothing leaves the others.
 */
import { isFinal, type TransitionTable } from "@/lib/runs/rules/transition-table";

export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired" | "cancelled";

export const APPROVAL_TRANSITIONS: TransitionTable<ApprovalStatus> = {
  pending: ["approved", "rejected", "expired", "cancelled"],
  approved: [],
  rejected: [],
  expired: [],
  cancelled: [],
};

export const isApprovalSettled = (status: ApprovalStatus): boolean => isFinal(APPROVAL_TRANSITIONS, status);
