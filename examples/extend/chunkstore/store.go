// Package chunkstore keeps the index of the chunk tools in one file. It is the smallest useful index.Store: a place of its own, for example
// a database or a service, takes the same three methods.
//
// Every save writes the whole file, so the store suits projects of some thousand files.
package chunkstore

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// Store is an index.Store in a file. The file must not lie in the project, or the tools would list it.
type Store struct{ path string }

// Open returns the store in the file at path. The file and its directory need not exist.
func Open(path string) *Store { return &Store{path} }

// Load returns the entries of the file. It leaves out damaged entries: the index reads their source files again.
func (s *Store) Load(ctx context.Context) ([]*index.File, error) {
	entries, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	var files []*index.File
	for _, data := range entries {
		f := new(index.File)
		if f.UnmarshalBinary(data) == nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// errDamaged reports a file with other content than an index.
var errDamaged = errors.New("the file is damaged")

// Save changes the entries of the file. Another process sees all of the change or nothing. Of two processes that save at once, the
// entries of the first may be lost; they are made again.
func (s *Store) Save(ctx context.Context, changed []*index.File, removed []string) error {
	entries, err := s.read(ctx)
	if err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	if entries == nil { // no file, or a damaged one: the index is a cache, so a new file replaces it
		entries = make(map[string][]byte)
	}
	for _, f := range changed {
		if entries[f.Path], err = f.AppendBinary(nil); err != nil {
			return fmt.Errorf("save the index: %s: %w", f.Path, err)
		}
	}
	for _, path := range removed {
		delete(entries, path)
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(entries); err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	return s.replace(data.Bytes())
}

// Close does nothing: the file is open only during Load and Save.
func (s *Store) Close() error { return nil }

// read returns the entries of the file by the paths of their source files.
func (s *Store) read(ctx context.Context) (map[string][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("load the index: %w", err)
	}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load the index: %w", err)
	}
	var entries map[string][]byte
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&entries); err != nil {
		return nil, fmt.Errorf("load the index: %w: %s: %w", errDamaged, s.path, err)
	}
	return entries, nil
}

// replace writes the file under another name and renames it.
func (s *Store) replace(data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+"-*")
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), s.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("save the index: %w", err), os.Remove(temporary.Name()))
	}
	return nil
}
