import { defineConfig } from "prisma/config";

/**
 * Only `prisma generate` reads this; migrations are applied by scripts/migrate.mjs, which takes DATABASE_URL itself.
 */
export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
});
