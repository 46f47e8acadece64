-- AlterTable
ALTER TABLE "sequence_steps" ADD COLUMN "inlined_html" TEXT;

-- CreateTable
CREATE TABLE "sequence_versions" (
    "sequence_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "changes" TEXT[],
    "saved_by_id" UUID,
    "saved_by_email" TEXT,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "saved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "sequence_versions_pkey" PRIMARY KEY ("sequence_id", "version")
);

-- AddForeignKey
ALTER TABLE "sequence_versions" ADD CONSTRAINT "sequence_versions_sequence_id_fkey" FOREIGN KEY ("sequence_id") REFERENCES "sequences"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What stood there before versions were kept is the first of them.
INSERT INTO "sequence_versions" ("sequence_id", "version", "name", "steps", "changes", "begun_at", "saved_at")
SELECT q.id, q.version, q.name, coalesce((
    SELECT jsonb_agg(jsonb_build_object('stepNumber', s.step_number, 'delayDays', s.delay_days, 'subject', s.subject,
      'bodyText', s.body_text, 'bodyHtml', s.body_html) ORDER BY s.step_number)
    FROM "sequence_steps" s WHERE s.sequence_id = q.id), '[]'), '{}', q.created_at, q.updated_at
FROM "sequences" q;
