import type { NextConfig } from "next";

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pg", "pino", "prom-client", "@prisma/client", "@prisma/adapter-pg"],
};

export default config;
