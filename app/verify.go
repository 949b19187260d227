package app

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
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

// LogProof is what a log was found to be.
type LogProof struct {
	Rows int    `json:"rows"`
	Cost Nano   `json:"cost_nusd"`
	Head string `json:"head_hash"`
}

// maxLogRow bounds one row of an export.
const maxLogRow = 1 << 20

// VerifyLog recomputes the hash chain of an exported log, row by row. The
// error names the first row that does not fit.
func VerifyLog(r io.Reader) (LogProof, error) {
	proof := LogProof{Head: hex.EncodeToString(make([]byte, sha256.Size))}
	rows := bufio.NewScanner(r)
	rows.Buffer(make([]byte, 64<<10), maxLogRow)
	for rows.Scan() {
		if len(bytes.TrimSpace(rows.Bytes())) == 0 {
			continue
		}
		if err := proof.add(rows.Bytes()); err != nil {
			return proof, Errorf(Invalid, "Row %d: %v.", proof.Rows+1, err)
		}
	}
	if err := rows.Err(); err != nil {
		return proof, Errorf(Invalid, "Row %d can't be read: %v.", proof.Rows+1, err)
	}
	if proof.Rows == 0 {
		return proof, Errorf(Invalid, "There is no row in it.")
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
	p.Rows, p.Head, p.Cost = p.Rows+1, row.Hash, p.Cost+line.Cost
	return nil
}
