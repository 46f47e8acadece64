ALTER TABLE "import_jobs" ADD COLUMN "file_name" TEXT,
ADD COLUMN "total_records" INTEGER;

CREATE TABLE "prospect_fields" (
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "prospect_fields_pkey" PRIMARY KEY ("workspace_id","name")
);

CREATE TABLE "segments" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "segments_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "import_people" (
    "job_id" UUID NOT NULL,
    "prospect_id" UUID NOT NULL,
    "outcome" TEXT NOT NULL,

    CONSTRAINT "import_people_pkey" PRIMARY KEY ("job_id","prospect_id")
);

CREATE INDEX "segments_workspace_id_id_idx" ON "segments"("workspace_id", "id");
CREATE UNIQUE INDEX "segments_name_key" ON "segments" ("workspace_id", lower("name")) WHERE "archived_at" IS NULL;
CREATE INDEX "import_people_prospect_id_idx" ON "import_people"("prospect_id");
-- The newest imports first, as the page lists them.
CREATE INDEX "import_jobs_workspace_id_id_idx" ON "import_jobs" ("workspace_id", "id");

ALTER TABLE "prospect_fields" ADD CONSTRAINT "prospect_fields_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "segments" ADD CONSTRAINT "segments_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "import_people" ADD CONSTRAINT "import_people_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "import_jobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "import_people" ADD CONSTRAINT "import_people_prospect_id_fkey" FOREIGN KEY ("prospect_id") REFERENCES "prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "import_people" ADD CONSTRAINT "import_people_outcome" CHECK ("outcome" IN ('created', 'updated', 'revived', 'unchanged'));

-- Those that people have already.
INSERT INTO "prospect_fields" ("workspace_id", "name")
SELECT DISTINCT p."workspace_id", field."name" FROM "prospects" p, jsonb_object_keys(p."custom_fields") AS field("name");

CREATE TRIGGER "segments_version" BEFORE UPDATE OF "updated_at" ON "segments" FOR EACH ROW EXECUTE FUNCTION raise_version();
