-- AlterTable
ALTER TABLE "mailboxes" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;

-- A counter and not a time: two changes may fall into one millisecond, and the connection that was opened between them
-- would be used for the second. Raised wherever a statement writes updated_at; claims, which write other columns, do not.
CREATE FUNCTION raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER "mailboxes_version" BEFORE UPDATE OF "updated_at" ON "mailboxes" FOR EACH ROW EXECUTE FUNCTION raise_version();
