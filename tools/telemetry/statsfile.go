package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/lockfile"
	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	// maxStatsFile bounds the file, in bytes: more than maxModels of the longest names need.
	maxStatsFile = 4 << 20
	// statsVersion is that of the format.
	statsVersion = 1
	// lockTimeout is how long another process may hold the file.
	lockTimeout = 10 * time.Second
)

var errLocked = errors.New("another process does not let go of its lock file")

// newerError is a file of a format that only later versions of this package know. It is left as it is.
type newerError struct {
	path    string
	version int
}

func (e *newerError) Error() string {
	return fmt.Sprintf("%s is of version %d; this program knows version %d: update it, or name another file", e.path, e.version, statsVersion)
}

// damagedError is a file whose content nobody can have meant.
type damagedError struct{ err error }

func (e *damagedError) Error() string { return "it is damaged: " + e.err.Error() }

// statsJSON is the content of the file.
type statsJSON struct {
	Version  int              `json:"version"`
	Sessions int64            `json:"sessions"`
	Models   map[string]usage `json:"models"`
}

// parseStats reads the content of a file. The error is a *newerError or a *damagedError.
func parseStats(path string, data []byte) (*totals, error) {
	var w statsJSON
	err := json.Unmarshal(data, &w)
	if w.Version > statsVersion { // whatever else is in it
		return nil, &newerError{path, w.Version}
	}
	if err == nil {
		err = w.check()
	}
	if err != nil {
		return nil, &damagedError{err}
	}
	return &totals{sessions: w.Sessions, models: w.Models}, nil
}

// check says what cannot have been written.
func (w statsJSON) check() error {
	switch {
	case w.Version != statsVersion:
		return errors.New("it does not tell its version")
	case w.Sessions < 0:
		return errors.New("it has a negative number of sessions")
	case len(w.Models) > maxModels+1:
		return fmt.Errorf("it has %d models; at most %d are kept", len(w.Models), maxModels)
	}
	for name, u := range w.Models {
		if err := checkName(name, maxName); err != nil {
			return fmt.Errorf("the model %q: the name %w", name, err)
		}
		if min(u.Count, u.Input, u.Output, u.Micros) < 0 {
			return fmt.Errorf("the model %q has a negative number", name)
		}
	}
	return nil
}

// statsFile is the absolute path of a file that usage is kept in. Processes that share it take turns by a lock file beside it,
// and only add to what they find.
type statsFile string

// findStatsFile makes the directory of the file if it is missing. A link is followed once and for all.
func findStatsFile(path string) (statsFile, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
		return "", err
	}
	if final, err := filepath.EvalSymlinks(abs); err == nil {
		abs = final
	}
	dir, err := rootfs.Open(filepath.Dir(abs))
	if err != nil {
		return "", err
	}
	defer dir.Close()
	dir.SweepTemps(".") // what a process that died has left
	return statsFile(abs), nil
}

// withLock runs do while no other process works on the file.
func (f statsFile) withLock(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockTimeout, errLocked)
	defer cancel()
	release, err := lockfile.Take(ctx, string(f)+".lock")
	if err != nil {
		return err
	}
	defer release()
	return do()
}

// readUnlocked returns the content, or nil when there is none. The error is a *damagedError when it is no content.
func (f statsFile) readUnlocked() (*totals, error) {
	data, err := readRegular(string(f), maxStatsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if large, ok := errors.AsType[*tooLargeError](err); ok {
		return nil, &damagedError{large}
	}
	if err != nil {
		return nil, err
	}
	return parseStats(string(f), data)
}

// read looks at the file, and sets a damaged one aside under the name that is returned. The file must be locked.
func (f statsFile) read() (content *totals, damaged string, err error) {
	content, err = f.readUnlocked()
	if _, ok := errors.AsType[*damagedError](err); !ok {
		return content, "", err
	}
	aside := string(f) + ".corrupt"
	if e := os.Rename(string(f), aside); e != nil {
		return nil, "", fmt.Errorf("setting %s aside, which is damaged (%w): %w", f, err, e)
	}
	return nil, fmt.Sprintf("%s (%v)", aside, err), nil
}

// write replaces the content. The file must be locked. The error says that the old content is there still.
func (f statsFile) write(t totals) error {
	if t.models == nil {
		t.models = map[string]usage{}
	}
	data, err := json.Marshal(statsJSON{Version: statsVersion, Sessions: t.sessions, Models: t.models})
	if err != nil {
		return err
	}
	replaced, err := rootfs.ReplaceFile(string(f), rootfs.Replacement{Perm: 0o600}, rootfs.Content(append(data, '\n')))
	if replaced != nil {
		return nil // it is there, though the disk may not know yet
	}
	return err
}
