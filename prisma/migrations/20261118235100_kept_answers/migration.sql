-- CreateTable
CREATE TABLE "kept_answers" (
    "id" BYTEA NOT NULL,
    "workspace_id" UUID,
    "person_id" UUID NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "token" INTEGER NOT NULL DEFAULT 1,
    "claimed_until" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "headers" JSONB,
    "body" TEXT,
    "bytes" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "kept_answers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "kept_answers_person_id_created_at_bytes_idx" ON "kept_answers"("person_id", "created_at", "bytes");

-- CreateIndex
CREATE INDEX "kept_answers_workspace_id_idx" ON "kept_answers"("workspace_id");

-- CreateIndex
CREATE INDEX "kept_answers_created_at_idx" ON "kept_answers"("created_at");
