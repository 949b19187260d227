-- +goose Up
-- What became of each venue's form, in the venues' order.
ALTER TABLE validations ADD COLUMN receipts jsonb NOT NULL DEFAULT '[]';
UPDATE validations SET receipts = jsonb_build_array(jsonb_build_object('venue', 'form', 'name', 'Takeover form',
    'link', receipt_url, 'by', decided_by, 'at', coalesce(decided_at, created_at))) WHERE receipt_url <> '';
ALTER TABLE validations DROP COLUMN receipt_url;

-- +goose Down
ALTER TABLE validations ADD COLUMN receipt_url text NOT NULL DEFAULT '';
UPDATE validations v SET receipt_url = coalesce((SELECT r->>'link' FROM jsonb_array_elements(v.receipts) r WHERE r->>'link' <> '' LIMIT 1), '');
ALTER TABLE validations DROP COLUMN receipts;
