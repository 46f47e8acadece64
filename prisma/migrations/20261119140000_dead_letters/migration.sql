-- CreateTable
CREATE TABLE "dead_letters" (
    "reason" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "dead_letters_pkey" PRIMARY KEY ("reason")
);

-- Whatever is written here is one of the reasons that have a sentence (src/lib/dispatch/dead-letters.ts).
ALTER TABLE "dead_letters" ADD CONSTRAINT "dead_letters_reason_known"
  CHECK ("reason" IN ('unreadable', 'not-ours', 'delivered-too-often'));
