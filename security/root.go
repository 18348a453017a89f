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

// Durability says what a finished write survives.
type Durability uint8

const (
	// Full, the default, survives a crash of the machine: file and directory are flushed to the disk before a write returns.
	Full Durability = iota
	// Process survives a crash of the process and leaves flushing to the system; it is many times faster.
	Process
)

func (d Durability) rootfs() rootfs.Durability {
	if d == Process {
		return rootfs.Process
	}
	return rootfs.Full
}

const defaultLockWait = 10 * time.Second

// RootOptions configures OpenRoot. Only Dirs is required.
type RootOptions struct {
	// Dirs are the directories that may be used. Relative paths are taken from the first; the others are reached by absolute paths.
	Dirs []string
	// ReadOnly refuses every change, whoever asks.
	ReadOnly bool
	// Blocked are patterns of files that tools must not see at all; nil is DefaultBlocked. See DefaultBlocked for how to extend it.
	// A pattern without a slash matches any name on a path; one with a slash matches a path from its end, and with a leading
	// slash from the root; "**" matches any number of names; "!" takes matching entries out again, the last match decides.
	// What lies below a matching directory matches too. Case and Unicode composition make no difference.
	Blocked []string
	// Protected are patterns of files that can be read and not written; nil is DefaultProtected.
	Protected []string
	// Durability of every write; Full by default.
	Durability Durability
	// StateDir holds the locks that keep processes from writing to one file at once, and the journals of changes of several files.
	// It must lie outside of Dirs. The default is dougu/locks in the user's state directory ($XDG_STATE_HOME, ~/.local/state;
	// ~/Library/Application Support; %LocalAppData%), or a private one in the temporary directory if that lies in Dirs or cannot
	// be made.
	StateDir string
	// LockWait bounds the time that a write waits for another one to the same file; 10 seconds by default.
	LockWait time.Duration
	// Audit records every change before it is made, and its outcome. nil records nothing.
	Audit *audit.Log
	// Logger tells about refusals and about what was left behind by processes that died. nil tells nobody.
	Logger *slog.Logger
}

// Root is the part of the file system that tools may use: one or more directories, and rules about what may be read and
// written in them. It is what every tool set works through. Its methods may be called from several goroutines at once, and
// refuse with an *Error.
//
// A path is checked as text first, then followed through open directories without ever trusting a link to the system, and the
// rules are applied to the object that was really reached. Two limits remain: mounts inside a directory belong to it, and a
// hard link to a blocked file is recognised only if that file lies in one of the link's own parent directories or in a
// directory that a pattern names.
type Root struct {
	trees      []*tree
	blocked    pattern.List
	protected  pattern.List
	readOnly   bool
	durability rootfs.Durability
	locks      pathlock.Locks
	states     []string // directories in which journals may lie; the first is locks.dir, if that is not empty
	recovery   recovery
	audit      *audit.Log
	log        *slog.Logger
}

// OpenRoot opens the directories. It removes temporary files of processes that died while writing, and takes back the changes of
// several files in the middle of which processes died (see Batch). All problems of the options
// are reported at once.
func OpenRoot(o RootOptions) (*Root, error) {
	r := &Root{
		readOnly:   o.ReadOnly,
		durability: o.Durability.rootfs(),
		audit:      o.Audit,
		log:        o.Logger,
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
	r.sweep()
	r.recoverAll(context.Background())
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

// auditPatterns hide the audit log, if it lies in one of the directories.
func (r *Root) auditPatterns() []string {
	path := r.audit.Path()
	if path == "" {
		return nil
	}
	var sources []string
	for _, t := range r.trees {
		for _, name := range []string{path, resolveExisting(path)} {
			if rel, ok := t.Rel(name); ok {
				sources = append(sources, "/"+pattern.Escape(rel)+"*")
			}
		}
	}
	return sources
}

// CacheDir is a directory for what can be made again, which no tool can reach through the Root: dougu and then name, a relative
// path, in the user's cache directory. It need not exist. The answer is false if the user has no cache directory, or has it in
// one of Dirs.
func (r *Root) CacheDir(name string) (string, bool) { return cacheDir(name, r.contains) }

// ProjectCacheDir is a directory in that of CacheDir for these Dirs alone.
func (r *Root) ProjectCacheDir(name string) (string, bool) {
	return r.CacheDir(filepath.Join(name, r.projectName()))
}

// projectName tells the projects of a user apart.
func (r *Root) projectName() string {
	sum := sha256.Sum256([]byte(strings.Join(r.Dirs(), "\x00")))
	return filepath.Base(r.Dirs()[0]) + "-" + hex.EncodeToString(sum[:8])
}

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

// contains reports whether a path, which need not exist, lies in one of the directories.
func (r *Root) contains(abs string) bool {
	resolved := resolveExisting(abs)
	return slices.ContainsFunc(r.trees, func(t *tree) bool {
		_, byName := t.Rel(abs)
		_, byTarget := t.Rel(resolved)
		return byName || byTarget
	})
}

// resolveExisting resolves the links in as much of a path as exists.
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

// Close releases the directories. Operations that have begun finish; files and directories that are open stay so.
func (r *Root) Close() error {
	var first error
	for _, t := range r.trees {
		if err := t.Close(); first == nil && err != nil {
			first = failure(".", rootfs.Reason(err))
		}
	}
	return first
}

// Dirs are the absolute names of the directories, the first one first.
func (r *Root) Dirs() []string {
	names := make([]string, len(r.trees))
	for i, t := range r.trees {
		names[i] = t.Name()
	}
	return names
}

// ReadOnly reports whether every change is refused.
func (r *Root) ReadOnly() bool { return r.readOnly }

// refused tells the log about an error and returns it.
func (r *Root) refused(ctx context.Context, operation string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	level := slog.LevelDebug
	if e.Reason != "" {
		level = slog.LevelWarn
	}
	if r.log.Enabled(ctx, level) {
		r.log.LogAttrs(ctx, level, "path refused", slog.String("operation", operation), slog.String("code", string(e.Code)),
			slog.String("reason", string(e.Reason)), slog.String("path", e.AttemptedPath))
	}
	return err
}
