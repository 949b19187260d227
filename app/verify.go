package app

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// ChainRow is one row of an exported log: the exact bytes that were hashed,
// the hash of the row before, and the row's own.
type ChainRow struct {
	Line     json.RawMessage `json:"line"`
	PrevHash string          `json:"prev_hash"`
	Hash     string          `json:"hash"`
}

// ChainHash returns the hash of a log line that follows prev.
func ChainHash(prev, line []byte) []byte {
	h := sha256.New()
	h.Write(prev)
	h.Write(line)
	return h.Sum(nil)
}

// HeadKind is the kind of the rows that say where the log stood.
const HeadKind = "head"

// HeadSummary says where a log stood, in the words that VerifyLog reads.
func HeadSummary(row int64, hash []byte) string {
	return fmt.Sprintf("The log stands at row %d, its hash is %s", row, hex.EncodeToString(hash))
}

// LogProof is what a log was found to be.
type LogProof struct {
	Rows int    `json:"rows"`
	Cost Nano   `json:"cost_nusd"`
	Head string `json:"head_hash"`
	// Known are the rows that have the hashes that were known before.
	Known map[string]int `json:"known,omitempty"`
}

// maxLogRow bounds one row of an export.
const maxLogRow = 1 << 20

// VerifyLog recomputes the hash chain of an exported log, row by row. The
// error names the first row that does not fit. known are hashes that were seen
// before: when no row has one of them, what was seen is not in this log, which was
// rewritten or is cut off.
func VerifyLog(r io.Reader, known ...string) (LogProof, error) {
	proof := LogProof{Known: map[string]int{}, Head: hex.EncodeToString(make([]byte, sha256.Size))}
	rows := bufio.NewScanner(r)
	rows.Buffer(make([]byte, 64<<10), maxLogRow)
	for rows.Scan() {
		if len(bytes.TrimSpace(rows.Bytes())) == 0 {
			continue
		}
		if err := proof.add(rows.Bytes()); err != nil {
			return proof, Errorf(Invalid, "Row %d: %v.", proof.Rows+1, err)
		}
		if slices.Contains(known, proof.Head) {
			proof.Known[proof.Head] = proof.Rows
		}
	}
	if err := rows.Err(); err != nil {
		return proof, Errorf(Invalid, "Row %d can't be read: %v.", proof.Rows+1, err)
	}
	if proof.Rows == 0 {
		return proof, Errorf(Invalid, "There is no row in it.")
	}
	for _, hash := range known {
		if proof.Known[hash] == 0 {
			return proof, Errorf(Invalid, "%s, but none has the hash %s: the log was rewritten before that row, or is cut off.", Count(proof.Rows, "row fits", "rows fit"), hash)
		}
	}
	return proof, nil
}

func (p *LogProof) add(raw []byte) error {
	var row ChainRow
	if err := json.Unmarshal(raw, &row); err != nil {
		return fmt.Errorf("it is no row of a log: %w", err)
	}
	// One spelling only, so that no byte can change unnoticed.
	if written, err := encode(row); err != nil || !bytes.Equal(written, raw) {
		return fmt.Errorf("it is not written as a row of a log is")
	}
	var line EventLine
	if err := json.Unmarshal(row.Line, &line); err != nil {
		return fmt.Errorf("its line is no log line: %w", err)
	}
	if line.Seq != int64(p.Rows+1) {
		return fmt.Errorf("its number is %d", line.Seq)
	}
	if row.PrevHash != p.Head {
		return fmt.Errorf("it says that it follows %s, and the row before has %s", row.PrevHash, p.Head)
	}
	prev, err := hex.DecodeString(p.Head)
	if err != nil {
		return err
	}
	if hash := hex.EncodeToString(ChainHash(prev, row.Line)); hash != row.Hash {
		return fmt.Errorf("its hash is %s, and its content gives %s", row.Hash, hash)
	}
	if stood := HeadSummary(int64(p.Rows), prev); line.Kind == HeadKind && line.Summary != stood {
		return fmt.Errorf("it says %q, and before it the log is another: %s", line.Summary, stood)
	}
	p.Rows, p.Head, p.Cost = p.Rows+1, row.Hash, p.Cost+line.Cost
	return nil
}

// exportPage is how many rows are read at a time: a log is never whole in memory.
const exportPage = 500

// ExportLog writes the rows that an operation has, as VerifyLog reads them. after
// returns at most so many rows behind one, flush is called now and then.
func ExportLog(op Operation, w io.Writer, after func(row int64, most int) ([]Event, error), flush func()) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for row := int64(0); row < op.Seq; {
		events, err := after(row, int(min(exportPage, op.Seq-row)))
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return fmt.Errorf("the log ends after row %d of %d", row, op.Seq)
		}
		for _, e := range events {
			if err := out.Encode(ChainRow{Line: e.Line, PrevHash: e.PrevHash, Hash: e.Hash}); err != nil {
				return err
			}
		}
		row = events[len(events)-1].Seq
		flush()
	}
	return nil
}
