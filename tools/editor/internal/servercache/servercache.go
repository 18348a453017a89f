// Package servercache describes the directory of the user's cache in which installed language servers are stored.
//
// Each server has a directory of its own below [Dir]: Dir/<server>. Its file installed.json, a [Record], names the installed
// version and the absolute path of each program. A finder of language servers reads this file with [Find] or [Installed] and
// looks at nothing else: other directories below Dir/<server> belong to running, interrupted or former installations. The file
// is replaced atomically after all files of a version are complete, so the programs of a record are always usable.
//
// A record whose file is damaged, or whose programs no longer exist, counts as "not installed".
package servercache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// recordName is the file of a record in the directory of its server.
const recordName = "installed.json"

// maxRecord is the size of the largest record that is read, in bytes.
const maxRecord = 64 << 10

// Dir returns the directory of all servers: dougu/language-servers in the user's cache directory. It may not exist.
func Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "dougu", "language-servers"), nil
}

// Record describes the installed version of one server.
type Record struct {
	// Version is the version of the server, as its registry names it.
	Version string `json:"version"`
	// Servers are the names of the language servers that Programs belong to. Empty if it is the name of the record alone.
	Servers []string `json:"servers,omitempty"`
	// Programs are the absolute paths of the programs by name. Names have no extension of the operating system.
	Programs map[string]string `json:"programs"`
}

// Installed returns the programs and the version of a server in a directory that Dir returned. The server is the name of a record,
// or one of Record.Servers. ok is false if it is not installed, or a program of its record no longer exists.
func Installed(dir, server string) (programs map[string]string, version string, ok bool) {
	if r, err := Read(dir, server); err == nil {
		return r.Programs, r.Version, r.isComplete()
	}
	names, err := Servers(dir)
	if err != nil {
		return nil, "", false
	}
	for _, name := range names {
		if r, err := Read(dir, name); err == nil && slices.Contains(r.Servers, server) && r.isComplete() {
			return r.Programs, r.Version, true
		}
	}
	return nil, "", false
}

// isComplete reports whether all programs exist.
func (r Record) isComplete() bool {
	for _, path := range r.Programs {
		if !isProgram(path) {
			return false
		}
	}
	return true
}

// Find returns the path of a program, given without an extension of the operating system, and the version of the server to which
// it belongs. If several servers have the program, the first one in the order of names is used.
func Find(dir, program string) (path, version string, ok bool) {
	servers, err := Servers(dir)
	if err != nil {
		return "", "", false
	}
	for _, server := range servers {
		r, err := Read(dir, server)
		if err != nil {
			continue
		}
		if path := r.Programs[program]; path != "" && isProgram(path) {
			return path, r.Version, true
		}
	}
	return "", "", false
}

// isProgram reports whether a path of a record is that of an existing file.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return filepath.IsAbs(path) && err == nil && info.Mode().IsRegular()
}

// Servers returns the sorted names of the servers that have a record. A directory that does not exist has none.
func Servers(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() || !isName(e.Name()) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, e.Name(), recordName)); err == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Read returns the record of a server, also if its programs no longer exist. The error is fs.ErrNotExist if there is none.
func Read(dir, server string) (Record, error) {
	if !isName(server) {
		return Record{}, fmt.Errorf("%q is not a name of a language server: %w", server, fs.ErrNotExist)
	}
	f, err := os.Open(filepath.Join(dir, server, recordName))
	if err != nil {
		return Record{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return Record{}, err
	}
	var r Record
	if len(data) > maxRecord {
		return Record{}, fmt.Errorf("%s is larger than %d bytes", f.Name(), maxRecord)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	if r.Version == "" || len(r.Programs) == 0 {
		return Record{}, fmt.Errorf("%s names no version or no program", f.Name())
	}
	return r, nil
}

// Write replaces the record of a server. The directory of the server must exist.
func Write(dir, server string, r Record) error {
	if !isName(server) {
		return fmt.Errorf("%q is not a name of a language server", server)
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = rootfs.ReplaceFile(filepath.Join(dir, server, recordName), rootfs.Replacement{Perm: 0o644}, rootfs.Content(append(data, '\n')))
	return err
}

// Remove removes the record of a server, which is then no longer installed. A record that does not exist is no error.
func Remove(dir, server string) error {
	if !isName(server) {
		return fmt.Errorf("%q is not a name of a language server", server)
	}
	err := os.Remove(filepath.Join(dir, server, recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isName reports whether a text can name a server: letters, digits, "-", "_" and ".", the first one no ".".
func isName(name string) bool {
	return name != "" && name[0] != '.' && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	})
}
