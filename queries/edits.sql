-- Whoever edits does not make others wait anew: the draft keeps its place.
-- name: KeepPlace :exec
UPDATE validations v SET created_at = r.created_at FROM validations r WHERE v.id = @id AND r.id = v.replaces;

-- What was told of the wait of the draft before is not told again.
-- name: KeepOverdueAlert :exec
UPDATE alerts a SET subject = v.id::text FROM validations v
WHERE v.id = @id AND a.operation_id = v.operation_id AND a.kind = 'validation_overdue' AND a.subject = v.replaces::text;

-- What was told of a wait that a decision has ended needs nobody any more.
-- name: EndOverdueAlert :exec
UPDATE alerts SET acknowledged_at = @at, acknowledged_by = @by
WHERE operation_id = @operation_id AND kind = 'validation_overdue' AND subject = @subject AND acknowledged_at IS NULL;

-- name: AmendStep :exec
UPDATE operation_steps SET output = @output WHERE id = @id AND state = 'waiting_validation';
