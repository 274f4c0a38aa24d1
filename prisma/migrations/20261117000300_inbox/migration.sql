-- What reviewers set aside for themselves, with a note for the others.
CREATE TABLE "set_asides" (
    "approval_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "note" TEXT,
    "version" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "set_asides_pkey" PRIMARY KEY ("user_id","approval_id")
);

CREATE INDEX "set_asides_approval_id_created_at_idx" ON "set_asides"("approval_id", "created_at");

ALTER TABLE "set_asides" ADD CONSTRAINT "set_asides_approval_id_fkey" FOREIGN KEY ("approval_id") REFERENCES "approvals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "set_asides" ADD CONSTRAINT "set_asides_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Who has a card open now.
CREATE TABLE "lookers" (
    "approval_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lookers_pkey" PRIMARY KEY ("approval_id","user_id")
);

CREATE INDEX "lookers_until_idx" ON "lookers"("until");

ALTER TABLE "lookers" ADD CONSTRAINT "lookers_approval_id_fkey" FOREIGN KEY ("approval_id") REFERENCES "approvals"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "lookers" ADD CONSTRAINT "lookers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
