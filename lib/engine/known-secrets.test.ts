import { afterEach, expect, test, vi } from "vitest";
import { generateToken } from "@/lib/domain/api-token";
import { cleanChunk } from "@/lib/engine/clean-output";
import { matchOwnSecrets } from "@/lib/engine/known-secrets";

afterEach(() => vi.unstubAllEnvs());

const hide = (text: string, variables: Record<string, string> = {}) => matchOwnSecrets(variables).replaceAll(text, () => "[secret]");

test.each([
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-team=a1b2c3d4e5,authorization=Bearer%20ey.SENTINEL%2Bkey", ["a1b2c3d4e5", "ey.SENTINEL+key", "ey.SENTINEL%2Bkey"]],
  ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=%E0%A4%A-broken", ["%E0%A4%A-broken"]],
  ["DATABASE_URL", "postgresql://kimitsu:half%ZZpassword@db/kimitsu", ["half%ZZpassword"]],
])("what %s holds is known", (name, value, secrets) => {
  for (const secret of secrets) expect(hide(`sent ${secret} along`, { [name]: value })).toBe("sent [secret] along");
});

test("an API token is known by its form, whoever made it, in JSON and addresses too", () => {
  const token = generateToken();
  expect(hide(`{"token":"${token}","next":"/x?t=${token}&y=1"}`)).toBe('{"token":"[secret]","next":"/x?t=[secret]&y=1"}');
  expect(hide("kmt_short and kmt_")).toBe("kmt_short and kmt_");
});

test("bytes are cleaned like text, and left as they are when they hold no secret", () => {
  vi.stubEnv("AUTH_SECRET", "a-secret-of-more-than-32-characters");
  expect(cleanChunk(Buffer.from("said a-secret-of-more-than-32-characters aloud"))).toBe("said [secret] aloud");
  const half = Buffer.from("é").subarray(0, 1);
  expect(cleanChunk(half)).toBe(half);
});
