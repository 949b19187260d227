package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
)

// Probe writes a small file, reads it back and deletes it: that is all a store
// has to be able to do.
func (s *Store) Probe(ctx context.Context) (err error) {
	var mark [16]byte
	rand.Read(mark[:]) // never fails
	name := "probe-" + hex.EncodeToString(mark[:])
	if err := s.bucket.WriteAll(ctx, name, mark[:], nil); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	defer func() {
		if failed := s.bucket.Delete(context.WithoutCancel(ctx), name); failed != nil {
			err = errors.Join(err, fmt.Errorf("delete: %w", failed))
		}
	}()
	back, err := s.bucket.ReadAll(ctx, name)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if !bytes.Equal(back, mark[:]) {
		return errors.New("read: other bytes came back than were written")
	}
	return nil
}
