-- CreateTable
CREATE TABLE "promise_looks" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "token" INTEGER NOT NULL DEFAULT 0,
    "leased_until" TIMESTAMPTZ(3),
    "looked_at" TIMESTAMPTZ(3),

    CONSTRAINT "promise_looks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "promise_walks" (
    "walk" TEXT NOT NULL,
    "cursor" TEXT,
    "rows_at_once" INTEGER NOT NULL,
    "round_rows" INTEGER NOT NULL DEFAULT 0,
    "round_began_at" TIMESTAMPTZ(3),
    "looked_at" TIMESTAMPTZ(3),
    "last_round_rows" INTEGER,
    "last_round_ended_at" TIMESTAMPTZ(3),
    "trouble" TEXT,

    CONSTRAINT "promise_walks_pkey" PRIMARY KEY ("walk")
);

-- CreateTable
CREATE TABLE "promise_findings" (
    "invariant" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "walk" TEXT NOT NULL,
    "workspace_id" UUID,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "promise_findings_pkey" PRIMARY KEY ("invariant","key")
);

-- CreateIndex
CREATE INDEX "promise_findings_workspace_id_invariant_idx" ON "promise_findings"("workspace_id", "invariant");

-- There is one, and it is taken by updating it.
ALTER TABLE "promise_looks" ADD CONSTRAINT "promise_looks_one" CHECK ("id" = 1);
INSERT INTO "promise_looks" DEFAULT VALUES;

-- How what was unknown was settled, for a page: few attempts end so, and the others pay nothing for this.
CREATE INDEX "email_attempts_unknown_idx" ON "email_attempts" ("workspace_id", "email_id") WHERE outcome = 'UNKNOWN';
