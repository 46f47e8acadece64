-- AlterTable
ALTER TABLE "campaign_prospects" ADD COLUMN     "reason_code" TEXT;

-- The sentences are those of src/lib/campaigns/enrolment-reasons.ts; what names fields has one for each.
UPDATE "campaign_prospects" SET "reason_code" = CASE "reason"
  WHEN 'Another campaign has already taken the prospect through this sequence.' THEN 'covered'
  WHEN 'The prospect got this sequence, or a part of it, as another prospect that was merged into this one.' THEN 'covered-before-merge'
  WHEN 'A campaign on this sequence was stopped before it sent the prospect anything, and each step of a sequence is for each prospect once. To send it to them, make a campaign with a copy of the sequence.' THEN 'covered-by-stopped'
  WHEN 'The address or its domain was on the suppression list.' THEN 'suppressed'
  WHEN 'The prospect was erased.' THEN 'erased'
  WHEN 'The prospect is archived.' THEN 'archived'
  WHEN 'The prospect has unsubscribed.' THEN 'unsubscribed'
  WHEN 'Email to the prospect bounced before.' THEN 'bounced'
  WHEN 'The prospect has replied.' THEN 'replied'
  WHEN 'The mailbox that it was to leave from is not connected.' THEN 'mailbox-not-connected'
  WHEN 'The campaign was stopped before it came to the prospect.' THEN 'campaign-stopped'
  ELSE 'missing-fields'
END WHERE "reason" IS NOT NULL;

ALTER TABLE "campaign_prospects" ADD CONSTRAINT "campaign_prospects_reason_check" CHECK (("reason" IS NULL) = ("reason_code" IS NULL));

-- Who was set aside for one reason, in a campaign of millions; those who were not cost it nothing.
CREATE INDEX "campaign_prospects_reason_idx" ON "campaign_prospects" ("campaign_id", "reason_code", "id") WHERE "reason_code" IS NOT NULL;
