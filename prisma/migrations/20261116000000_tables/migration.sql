-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "role" AS ENUM ('viewer', 'reviewer', 'operator', 'admin');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('user', 'token', 'agent', 'system');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('pending', 'running', 'pending_approval', 'needs_human_review', 'complete', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "step_type" AS ENUM ('agent', 'transform', 'webhook', 'workflow');

-- CreateEnum
CREATE TYPE "step_status" AS ENUM ('pending', 'running', 'pending_approval', 'needs_human_review', 'complete', 'failed', 'skipped', 'cancelled');

-- CreateEnum
CREATE TYPE "call_status" AS ENUM ('requested', 'denied', 'pending_approval', 'approved', 'rejected', 'expired', 'cancelled', 'executing', 'succeeded', 'failed', 'outcome_unknown');

-- CreateEnum
CREATE TYPE "approval_status" AS ENUM ('pending', 'approved', 'rejected', 'expired', 'cancelled');

-- CreateEnum
CREATE TYPE "decision_verdict" AS ENUM ('approved', 'rejected');

-- CreateEnum
CREATE TYPE "danger" AS ENUM ('safe', 'low', 'medium', 'high', 'critical');

-- CreateEnum
CREATE TYPE "on_reject" AS ENUM ('fail', 'recover', 'retry', 'skip', 'degrade');

-- CreateEnum
CREATE TYPE "timeout_behavior" AS ENUM ('fail', 'reject');

-- CreateEnum
CREATE TYPE "pin_source" AS ENUM ('lock', 'first_use');

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" TIMESTAMPTZ(3),
    "name" TEXT NOT NULL,
    "image" TEXT,
    "role" "role" NOT NULL DEFAULT 'viewer',
    "password_hash" TEXT,
    "session_version" INTEGER NOT NULL DEFAULT 0,
    "preferences" JSONB NOT NULL DEFAULT '{}',
    "disabled_at" TIMESTAMPTZ(3),
    "last_sign_in_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "user_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "provider_account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("provider","provider_account_id")
);

-- CreateTable
CREATE TABLE "groups" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "group_members" (
    "group_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("group_id","user_id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_by_id" TEXT,
    "hash" TEXT NOT NULL,
    "hint" TEXT NOT NULL,
    "scopes" TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_used_address" TEXT,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project_versions" (
    "hash" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_versions_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "config_hash" TEXT NOT NULL,
    "status" "run_status" NOT NULL DEFAULT 'pending',
    "error" JSONB,
    "started_by_kind" "actor_kind" NOT NULL,
    "started_by_id" TEXT NOT NULL,
    "started_by_name" TEXT NOT NULL,
    "started_by_user_id" TEXT,
    "parent_run_id" TEXT,
    "parent_step_id" TEXT,
    "retry_of_run_id" TEXT,
    "params" JSONB NOT NULL,
    "output" JSONB,
    "secrets" BYTEA,
    "agents" TEXT[],
    "search_text" TEXT NOT NULL DEFAULT '',
    "wake_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "wakes" INTEGER NOT NULL DEFAULT 0,
    "active_ms" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "tokens_in" INTEGER NOT NULL DEFAULT 0,
    "tokens_out" INTEGER NOT NULL DEFAULT 0,
    "cost_usd" DECIMAL(14,6) NOT NULL DEFAULT 0,
    "cost_reserved_usd" DECIMAL(14,6) NOT NULL DEFAULT 0,
    "cost_budget_usd" DECIMAL(14,6),
    "llm_calls" INTEGER NOT NULL DEFAULT 0,
    "tool_calls" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "steps" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "type" "step_type" NOT NULL,
    "status" "step_status" NOT NULL DEFAULT 'pending',
    "parent_id" TEXT,
    "item_index" INTEGER,
    "agent" TEXT,
    "input" JSONB,
    "output" JSONB,
    "raw_output" JSONB,
    "error" JSONB,
    "degraded" BOOLEAN NOT NULL DEFAULT false,
    "state" JSONB NOT NULL DEFAULT '{}',
    "tokens_in" INTEGER NOT NULL DEFAULT 0,
    "tokens_out" INTEGER NOT NULL DEFAULT 0,
    "cost_usd" DECIMAL(14,6) NOT NULL DEFAULT 0,
    "llm_calls" INTEGER NOT NULL DEFAULT 0,
    "tool_calls" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "turns" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "step_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "model" TEXT NOT NULL,
    "request" JSONB NOT NULL,
    "response" JSONB NOT NULL,
    "tokens_in" INTEGER NOT NULL,
    "tokens_out" INTEGER NOT NULL,
    "cost_usd" DECIMAL(14,6) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "turns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "calls" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "step_id" TEXT NOT NULL,
    "turn_id" TEXT,
    "parent_call_id" TEXT,
    "model_call_id" TEXT,
    "agent" TEXT NOT NULL,
    "server" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "status" "call_status" NOT NULL DEFAULT 'requested',
    "danger" "danger" NOT NULL,
    "arguments" JSONB NOT NULL,
    "arguments_canonical" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "definition_fingerprint" TEXT,
    "policy_hash" TEXT NOT NULL,
    "trace" JSONB NOT NULL,
    "agent_says" TEXT,
    "summary" TEXT NOT NULL DEFAULT '',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER,
    "retry_safe" BOOLEAN NOT NULL DEFAULT false,
    "result" JSONB,
    "error" JSONB,
    "cost_usd" DECIMAL(14,6) NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "executing_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approvals" (
    "id" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "step_id" TEXT NOT NULL,
    "status" "approval_status" NOT NULL DEFAULT 'pending',
    "workflow" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "server" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "danger" "danger" NOT NULL,
    "summary" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "rule" JSONB NOT NULL,
    "approvers" TEXT[],
    "min_approvals" INTEGER NOT NULL DEFAULT 1,
    "approvals" INTEGER NOT NULL DEFAULT 0,
    "self_approval" BOOLEAN NOT NULL DEFAULT false,
    "editable" BOOLEAN NOT NULL DEFAULT true,
    "on_reject" "on_reject" NOT NULL DEFAULT 'fail',
    "timeout_behavior" "timeout_behavior" NOT NULL DEFAULT 'fail',
    "escalate_to" TEXT[],
    "version" INTEGER NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(3),
    "escalate_at" TIMESTAMPTZ(3),
    "escalated_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "id" TEXT NOT NULL,
    "approval_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "token_id" TEXT,
    "verdict" "decision_verdict" NOT NULL,
    "comment" TEXT,
    "reason" TEXT,
    "digest" TEXT NOT NULL,
    "arguments_canonical" TEXT,
    "address" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "chain_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" "actor_kind" NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "mac" TEXT NOT NULL,
    "prev_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "tx" BIGINT NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "anchors" (
    "seq" INTEGER NOT NULL,
    "from_tx" BIGINT NOT NULL,
    "to_tx" BIGINT NOT NULL,
    "events" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "mac" TEXT NOT NULL,
    "prev_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "anchors_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "tool_definitions" (
    "server" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "definition" JSONB NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tool_definitions_pkey" PRIMARY KEY ("server","tool","fingerprint")
);

-- CreateTable
CREATE TABLE "tool_pins" (
    "server" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "shape" TEXT NOT NULL,
    "source" "pin_source" NOT NULL,
    "pinned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tool_pins_pkey" PRIMARY KEY ("server","tool")
);

-- CreateTable
CREATE TABLE "tool_server_states" (
    "name" TEXT NOT NULL,
    "reachable" BOOLEAN NOT NULL,
    "last_error" TEXT,
    "list_hash" TEXT,
    "listed_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tool_server_states_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "throttles" (
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "window_ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttles_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "principal" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_digest" TEXT NOT NULL,
    "status" INTEGER,
    "response" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("principal","key")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "available_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "settings" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_by" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "workers" (
    "id" TEXT NOT NULL,
    "process" TEXT NOT NULL,
    "capacity" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "users_role_id_idx" ON "users"("role", "id");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "groups_name_key" ON "groups"("name");

-- CreateIndex
CREATE INDEX "group_members_user_id_idx" ON "group_members"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- CreateIndex
CREATE INDEX "api_tokens_user_id_id_idx" ON "api_tokens"("user_id", "id");

-- CreateIndex
CREATE INDEX "runs_workflow_id_idx" ON "runs"("workflow", "id" DESC);

-- CreateIndex
CREATE INDEX "runs_status_id_idx" ON "runs"("status", "id" DESC);

-- CreateIndex
CREATE INDEX "runs_started_by_id_id_idx" ON "runs"("started_by_id", "id" DESC);

-- CreateIndex
CREATE INDEX "runs_created_at_id_idx" ON "runs"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "runs_parent_run_id_idx" ON "runs"("parent_run_id");

-- CreateIndex
CREATE INDEX "runs_retry_of_run_id_idx" ON "runs"("retry_of_run_id");

-- CreateIndex
CREATE INDEX "runs_agents_idx" ON "runs" USING GIN ("agents");

-- CreateIndex
CREATE INDEX "steps_run_id_id_idx" ON "steps"("run_id", "id");

-- CreateIndex
CREATE INDEX "steps_parent_id_idx" ON "steps"("parent_id");

-- CreateIndex
CREATE INDEX "turns_run_id_id_idx" ON "turns"("run_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "turns_step_id_number_key" ON "turns"("step_id", "number");

-- CreateIndex
CREATE INDEX "calls_run_id_id_idx" ON "calls"("run_id", "id");

-- CreateIndex
CREATE INDEX "calls_step_id_id_idx" ON "calls"("step_id", "id");

-- CreateIndex
CREATE INDEX "calls_turn_id_idx" ON "calls"("turn_id");

-- CreateIndex
CREATE INDEX "calls_parent_call_id_idx" ON "calls"("parent_call_id");

-- CreateIndex
CREATE INDEX "calls_server_tool_id_idx" ON "calls"("server", "tool", "id" DESC);

-- CreateIndex
CREATE INDEX "approvals_call_id_idx" ON "approvals"("call_id");

-- CreateIndex
CREATE INDEX "approvals_run_id_id_idx" ON "approvals"("run_id", "id");

-- CreateIndex
CREATE INDEX "approvals_status_id_idx" ON "approvals"("status", "id" DESC);

-- CreateIndex
CREATE INDEX "approvals_server_tool_status_decided_at_idx" ON "approvals"("server", "tool", "status", "decided_at" DESC);

-- CreateIndex
CREATE INDEX "decisions_user_id_id_idx" ON "decisions"("user_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "decisions_approval_id_user_id_key" ON "decisions"("approval_id", "user_id");

-- CreateIndex
CREATE INDEX "events_tx_idx" ON "events"("tx");

-- CreateIndex
CREATE INDEX "events_at_id_idx" ON "events"("at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "events_type_id_idx" ON "events"("type", "id" DESC);

-- CreateIndex
CREATE INDEX "events_actor_id_id_idx" ON "events"("actor_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "events_chain_id_seq_key" ON "events"("chain_id", "seq");

-- CreateIndex
CREATE INDEX "throttles_window_ends_at_idx" ON "throttles"("window_ends_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "workers_heartbeat_at_idx" ON "workers"("heartbeat_at");

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_config_hash_fkey" FOREIGN KEY ("config_hash") REFERENCES "project_versions"("hash") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_parent_run_id_fkey" FOREIGN KEY ("parent_run_id") REFERENCES "runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_retry_of_run_id_fkey" FOREIGN KEY ("retry_of_run_id") REFERENCES "runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "steps"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "steps"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "steps"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_parent_call_id_fkey" FOREIGN KEY ("parent_call_id") REFERENCES "calls"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_approval_id_fkey" FOREIGN KEY ("approval_id") REFERENCES "approvals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "decisions" ADD CONSTRAINT "decisions_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "api_tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

