package security

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// Durability selects the crashes that a finished write survives.
type Durability uint8

const (
	// Full, the default, survives a crash of the machine: file and directory are flushed to the disk before a write
	// returns.
	Full Durability = iota
	// Process survives a crash of the process, but not of the machine: the operating system flushes the data later.
	// It is many times faster than Full.
	Process
)

func (d Durability) rootfs() rootfs.Durability {
	if d == Process {
		return rootfs.Process
	}
	return rootfs.Full
}

// defaultLockWait is the default of RootOptions.LockWait.
const defaultLockWait = 10 * time.Second

// RootOptions configures OpenRoot. Only Dirs is required.
type RootOptions struct {
	// Dirs are the directories that tools may use; at least one. Relative paths refer to the first directory. Files
	// in the other directories have absolute paths.
	Dirs []string
	// ReadOnly refuses every change.
	ReadOnly bool
	// Blocked are the patterns of files that tools can neither list nor read; nil is DefaultBlocked.
	// A pattern without a slash matches any name on a path. A pattern with a slash matches the end of a path; with a
	// leading slash it matches from the root. "**" matches any number of names. "!" excludes the entries that it
	// matches; the last matching pattern decides. A match of a directory includes its content. Case and Unicode
	// composition are ignored.
	Blocked []string
	// Protected are the patterns of files that tools can read and not write; nil is DefaultProtected.
	Protected []string
	// Durability applies to every write; the default is Full.
	Durability Durability
	// StateDir holds the lock files, by which processes exclude each other, and the journals of Batch. It must lie
	// outside of Dirs; otherwise OpenRoot fails. The default is DefaultStateDir. If the default lies in Dirs or cannot
	// be created, a private directory in the temporary directory is used.
	StateDir string
	// RemovedInState keeps the content of TrashDir and BackupDir in the state directory instead of the project, in a directory
	// for each of Dirs. The paths in calls and results are the same. A directory of Dirs on another file system than the
	// state directory, or with a state directory in Dirs or in the temporary directory, keeps its own. Content that
	// is in the project already is moved.
	RemovedInState bool
	// LockWait is the maximum time that a write waits for the lock of its file; 0 is 10 seconds.
	LockWait time.Duration
	// Audit records every change before it is made, and its outcome; nil records nothing.
	Audit *audit.Log
	// Logger receives refusals and the recovery from dead processes; nil discards them.
	Logger *slog.Logger
}

// Root is the part of the file system that tools may use: one or more directories, and the rules for reading and
// writing in them. All tool sets use a Root. Its methods can be called concurrently. They refuse with an *Error.
//
// A path is first checked as text. Then the Root follows it through open directories and resolves every link itself.
// The rules apply to the final path.
//
// Two limits remain. A mount inside a directory belongs to the directory. A hard link, a second name of a blocked file,
// is recognized only by a search for blocked files. The search covers the directory of the link, its parents up to the
// root, and the directories that the patterns name.
type Root struct {
	trees      []*tree      // the open directories, in the order of RootOptions.Dirs
	blocked    pattern.List // RootOptions.Blocked and the audit log
	protected  pattern.List // RootOptions.Protected, BackupDir and TrashDir
	readOnly   bool
	durability rootfs.Durability
	locks      pathlock.Locks
	// stateDirs are the directories to search for the journals of interrupted changes. The first one also receives new
	// lock files and journals (it is locks.Dir), unless the Root is read-only. The others are the directories that
	// OpenRoot would have chosen under other conditions, and the directory of earlier versions.
	stateDirs []string
	// removed is the parent of the directories for removed content; "" if there is none. keepsRemoved is
	// RootOptions.RemovedInState.
	removed      string
	keepsRemoved bool
	documents    *documentStore // attached Documents
	recovery     recovery       // undoes the interrupted changes of dead processes
	audit        *audit.Log
	log          *slog.Logger
}

// OpenRoot opens the directories of o. It removes the temporary files of writers that died, and undoes the
// interrupted changes of dead processes (see Batch). If an option is invalid, OpenRoot opens nothing. It returns one
// *Error with the code InvalidParams, which contains the problems of all options. The caller closes the Root.
func OpenRoot(o RootOptions) (*Root, error) {
	r := &Root{
		readOnly:   o.ReadOnly,
		durability: o.Durability.rootfs(),
		audit:      o.Audit,
		log:        o.Logger,
		documents:  new(documentStore),

		keepsRemoved: o.RemovedInState,
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	var faults *multierror.Error
	faults = multierror.Append(faults, r.openTrees(o.Dirs)...)
	faults = multierror.Append(faults, r.compileRules(o)...)
	if faults.ErrorOrNil() == nil {
		faults = multierror.Append(faults, r.prepareState(o)...)
	}
	if err := faults.ErrorOrNil(); err != nil {
		r.Close()
		return nil, &Error{Code: InvalidParams, Message: "The project cannot be opened: " + err.Error(), Next: "Correct the options of the project root.", Err: err}
	}
	for _, t := range r.trees {
		r.attachRemoved(t)
	}
	r.sweep()
	r.recoverAll(context.Background())
	r.adoptRemoved(context.Background())
	return r, nil
}

func (r *Root) openTrees(dirs []string) []error {
	var faults []error
	if len(dirs) == 0 {
		return append(faults, invalid("Name at least one directory.", "No directory is given."))
	}
	for i, dir := range dirs {
		opened, err := rootfs.Open(dir)
		if err != nil {
			faults = append(faults, invalid("Name a directory that exists and can be read.", "Directory %s: %v.", quote(dir), err))
			continue
		}
		r.trees = append(r.trees, newTree(opened, i))
	}
	return faults
}

func (r *Root) compileRules(o RootOptions) []error {
	blocked, protected := o.Blocked, o.Protected
	if blocked == nil {
		blocked = DefaultBlocked()
	}
	if protected == nil {
		protected = DefaultProtected()
	}
	var faults, more []error
	r.blocked, faults = compilePatterns(append(slices.Clone(blocked), r.auditPatterns()...))
	r.protected, more = compilePatterns(append(slices.Clone(protected), BackupDir, TrashDir))
	return append(faults, more...)
}

// auditPatterns returns patterns that block the audit log if it lies in one of the directories.
func (r *Root) auditPatterns() []string {
	path := r.audit.Path()
	if path == "" {
		return nil
	}
	var sources []string
	for _, t := range r.trees {
		for _, name := range []string{path, resolveExisting(path)} {
			if rel, ok := t.Rel(name); ok {
				sources = append(sources, "/"+pattern.Escape(rel)+"*") // with the rotated files, such as audit.log.1
			}
		}
	}
	return sources
}

// CacheDir returns a directory for data that can be computed again: dougu/<name> in the user's cache directory. name
// is a relative path. Tools cannot reach the directory through the Root; it may not exist yet. The result is false if
// the user has no cache directory or if it lies in one of Dirs.
func (r *Root) CacheDir(name string) (string, bool) { return cacheDir(name, r.contains) }

// ProjectCacheDir returns a directory below that of CacheDir that only a Root with the same Dirs uses.
func (r *Root) ProjectCacheDir(name string) (string, bool) {
	return r.CacheDir(filepath.Join(name, r.projectName()))
}

// projectName returns a file name that identifies the directories of the Root: a base name and a hash.
func (r *Root) projectName() string {
	sum := sha256.Sum256([]byte(strings.Join(r.Dirs(), "\x00")))
	return filepath.Base(r.Dirs()[0]) + "-" + hex.EncodeToString(sum[:8])
}

// cacheDir implements CacheDir. within reports whether tools can reach a path.
func cacheDir(name string, within func(abs string) bool) (string, bool) {
	cache, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(cache) || !filepath.IsLocal(name) {
		return "", false
	}
	dir := filepath.Join(cache, "dougu", name)
	if within(dir) {
		return "", false
	}
	return dir, true
}

// contains reports whether a path lies in one of the directories. The path need not exist.
func (r *Root) contains(abs string) bool {
	resolved := resolveExisting(abs)
	return slices.ContainsFunc(r.trees, func(t *tree) bool {
		_, byName := t.Rel(abs)
		_, byTarget := t.Rel(resolved)
		return byName || byTarget
	})
}

// resolveExisting resolves the links in the part of a path that exists.
func resolveExisting(abs string) string {
	rest := ""
	for dir := abs; ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(resolved, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// Close closes the directories. Running operations finish, and open files and directories stay usable.
func (r *Root) Close() error {
	var first error
	for _, t := range r.trees {
		if err := t.Close(); first == nil && err != nil {
			first = failure(".", rootfs.Reason(err))
		}
	}
	return first
}

// Dirs returns the absolute names of the directories in the order of RootOptions.Dirs.
func (r *Root) Dirs() []string {
	names := make([]string, len(r.trees))
	for i, t := range r.trees {
		names[i] = t.Name()
	}
	return names
}

// ReadOnly reports whether the Root refuses every change.
func (r *Root) ReadOnly() bool { return r.readOnly }

// logRefusal logs a refusal and returns err unchanged. A refusal by a rule has the level Warn, any other the level
// Debug.
func (r *Root) logRefusal(ctx context.Context, operation string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	level := slog.LevelDebug
	if e.Reason != "" { // Reason is the path rule that refused; other errors have none
		level = slog.LevelWarn
	}
	if r.log.Enabled(ctx, level) {
		r.log.LogAttrs(ctx, level, "path refused", slog.String("operation", operation), slog.String("code", string(e.Code)),
			slog.String("reason", string(e.Reason)), slog.String("path", e.AttemptedPath))
	}
	return err
}
