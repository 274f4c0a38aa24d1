#!/usr/bin/env node
// Stands where Prisma looks for its native schema engine, which cannot be downloaded everywhere. It fails on purpose: a
// stub that succeeds would let `prisma migrate deploy` report success without having done anything.
console.error(
  "The native Prisma schema engine is not used here. Run: node scripts/migrate.mjs deploy | new <name> | drift",
);
process.exit(1);
