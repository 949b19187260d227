-- name: Prices :many
SELECT * FROM prices ORDER BY id;

-- name: LockPrices :exec
LOCK TABLE prices IN SHARE ROW EXCLUSIVE MODE;

-- A price is added unless it is what the list says already, for that day.
-- name: AddPrice :execrows
INSERT INTO prices (model, kind, size, input_nusd, cached_nusd, output_nusd, image_nusd, effective_at, imported_at, imported_by, source)
SELECT @model, @kind, @size, @input_nusd, @cached_nusd, @output_nusd, @image_nusd, @effective_at, @imported_at, @imported_by, @source
WHERE NOT EXISTS (
    SELECT FROM (SELECT p.* FROM prices p
        WHERE p.model = @model AND p.kind = @kind AND p.size = @size AND p.effective_at = @effective_at
        ORDER BY p.id DESC LIMIT 1) newest
    WHERE newest.input_nusd = @input_nusd AND newest.cached_nusd = @cached_nusd
        AND newest.output_nusd = @output_nusd AND newest.image_nusd = @image_nusd);
