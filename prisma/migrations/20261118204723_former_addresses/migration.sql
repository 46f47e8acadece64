-- CreateTable
CREATE TABLE "former_addresses" (
    "workspace_id" UUID NOT NULL,
    "email_hash" BYTEA NOT NULL,
    "prospect_id" UUID NOT NULL,
    "email" TEXT,
    "left_at" TIMESTAMPTZ(3) NOT NULL DEFAULT app_now(),

    CONSTRAINT "former_addresses_pkey" PRIMARY KEY ("workspace_id","email_hash")
);

-- CreateIndex
CREATE INDEX "former_addresses_prospect_id_idx" ON "former_addresses"("prospect_id");

-- AddForeignKey
ALTER TABLE "former_addresses" ADD CONSTRAINT "former_addresses_prospect_id_fkey" FOREIGN KEY ("prospect_id") REFERENCES "prospects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- An address that a person ever had stays theirs. Kept by the database itself, whoever changes the row.
CREATE FUNCTION refuse_former_address(prospect prospects) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM former_addresses f
    WHERE f.workspace_id = prospect.workspace_id AND f.email_hash = prospect.email_hash AND f.prospect_id <> prospect.id)
  THEN
    -- A serialization failure: who looked before the other committed looks again, and finds the person.
    RAISE EXCEPTION 'this address was another prospect''s before, and stays theirs'
      USING ERRCODE = 'serialization_failure', CONSTRAINT = 'prospects_former_address', TABLE = 'prospects';
  END IF;
END $$;

CREATE FUNCTION keep_former_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refuse_former_address(NEW);
  DELETE FROM former_addresses WHERE workspace_id = NEW.workspace_id AND email_hash = NEW.email_hash;
  INSERT INTO former_addresses (workspace_id, email_hash, prospect_id, email)
  VALUES (OLD.workspace_id, OLD.email_hash, OLD.id, OLD.email);
  RETURN NULL;
END $$;
CREATE TRIGGER "prospects_former_address" AFTER UPDATE OF "email_hash" ON "prospects" FOR EACH ROW
WHEN (OLD.email_hash IS DISTINCT FROM NEW.email_hash) EXECUTE FUNCTION keep_former_address();

-- After the insert, and not before it: one that waited for the address to be left looks when the other has committed.
CREATE FUNCTION refuse_former_addresses() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  taken prospects;
BEGIN
  FOR taken IN SELECT a.* FROM added a JOIN former_addresses f ON f.workspace_id = a.workspace_id AND f.email_hash = a.email_hash LOOP
    PERFORM refuse_former_address(taken);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER "prospects_added_address" AFTER INSERT ON "prospects" REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION refuse_former_addresses();
