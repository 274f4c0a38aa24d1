import type { NextConfig } from "next";

/** For every answer, files included; the content security policy has a nonce and is made per request in proxy.ts. */
const SECURITY_HEADERS = [
  { key: "x-content-type-options", value: "nosniff" },
  { key: "x-frame-options", value: "DENY" },
  { key: "referrer-policy", value: "same-origin" },
  { key: "cross-origin-opener-policy", value: "same-origin" },
  { key: "cross-origin-resource-policy", value: "same-origin" },
  { key: "permissions-policy", value: "camera=(), microphone=(), geolocation=(), payment=(), usb=()" },
  // Browsers heed it over TLS only, so it does no harm on localhost.
  { key: "strict-transport-security", value: "max-age=31536000; includeSubDomains" },
];

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm test` checks types as a stage of its own; a start from a clean clone need not do it again.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["pg", "pino", "prom-client", "@opentelemetry/api", "@prisma/client", "@prisma/adapter-pg"],
  headers: async () => [{ source: "/:path*", headers: SECURITY_HEADERS }],
};

export default config;
