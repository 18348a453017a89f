package oauth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/dougu-go/dougu/internal/lockfile"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/private"
)

const (
	// sealKeySize is the length of Sealed.Key, in bytes.
	sealKeySize = 32
	// maxSealed is the maximum size of a value, in bytes.
	maxSealed = 1 << 20
	// sealedVersion is the prefix of each file.
	sealedVersion = "dougu1\n"
)

// Sealed is a Store in an encrypted directory, for programs that keep the tokens of many users.
// Each value is a file with mode 0600, encrypted with AES-256-GCM and bound to its key in the
// Store. File names are keyed hashes, so that a directory listing reveals no users or servers.
//
// A copy of the directory is useless without Key. A process of the same user that can read both
// obtains the tokens. Several processes may share the directory. Load returns an error for a
// damaged file or another Key; a Client then behaves as if there were no token.
type Sealed struct {
	// Dir is the path of the directory. Save creates it. Empty lock files remain in it.
	Dir string
	// Key is a key of 32 random bytes, kept outside Dir; see SealingKey.
	Key []byte

	once  sync.Once
	err   error
	aead  cipher.AEAD
	names []byte // key of the file-name hashes
}

// SealingKey returns the key that a Store keeps under name, and creates it if it is missing. Keep
// it in a keyring if possible, otherwise in a File outside the directory of the sealed values.
func SealingKey(ctx context.Context, store Store, name string) ([]byte, error) {
	if locker, ok := store.(Locker); ok {
		unlock, err := locker.Lock(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("reading the sealing key: %w", err)
		}
		defer unlock()
	}
	text, err := store.Load(ctx, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the sealing key: %w", err)
	case text != nil:
		key, err := hex.DecodeString(string(text))
		if err != nil || len(key) != sealKeySize {
			return nil, errors.New("the sealing key is damaged; delete it, and log in again")
		}
		return key, nil
	}
	key := make([]byte, sealKeySize)
	_, _ = rand.Read(key) // rand.Read never fails
	if err := store.Save(ctx, name, []byte(hex.EncodeToString(key))); err != nil {
		return nil, fmt.Errorf("keeping the sealing key: %w", err)
	}
	return key, nil
}

// open derives the keys for values and file names from Key, once.
func (s *Sealed) open() error {
	s.once.Do(func() {
		if len(s.Key) != sealKeySize {
			s.err = fmt.Errorf("the sealing key has %d bytes; it must have %d", len(s.Key), sealKeySize)
			return
		}
		var values []byte
		var block cipher.Block
		if values, s.err = hkdf.Expand(sha256.New, s.Key, "values", sealKeySize); s.err != nil {
			return
		}
		if s.names, s.err = hkdf.Expand(sha256.New, s.Key, "names", sealKeySize); s.err != nil {
			return
		}
		if block, s.err = aes.NewCipher(values); s.err == nil {
			s.aead, s.err = cipher.NewGCMWithRandomNonce(block)
		}
	})
	return s.err
}

// file returns the file name of a Store key.
func (s *Sealed) file(key string) string {
	mac := hmac.New(sha256.New, s.names)
	mac.Write([]byte(key))
	return hex.EncodeToString(mac.Sum(nil))
}

// Load implements Store.
func (s *Sealed) Load(_ context.Context, key string) ([]byte, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	value, err := s.read(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the sealed file %s: %w", filepath.Join(s.Dir, s.file(key)), err)
	}
	return value, nil
}

func (s *Sealed) read(key string) ([]byte, error) {
	dir, err := rootfs.Open(s.Dir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	opened, err := dir.Open(s.file(key))
	if err != nil {
		return nil, err
	}
	defer opened.File.Close()
	if !private.Is(opened.Info) {
		return nil, fmt.Errorf("it belongs to another user, or others may use it (mode %v)", opened.Info.Mode().Perm())
	}
	limit := len(sealedVersion) + maxSealed + s.aead.Overhead()
	data, err := io.ReadAll(io.LimitReader(opened.File, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > limit || len(data) < len(sealedVersion) || string(data[:len(sealedVersion)]) != sealedVersion {
		return nil, errors.New("it is no sealed value")
	}
	value, err := s.aead.Open([]byte{}, nil, data[len(sealedVersion):], []byte(key))
	if err != nil {
		return nil, errors.New("it is damaged, or sealed with another key")
	}
	return value, nil
}

// Save implements Store. A value may have at most 1 MiB.
func (s *Sealed) Save(_ context.Context, key string, value []byte) error {
	if err := s.open(); err != nil {
		return err
	}
	if len(value) > maxSealed {
		return fmt.Errorf("a value of %d bytes is too large to be sealed; at most %d are allowed", len(value), maxSealed)
	}
	sealed := s.aead.Seal([]byte(sealedVersion), nil, value, []byte(key))
	if err := s.write(s.file(key), sealed); err != nil {
		return fmt.Errorf("writing to %s: %w", s.Dir, err)
	}
	return nil
}

func (s *Sealed) write(name string, data []byte) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	_, err := rootfs.ReplaceFile(filepath.Join(s.Dir, name), rootfs.Replacement{Perm: 0o600}, rootfs.Content(data))
	return err
}

// Delete implements Store.
func (s *Sealed) Delete(_ context.Context, key string) error {
	if err := s.open(); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.Dir, s.file(key))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a sealed value: %w", err)
	}
	return nil
}

// Lock implements Locker.
func (s *Sealed) Lock(ctx context.Context, key string) (unlock func(), err error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	return lockfile.Take(ctx, filepath.Join(s.Dir, s.file(key)+".lock"))
}
