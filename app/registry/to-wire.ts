import type { RegistryServer, RegistryTool } from "@/lib/tools/registry/list-registry";

export function toServer({ lastError, listHash, listedAt, checkedAt, ...server }: RegistryServer) {
  return {
    ...server,
    last_error: lastError,
    list_hash: listHash,
    listed_at: listedAt?.toISOString() ?? null,
    checked_at: checkedAt?.toISOString() ?? null,
  };
}

export function toTool({
  inputSchema,
  outputSchema,
  dangerReason,
  readOnly,
  pinnedFingerprint,
  firstSeenAt,
  lastSeenAt,
  goneAt,
  ...tool
}: RegistryTool) {
  return {
    name: `${tool.server}.${tool.tool}`,
    ...tool,
    input_schema: inputSchema,
    output_schema: outputSchema,
    danger_reason: dangerReason,
    read_only: readOnly,
    pinned_fingerprint: pinnedFingerprint,
    first_seen_at: firstSeenAt.toISOString(),
    last_seen_at: lastSeenAt.toISOString(),
    gone_at: goneAt?.toISOString() ?? null,
  };
}
