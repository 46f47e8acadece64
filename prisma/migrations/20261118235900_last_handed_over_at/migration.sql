-- It holds the moment of the answer as well as that of the mark. Only the catalogue is written, however long the table is.
ALTER TABLE "mailboxes" RENAME COLUMN "last_marked_at" TO "last_handed_over_at";
