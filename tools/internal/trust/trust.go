// Package trust keeps the approvals of a user: values in the files of projects that
// widen the rights of a program, for example the program that runs agents.
//
// A [Store] is a file in the user's directory for settings, outside of every project.
// It holds a hash for each approval, over the program, the file, the key and the exact
// value, so that an approval ends as soon as the project changes the value or moves.
package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dougu-go/dougu/internal/lockfile"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/tools/config"
)

const (
	// maxApprovals bounds the approvals of one user.
	maxApprovals = 10_000
	// lockTimeout is how long another process may hold the file.
	lockTimeout = 10 * time.Second
	version     = 1
)

// Store is the file with the approvals of a user for one program.
type Store struct {
	program string
	path    string // empty: the user has no directory for settings
}

// content is the file.
type content struct {
	Version  int                 `json:"version"`
	Approved map[string]approval `json:"approved"` // by hash
}

// approval is the record of an approval, with the values that Revoke and readers of the file need.
type approval struct {
	Program string    `json:"program"`
	File    string    `json:"file"`
	Key     string    `json:"key"`
	At      time.Time `json:"at"`
}

// New returns the store for a program, in the directory that ConfigHome finds. Without
// one nothing is approved.
func New(program string, getenv func(string) string) *Store {
	s := &Store{program: program}
	if home := ConfigHome(getenv); home != "" {
		s.path = filepath.Join(home, "dougu", "trust.json")
	}
	return s
}

// ConfigHome is where programs keep the settings of a user: XDG_CONFIG_HOME, else
// ~/.config, and AppData on Windows. It is empty if the environment names none.
func ConfigHome(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if runtime.GOOS == "windows" {
		if dir := getenv("AppData"); filepath.IsAbs(dir) {
			return dir
		}
		return ""
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config")
	}
	return ""
}

// Path is the name of the file; empty if there is none.
func (s *Store) Path() string { return s.path }

// Approved implements config.Approvals. A store that cannot be read approves nothing.
func (s *Store) Approved(file, key, value string) bool {
	c, err := s.read()
	if err != nil {
		return false
	}
	_, ok := c.Approved[s.hash(fileName(file), key, value)]
	return ok
}

// hash identifies a value. file is a name from fileName.
func (s *Store) hash(file, key, value string) string {
	parts, err := json.Marshal([]string{s.program, file, key, value})
	if err != nil { // strings always can be encoded
		panic(err)
	}
	sum := sha256.Sum256(parts)
	return hex.EncodeToString(sum[:])
}

// fileName is the absolute name of a file in a directory without links. A link to a file of settings is a file of its own, since the
// same value means something else in another directory.
func fileName(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	dir, name := filepath.Split(abs)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, name)
	}
	return abs
}

// read returns the content, which is empty if there is no file.
func (s *Store) read() (content, error) {
	c := content{Version: version, Approved: make(map[string]approval)}
	if s.path == "" {
		return c, nil
	}
	data, err := config.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the approvals: %w", err)
	}
	c.Version = 0
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read the approvals in %s: %w", s.path, err)
	}
	if c.Version != version {
		return c, fmt.Errorf("read the approvals in %s: the version is %d, and this program knows %d", s.path, c.Version, version)
	}
	if c.Approved == nil {
		c.Approved = make(map[string]approval)
	}
	return c, nil
}

// Approve adds approvals.
func (s *Store) Approve(ctx context.Context, requests ...config.Request) error {
	return s.change(ctx, func(c *content) error {
		for _, r := range requests {
			file := fileName(r.File)
			c.Approved[s.hash(file, r.Key, r.Value)] = approval{s.program, file, r.Key, time.Now().UTC().Truncate(time.Second)}
		}
		if len(c.Approved) > maxApprovals {
			return fmt.Errorf("%s has %d approvals, and %d are the most: remove some", s.path, len(c.Approved), maxApprovals)
		}
		return nil
	})
}

// Revoke removes all approvals of the program for some files, and returns their number.
func (s *Store) Revoke(ctx context.Context, files ...string) (n int, err error) {
	err = s.change(ctx, func(c *content) error {
		before := len(c.Approved)
		for _, file := range files {
			name := fileName(file)
			maps.DeleteFunc(c.Approved, func(_ string, a approval) bool { return a.Program == s.program && a.File == name })
		}
		n = before - len(c.Approved)
		return nil
	})
	return n, err
}

// change rewrites the file under its lock.
func (s *Store) change(ctx context.Context, do func(*content) error) error {
	if s.path == "" {
		return errors.New("there is no directory for your settings: set HOME or XDG_CONFIG_HOME")
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	release, err := lockfile.Take(ctx, s.path+".lock")
	if err != nil {
		return fmt.Errorf("change the approvals: %w", err)
	}
	defer release()
	c, err := s.read()
	if err != nil {
		return err
	}
	if err := do(&c); err != nil {
		return err
	}
	return s.write(c)
}

func (s *Store) write(c content) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if _, err := rootfs.ReplaceFile(s.path, rootfs.Replacement{Perm: 0o600}, rootfs.Content(append(data, '\n'))); err != nil {
		return fmt.Errorf("write the approvals: %w", err)
	}
	return nil
}
