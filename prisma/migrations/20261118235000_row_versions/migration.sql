-- AlterTable
ALTER TABLE "campaigns" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "prospect_lists" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "prospects" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "sending_settings" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "sequences" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- As mailboxes have it (20261118204403): two people who edit one thing are told apart by a counter, since times may be equal.
CREATE TRIGGER "campaigns_version" BEFORE UPDATE OF "updated_at" ON "campaigns" FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER "prospect_lists_version" BEFORE UPDATE OF "updated_at" ON "prospect_lists" FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER "prospects_version" BEFORE UPDATE OF "updated_at" ON "prospects" FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER "sending_settings_version" BEFORE UPDATE OF "updated_at" ON "sending_settings" FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER "sequences_version" BEFORE UPDATE OF "updated_at" ON "sequences" FOR EACH ROW EXECUTE FUNCTION raise_version();
CREATE TRIGGER "workspaces_version" BEFORE UPDATE OF "name" ON "workspaces" FOR EACH ROW EXECUTE FUNCTION raise_version();
