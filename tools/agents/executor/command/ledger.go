package command

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

// Names and limits of the files in the state directory.
const (
	entrySuffix = ".agent.json"
	maxEntry    = 4 << 10 // bytes of an entry file
	maxAgent    = 200     // bytes of an agent ID
	maxEntries  = 10_000  // files that Reap reads
	// newAge is the minimum age of an unknown file to be removed; a newer one may just be
	// written.
	newAge = time.Hour
	// scratchPrefix begins the names of directories with files of runs.
	scratchPrefix = "run-"
)

// entry is the content of the file of a running process. Mark is in the environment of all
// its descendants, and Birth is the start time of the process.
type entry struct {
	Agent  string   `json:"agent"`
	Mark   string   `json:"mark"`
	PID    int      `json:"pid"`
	Birth  string   `json:"birth"`
	Files  string   `json:"files,omitempty"` // base name of the scratch directory
	Server identity `json:"server"`
}

// identity identifies a server process across reuse of process IDs.
type identity struct {
	PID   int    `json:"pid"`
	Birth string `json:"birth"`
}

// isRunning reports whether the process is running. It returns true if that cannot be
// determined.
func (i identity) isRunning() bool {
	born, err := process.Birth(i.PID)
	if err != nil {
		return !errors.Is(err, process.ErrNoProcess)
	}
	return born == i.Birth
}

// ledger records the running processes in files. The zero value records nothing.
type ledger struct {
	dir  string
	self identity
}

// openLedger creates the state directory.
func openLedger(dir string) (ledger, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ledger{}, fmt.Errorf("create the directory for running agents: %w", err)
	}
	birth, err := process.Birth(os.Getpid())
	if err != nil {
		return ledger{}, fmt.Errorf("read the start time of this process: %w", err)
	}
	return ledger{dir: dir, self: identity{PID: os.Getpid(), Birth: birth}}, nil
}

// enter writes the entry of a process. strike removes it.
func (l *ledger) enter(e entry) (strike func(), err error) {
	if l.dir == "" {
		return func() {}, nil
	}
	e.Server = l.self
	e.Birth, err = process.Birth(e.PID)
	if err != nil && !errors.Is(err, process.ErrNoProcess) { // the descendants of an ended process still have its mark
		return func() {}, err
	}
	data, err := json.Marshal(e)
	if err != nil {
		return func() {}, err
	}
	name := filepath.Join(l.dir, strings.ToLower(rand.Text())+entrySuffix)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return func() {}, err
	}
	return func() { _ = os.Remove(name) }, nil // Reap removes a remaining file
}

// Reap ends the processes that dead servers with the StateDir dir have left running, and
// removes their files. It returns the number of agents for which it found an entry. Agents
// of running servers, and unrelated processes with a reused process ID, are left alone.
func Reap(ctx context.Context, dir string) (int, error) {
	list, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("list agents of servers that have died: %w", err)
	}
	defer list.Close()
	names, err := list.Readdirnames(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("list agents of servers that have died: %w", err)
	}
	s := sweep{dir: dir, used: make(map[string]bool)}
	for _, name := range names {
		if strings.HasSuffix(name, entrySuffix) {
			s.entry(ctx, name)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, scratchPrefix) && !s.used[name] {
			s.old(name)
		}
	}
	return s.found, errors.Join(s.problems...)
}

// sweep is the state of one call of Reap.
type sweep struct {
	dir  string
	used map[string]bool // scratch directories that must stay
	// found is the number of entries of dead servers.
	found    int
	problems []error
}

// entry ends the processes of an entry if its server is dead, and removes its files.
func (s *sweep) entry(ctx context.Context, file string) {
	name := filepath.Join(s.dir, file)
	e, err := read(name)
	switch {
	case err != nil:
		s.old(file)
		return
	case e.Server.isRunning():
		s.used[e.Files] = true
		return
	}
	s.found++
	if err := (process.Orphan{PID: e.PID, Birth: e.Birth, Mark: e.Mark}).End(ctx); err != nil {
		s.used[e.Files] = true
		s.problems = append(s.problems, fmt.Errorf("end the processes of the agent %s: %w", e.Agent, err))
		return
	}
	if strings.HasPrefix(e.Files, scratchPrefix) && filepath.Base(e.Files) == e.Files {
		s.problem(os.RemoveAll(filepath.Join(s.dir, e.Files)))
	}
	s.problem(os.Remove(name))
}

// old removes an unknown file that is older than newAge.
func (s *sweep) old(file string) {
	name := filepath.Join(s.dir, file)
	if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > newAge {
		s.problem(os.RemoveAll(name))
	}
}

// problem records an error. Another server may reap at the same time, so a missing file is
// not an error.
func (s *sweep) problem(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.problems = append(s.problems, err)
	}
}

// markForm matches results of rand.Text.
var markForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// read reads and validates an entry. It returns an error for links and for entries that
// could end unrelated processes.
func read(name string) (entry, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return entry{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEntry {
		return entry{}, errors.New("not a regular file of valid size")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return entry{}, err
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		return entry{}, err
	}
	if !markForm.MatchString(e.Mark) || e.PID <= 1 || e.Server.PID <= 0 || e.Server.Birth == "" {
		return entry{}, errors.New("the entry has invalid members")
	}
	return e, nil
}
