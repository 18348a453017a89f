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
	// maxStatsFile is the largest file, in bytes. maxModels names of the maximum length need less.
	maxStatsFile = 4 << 20
	// statsVersion is the version of the format.
	statsVersion = 1
	// lockTimeout is the longest wait for the lock of another process.
	lockTimeout = 10 * time.Second
)

var errLocked = errors.New("another process holds the lock file")

// newerError is returned for a file of a later version of the format. The file stays unchanged.
type newerError struct {
	path    string
	version int
}

func (e *newerError) Error() string {
	return fmt.Sprintf("%s has version %d; this program supports version %d: update the program, or name another file", e.path, e.version, statsVersion)
}

// damagedError is returned for a file with invalid content.
type damagedError struct{ err error }

func (e *damagedError) Error() string { return "it is damaged: " + e.err.Error() }

// statsJSON is the content of the file.
type statsJSON struct {
	Version  int              `json:"version"`
	Sessions int64            `json:"sessions"`
	Models   map[string]usage `json:"models"`
}

// parseStats parses the content of a file. It returns a *newerError or a *damagedError.
func parseStats(path string, data []byte) (*totals, error) {
	var w statsJSON
	err := json.Unmarshal(data, &w)
	if w.Version > statsVersion { // checked first: the rest may have changed
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

// check returns an error for values that this package never writes.
func (w statsJSON) check() error {
	switch {
	case w.Version != statsVersion:
		return errors.New("it has no version")
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

// statsFile is the absolute path of a statistics file. Processes that share the file take turns
// with a lock file beside it, and only add to its content.
type statsFile string

// findStatsFile resolves links in the path and creates the directory if necessary.
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
	dir.SweepTemps(".") // temporary files of killed processes
	return statsFile(abs), nil
}

// withLock calls do while this process holds the lock of the file. It waits at most lockTimeout.
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

// readUnlocked returns the content, or nil if the file does not exist. It returns a *damagedError
// if the content is invalid.
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

// read reads the file. It renames a damaged file and returns its new name. The caller must hold the
// lock.
func (f statsFile) read() (content *totals, damaged string, err error) {
	content, err = f.readUnlocked()
	if _, ok := errors.AsType[*damagedError](err); !ok {
		return content, "", err
	}
	aside := string(f) + ".corrupt"
	if e := os.Rename(string(f), aside); e != nil {
		return nil, "", fmt.Errorf("renaming the damaged file %s (%w): %w", f, err, e)
	}
	return nil, fmt.Sprintf("%s (%v)", aside, err), nil
}

// write replaces the content. The caller must hold the lock. After an error the old content is
// unchanged.
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
		return nil // replaced; only the flush to disk may have failed
	}
	return err
}
