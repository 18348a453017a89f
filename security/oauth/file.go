package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/lockfile"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/private"
)

const (
	// maxFile is the maximum size of the file, in bytes.
	maxFile = 8 << 20
	// fileVersion is the version of the file format.
	fileVersion = 1
	// fileTime limits the wait for another process that writes.
	fileTime = 10 * time.Second
)

// File is a Store in a JSON file with mode 0600, in plain text. Several processes may share it. A
// file that other users can read is rejected. Prefer package keyring if the system has a keyring.
type File struct {
	// Path is the path of the file. Save creates it with its directory. Lock files beside it have
	// its name as prefix and the suffix ".lock".
	Path string
}

// fileContent is the JSON format of the file.
type fileContent struct {
	Version int               `json:"version"`
	Entries map[string][]byte `json:"entries"`
}

// Load implements Store.
func (f *File) Load(_ context.Context, key string) ([]byte, error) {
	content, err := f.read()
	if err != nil {
		return nil, err
	}
	return content.Entries[key], nil
}

// Save implements Store.
func (f *File) Save(ctx context.Context, key string, value []byte) error {
	return f.change(ctx, func(entries map[string][]byte) bool {
		entries[key] = value
		return true
	})
}

// Delete implements Store.
func (f *File) Delete(ctx context.Context, key string) error {
	return f.change(ctx, func(entries map[string][]byte) bool {
		_, there := entries[key]
		delete(entries, key)
		return there
	})
}

// Lock implements Locker.
func (f *File) Lock(ctx context.Context, key string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(key))
	return lockfile.Take(ctx, f.Path+"."+hex.EncodeToString(sum[:8])+".lock")
}

func (f *File) read() (*fileContent, error) {
	content := &fileContent{Version: fileVersion, Entries: make(map[string][]byte)}
	dir, err := rootfs.Open(filepath.Dir(f.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return content, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the token file %s: %w", f.Path, err)
	}
	defer dir.Close()
	opened, err := dir.Open(filepath.Base(f.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return content, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the token file %s: %w", f.Path, err)
	}
	defer opened.File.Close()
	if !private.Is(opened.Info) {
		return nil, fmt.Errorf("the token file %s belongs to another user, or others may read it (mode %v), so its content is no longer secret: delete it, and log in again", f.Path, opened.Info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(opened.File, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the token file %s: %w", f.Path, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("the token file %s is larger than %d bytes", f.Path, maxFile)
	case json.Unmarshal(data, content) != nil || content.Entries == nil:
		return nil, fmt.Errorf("the token file %s is damaged; delete it, and log in again", f.Path)
	case content.Version != fileVersion:
		return nil, fmt.Errorf("the token file %s has version %d of the format; this program knows version %d", f.Path, content.Version, fileVersion)
	}
	return content, nil
}

// change updates the entries under the lock of the file. edit reports whether it changed them.
func (f *File) change(ctx context.Context, edit func(map[string][]byte) bool) error {
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	release, err := lockfile.Take(ctx, f.Path+".lock")
	if err != nil {
		return fmt.Errorf("the token file: %w", err)
	}
	defer release()
	content, err := f.read()
	if err != nil || !edit(content.Entries) {
		return err
	}
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	if err := f.write(data); err != nil {
		return fmt.Errorf("writing the token file %s: %w", f.Path, err)
	}
	return nil
}

func (f *File) write(data []byte) error {
	dir, err := rootfs.Open(filepath.Dir(f.Path))
	if err != nil {
		return err
	}
	defer dir.Close()
	dir.SweepTemps(".") // temporary files of a crashed process contain secrets
	_, err = dir.ReplaceFile(filepath.Base(f.Path), rootfs.Replacement{Perm: 0o600}, rootfs.Content(data))
	return err
}
