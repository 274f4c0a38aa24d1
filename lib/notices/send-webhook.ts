import { describeNotice, type Notice } from "@/lib/notices/rules/notice";
import { signRequest } from "@/lib/text/sign-request";
import type { NoticeDeps } from "@/lib/notices/notice-deps";
import { post } from "@/lib/notices/post";

export interface Hook {
  url: string;
  secret: string;
}

export function sendWebhook(deps: NoticeDeps, hook: Hook, channel: string, notice: Notice): Promise<void> {
  const { id, type, facts } = notice;
  const { approval } = facts;
  return sendSigned(deps, hook, id, {
    id,
    type,
    at: new Date(facts.at).toISOString(),
    channel,
    url: `${deps.origin}${describeNotice(notice).path}`,
    run: { id: facts.runId, workflow: facts.workflow },
    call: facts.callId && {
      id: facts.callId,
      agent: facts.agent,
      server: facts.server,
      tool: facts.tool,
      danger: facts.danger,
    },
    approval: approval && {
      id: approval.id,
      approvers: approval.approvers,
      expires_at: approval.expiresAt && new Date(approval.expiresAt).toISOString(),
    },
    decision: facts.decided,
    error_code: facts.code,
  });
}

export async function sendSigned(deps: NoticeDeps, { url, secret }: Hook, id: string, content: object): Promise<void> {
  const body = JSON.stringify(content);
  await post(deps, url, body, signRequest({ id, at: deps.now(), body }, secret));
}
