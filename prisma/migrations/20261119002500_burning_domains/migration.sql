-- CreateTable
CREATE TABLE "burning_domains" (
    "workspace_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "burned_as" TEXT NOT NULL,
    "in_row" INTEGER NOT NULL,
    "mailbox_id" UUID NOT NULL,
    "is_shared" BOOLEAN NOT NULL DEFAULT false,
    "pauses" INTEGER NOT NULL DEFAULT 0,
    "paused_until" TIMESTAMPTZ(3),

    CONSTRAINT "burning_domains_pkey" PRIMARY KEY ("workspace_id","domain")
);

-- AddForeignKey
ALTER TABLE "burning_domains" ADD CONSTRAINT "burning_domains_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What stands after the last @, as it is written in a row of burning_domains.
CREATE FUNCTION domain_of(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN lower(split_part(address, '@', -1));
