-- Filters of the email queue that were given a name.
CREATE TABLE "queue_filters" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "queue_filters_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "queue_filters_workspace_id_id_idx" ON "queue_filters"("workspace_id", "id");
CREATE UNIQUE INDEX "queue_filters_name_key" ON "queue_filters" ("workspace_id", lower("name")) WHERE "removed_at" IS NULL;
ALTER TABLE "queue_filters" ADD CONSTRAINT "queue_filters_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
