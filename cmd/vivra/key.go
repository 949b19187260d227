package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// unready reports what serving needs beyond a well-formed environment. With a
// database of one's own, several processes may share it, and what one sealed
// the others must open: the key can't be left to a folder of one machine.
func (e *environment) unready() []fault {
	if e.DatabaseURL != "" && e.SecretKey == "" {
		return []fault{{"VIVRA_SECRET_KEY", "is missing: with DATABASE_URL every process must be given the same one. Make it with openssl rand -hex 32"}}
	}
	return nil
}

// secretKey returns the key that seals what is kept secret in the database:
// the one that was set, or one made at the first start and kept in the data
// folder.
func (e *environment) secretKey(log *slog.Logger) ([]byte, error) {
	if e.SecretKey != "" {
		key, _ := decodeKey(e.SecretKey) // parse checked it
		return key, nil
	}
	path := filepath.Join(e.DataDir, "secret.key")
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path, log)
	}
	return key, err
}

func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read secret key: %w", err)
	}
	key, ok := decodeKey(strings.TrimSpace(string(text)))
	if !ok {
		return nil, fmt.Errorf("read secret key: %s does not hold 32 bytes in hex; put the right file back, or delete it to lose what was sealed with it", path)
	}
	return key, nil
}

func makeKey(path string, log *slog.Logger) ([]byte, error) {
	key := make([]byte, keyLength)
	rand.Read(key) // never fails
	// The folder is entered by the database server's account too; the key is closed to it.
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep secret key: %w", err)
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("keep secret key: %w", err), os.Remove(path))
	}
	log.Info("made a secret key, because VIVRA_SECRET_KEY is not set; keep it with your backups", "file", path)
	return key, nil
}
