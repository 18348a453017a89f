package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Sandbox runs commands with the limits of its Options. It is safe for concurrent use. A nil
// *Sandbox and one of kind None change nothing.
type Sandbox struct {
	options       Options
	status        Status
	host          host    // home directory of the user, and whether the user is root
	base          string  // directory of this Sandbox; removed by Close
	temp          string  // directory for temporary files
	home          string  // private home directory of this Sandbox
	caches        string  // directory of the caches that outlive this Sandbox; empty if there is none
	stateDirError string  // reason why caches is empty although StateDir is set; see Status.Unkept
	baseMounts    []mount // file system of every command, before the rules for protected and hidden files
	// mainCheckouts are the main checkouts of projects in a git worktree. Commands can write to the
	// .git directory there, which has the repository, so Protect compares its files too.
	mainCheckouts []string
	projectMounts []string // mount targets of the project in baseMounts; read-only if ReadOnly is set
	writableDirs  []string // directories that stay writable although ReadOnly is set
}

// New prepares a sandbox for commands. The caller calls Close. It tries Options.Kinds in order and
// takes the first kind that works on the machine. The choice never depends on files that commands
// can write. New fails if the chosen kind cannot be set up for the project; it does not try a weaker
// kind.
//
// If no kind works or Helper is missing, the result depends on the mode: with Auto, the default, a
// Sandbox of kind None; with On, ErrUnavailable. A StateDir that cannot be written is no error: caches
// are then not kept, and Status.Unkept has the reason.
func New(ctx context.Context, o Options) (_ *Sandbox, err error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("make a sandbox: %w", err)
	}
	s := &Sandbox{options: o, status: Status{Kind: None, Reason: "it is off"}}
	if o.Mode == Off {
		return s, nil
	}
	if o.Helper.working == nil { // the program has not called Main
		return s.disable(errors.New("the program does not support it"))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.prepare(); err != nil {
		return nil, fmt.Errorf("make a sandbox: %w", err)
	}
	var failed []error
	for _, kind := range o.Kinds {
		s.status = Status{Kind: kind, Unkept: s.stateDirError}
		// probe runs a test command in a sandbox without the project, and arrange in the real one. The result of probe depends on the
		// machine alone.
		if !o.Helper.working.has(kind, o.Network) {
			if err := s.probe(ctx); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", kind, err))
				continue
			}
			o.Helper.working.add(kind, o.Network)
		}
		if err := s.arrange(ctx); err != nil {
			return nil, fmt.Errorf("make a sandbox of the kind %s, which works on this machine, for this project: %w", kind, err)
		}
		s.describe()
		s.status.Reason = oneLine(errors.Join(failed...))
		return s, nil
	}
	return s.disable(errors.Join(failed...))
}

// disable returns a Sandbox of the kind None, or ErrUnavailable for the mode On.
func (s *Sandbox) disable(reason error) (*Sandbox, error) {
	if s.options.Mode == On {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, reason)
	}
	s.status = Status{Kind: None, Reason: oneLine(reason)}
	return s, s.Close()
}

func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}

// prepare creates the private directories.
func (s *Sandbox) prepare() (err error) {
	if s.host, err = detectHost(s.options.Home); err != nil {
		return err
	}
	base, err := os.MkdirTemp("", "dougu-sandbox-")
	if err != nil {
		return err
	}
	if s.base, err = filepath.EvalSymlinks(base); err != nil {
		return err
	}
	s.temp, s.home = filepath.Join(s.base, "tmp"), filepath.Join(s.base, "home")
	if s.options.StateDir != "" {
		kept := filepath.Join(s.options.StateDir, "caches")
		if err := makeWritable(kept); err != nil {
			s.stateDirError = oneLine(err)
		} else if s.caches, err = filepath.EvalSymlinks(kept); err != nil {
			return err
		}
	}
	for _, dir := range []string{s.temp, s.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// Programs also use the real path of a project behind symbolic links.
	for _, dir := range slices.Clone(s.options.Dirs) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && !slices.Contains(s.options.Dirs, real) {
			s.options.Dirs = append(slices.Clip(s.options.Dirs), real)
		}
	}
	if err := os.WriteFile(s.emptyFile(), nil, 0o444); err != nil {
		return err
	}
	if err := os.Mkdir(s.plans(), 0o700); err != nil {
		return err
	}
	s.baseMounts, err = s.environment()
	return err
}

// makeWritable creates a directory and checks that files can be created in it, because the disk may
// be read-only.
func makeWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".dougu-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// emptyFile returns the path of an empty file, which is mounted over hidden files.
func (s *Sandbox) emptyFile() string { return filepath.Join(s.base, "empty") }

// plans returns the directory of the plans of commands that are starting. A plan is a file that
// describes the sandbox of one command. Wrap writes it, and the helper reads and removes it.
func (s *Sandbox) plans() string { return filepath.Join(s.base, "plans") }

// Status returns the guarantees. A nil *Sandbox has the kind None.
func (s *Sandbox) Status() Status {
	if s == nil {
		return Status{Kind: None, Reason: "it is off"}
	}
	return s.status
}

// Active reports whether commands run in a sandbox.
func (s *Sandbox) Active() bool { return s != nil && s.status.Kind != None }

// ReadOnly reports whether commands run in a sandbox and cannot change the project.
func (s *Sandbox) ReadOnly() bool { return s.Active() && s.options.ReadOnly }

// WithNetwork returns the same sandbox with the network of the machine. Closing s also ends it.
func (s *Sandbox) WithNetwork() *Sandbox {
	if !s.Active() || s.options.Network == NetworkOn {
		return s
	}
	open := *s
	open.options.Network = NetworkOn
	open.status = Status{Kind: s.status.Kind, Reason: s.status.Reason}
	open.describe()
	return &open
}

// WithReadOnly returns the same sandbox for commands that cannot change the project. except lists
// absolute paths of existing directories in it that remain writable; they must not contain symbolic
// links. If s is read-only already, there are no exceptions. Closing s also ends it.
func (s *Sandbox) WithReadOnly(except ...string) *Sandbox {
	if !s.Active() || s.options.ReadOnly {
		return s
	}
	closed := *s
	closed.options.ReadOnly, closed.writableDirs = true, except
	return &closed
}

// Temp returns a directory for temporary files with the same path inside and outside. Empty means
// the directory of the system.
func (s *Sandbox) Temp() string {
	if !s.Active() {
		return ""
	}
	return s.temp
}

// Environ returns the environment variables that commands need inside. They replace variables of
// the same name.
func (s *Sandbox) Environ() []string {
	if !s.Active() {
		return nil
	}
	return s.variables()
}

// Wrap changes a command that has not been started, so that it runs inside the sandbox. Its
// environment, directory and standard streams apply to the command inside. Path and Args become
// those of this program. Without a sandbox Wrap does nothing.
func (s *Sandbox) Wrap(cmd *exec.Cmd) error { return s.wrapWith(cmd, nil) }

// wrapWith is Wrap with additional mounts after the others.
func (s *Sandbox) wrapWith(cmd *exec.Cmd, steps []mount) error {
	if !s.Active() || cmd.Err != nil {
		return nil
	}
	dir := cmd.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return fmt.Errorf("find the working directory: %w", err)
		}
	}
	return s.wrap(cmd, dir, steps)
}

// Close removes the directories of the Sandbox. No command may be running.
func (s *Sandbox) Close() error {
	if s == nil || s.base == "" {
		return nil
	}
	if err := os.RemoveAll(s.base); err == nil {
		return nil
	}
	// Directories of Go's module cache are read-only.
	_ = filepath.WalkDir(s.base, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(s.base); err != nil {
		return fmt.Errorf("remove the directory of the sandbox: %w", err)
	}
	return nil
}
