// Package keyring stores tokens in the keyring of the user's system: the Keychain of macOS, the Credential Manager of Windows,
// or a Secret Service on Linux, for example GNOME Keyring or KWallet.
//
//	store, err := keyring.Open("my-editor")
//	if err != nil { // no keyring: a server, a container
//		store = &oauth.File{Path: path}
//	}
package keyring

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/dougu-go/dougu/internal/lockfile"
)

const (
	// part is how much of a value one entry has, in bytes. Windows takes 2560, macOS 3000 with the names.
	part = 1 << 11
	// maxParts bounds the entries of a value.
	maxParts = 128
)

// Store implements oauth.Store and oauth.Locker. A value that exceeds the size of one keyring entry is split into several
// entries. Locks are empty files in the user's cache directory.
type Store struct {
	service string
	locks   string
}

// Open finds the keyring of the system, and tries whether it can be used: it may have to be unlocked by the user. service is the
// name of the program that the user sees there.
func Open(service string) (*Store, error) {
	if service == "" {
		return nil, errors.New("the name of the service is empty")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding a place for locks: %w", err)
	}
	s := &Store{service: service, locks: filepath.Join(cache, "dougu", "keyring")}
	const probe, value = "probe", "to find out whether there is a keyring"
	if err := keyring.Set(service, probe, value); err != nil {
		return nil, unusable(err)
	}
	got, err := keyring.Get(service, probe)
	if err == nil && got != value {
		err = errors.New("it does not return the stored value")
	}
	if err == nil {
		err = keyring.Delete(service, probe)
	}
	if err != nil && !errors.Is(err, keyring.ErrNotFound) { // another process has tried too
		return nil, unusable(err)
	}
	return s, nil
}

func unusable(err error) error {
	return fmt.Errorf("the keyring of this system cannot be used: %w; unlock it, or keep the tokens in a file (oauth.File)", err)
}

// Load implements oauth.Store.
func (s *Store) Load(_ context.Context, key string) ([]byte, error) {
	head, err := keyring.Get(s.service, key)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable(err)
	}
	id, parts, ok := parseHead(head)
	if !ok {
		return []byte(head), nil
	}
	var value strings.Builder
	for i := range parts {
		text, err := keyring.Get(s.service, partName(key, id, i))
		if errors.Is(err, keyring.ErrNotFound) {
			return nil, nil // it is being replaced, or was removed by hand in part
		}
		if err != nil {
			return nil, unusable(err)
		}
		value.WriteString(text)
	}
	return []byte(value.String()), nil
}

// Save implements oauth.Store.
func (s *Store) Save(ctx context.Context, key string, value []byte) error {
	old, _ := keyring.Get(s.service, key) // an unreadable value is replaced
	head := string(value)
	if _, _, like := parseHead(head); len(head) > part || like {
		parts := (len(value) + part - 1) / part
		if parts > maxParts {
			return fmt.Errorf("a value of %d bytes is too large for a keyring", len(value))
		}
		id := rand.Text()
		for i := range parts {
			if err := keyring.Set(s.service, partName(key, id, i), head[i*part:min(len(head), (i+1)*part)]); err != nil {
				return unusable(err)
			}
		}
		head = formatHead(id, parts)
	}
	if err := keyring.Set(s.service, key, head); err != nil {
		return unusable(err)
	}
	return s.deleteParts(key, old)
}

// Delete implements oauth.Store.
func (s *Store) Delete(_ context.Context, key string) error {
	old, _ := keyring.Get(s.service, key)
	if err := keyring.Delete(s.service, key); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return unusable(err)
	}
	return s.deleteParts(key, old)
}

// Lock implements oauth.Locker.
func (s *Store) Lock(ctx context.Context, key string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(s.service + "\x00" + key))
	return lockfile.Take(ctx, filepath.Join(s.locks, hex.EncodeToString(sum[:8])+".lock"))
}

func (s *Store) deleteParts(key, head string) error {
	id, parts, ok := parseHead(head)
	if !ok {
		return nil
	}
	for i := range parts {
		if err := keyring.Delete(s.service, partName(key, id, i)); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return unusable(err)
		}
	}
	return nil
}

// mark begins the entry of a value that has several.
const mark = "in parts: "

func formatHead(id string, parts int) string { return mark + id + " " + strconv.Itoa(parts) }

func parseHead(head string) (id string, parts int, ok bool) {
	rest, ok := strings.CutPrefix(head, mark)
	if !ok {
		return "", 0, false
	}
	id, count, _ := strings.Cut(rest, " ")
	parts, err := strconv.Atoi(count)
	return id, parts, err == nil && parts > 0 && parts <= maxParts
}

func partName(key, id string, i int) string { return key + " part " + id + " " + strconv.Itoa(i) }
