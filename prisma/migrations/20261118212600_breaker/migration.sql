ALTER TABLE "mailboxes" ADD COLUMN "burned_as" TEXT, ADD COLUMN "burned_in_row" INTEGER NOT NULL DEFAULT 0;
