-- When a tool was first missing from its server's list; null while it is there.
ALTER TABLE "tool_definitions" ADD COLUMN "gone_at" TIMESTAMPTZ(3);
