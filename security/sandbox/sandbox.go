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

// Sandbox is the place that commands run in. Its methods may be called from several goroutines at once. A nil *Sandbox and one of
// kind None change nothing.
type Sandbox struct {
	options Options
	status  Status
	host    host
	base    string // of the files of this Sandbox alone; removed by Close
	temp    string // the directory for temporary files
	home    string // the private home directory, which is made for this Sandbox
	caches  string // the directory for the caches of the private home that outlive this Sandbox; empty if there is none
	unkept  string // see Status.Unkept
	fixed   []mount
	outside []string // directories that hold a repository of which the project is a work tree
	project []string // the targets of fixed that ReadOnly keeps from being changed
	except  []string // directories that can be changed although ReadOnly is set
}

// New chooses how commands are to run. Its owner calls Close. The machine alone decides which kind works, and never files that
// commands can write: New fails if the strongest kind that works cannot be made for the project.
func New(ctx context.Context, o Options) (_ *Sandbox, err error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("make a sandbox: %w", err)
	}
	s := &Sandbox{options: o, status: Status{Kind: None, Reason: "it is off"}}
	if o.Mode == Off {
		return s, nil
	}
	if !o.Helper.works {
		return s.without(errors.New("the program does not support it"))
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
		s.status = Status{Kind: kind, Unkept: s.unkept}
		if err := s.probe(ctx); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", kind, err))
			continue
		}
		if err := s.arrange(ctx); err != nil {
			return nil, fmt.Errorf("make a sandbox of the kind %s, which works on this machine, for this project: %w", kind, err)
		}
		s.describe()
		s.status.Reason = oneLine(errors.Join(failed...))
		return s, nil
	}
	return s.without(errors.Join(failed...))
}

// without is a Sandbox that changes nothing, or the error of the mode On.
func (s *Sandbox) without(reason error) (*Sandbox, error) {
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

// prepare makes the private directories.
func (s *Sandbox) prepare() (err error) {
	if s.host, err = thisHost(s.options.Home); err != nil {
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
			s.unkept = oneLine(err)
		} else if s.caches, err = filepath.EvalSymlinks(kept); err != nil {
			return err
		}
	}
	for _, dir := range []string{s.temp, s.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	// Programs name files of the project by its real path too, where its path has symbolic links.
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
	s.fixed, err = s.environment()
	return err
}

// makeWritable makes a directory and proves that files can be made in it: it may be on a disk that is read-only.
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

func (s *Sandbox) emptyFile() string { return filepath.Join(s.base, "empty") }

// plans is the directory of the plans of commands that are being started.
func (s *Sandbox) plans() string { return filepath.Join(s.base, "plans") }

// Status describes the guarantees. That of a nil *Sandbox is of kind None.
func (s *Sandbox) Status() Status {
	if s == nil {
		return Status{Kind: None, Reason: "it is off"}
	}
	return s.status
}

// Active reports whether commands run in a sandbox.
func (s *Sandbox) Active() bool { return s != nil && s.status.Kind != None }

// ReadOnly reports whether commands run in a sandbox that keeps them from changing the project.
func (s *Sandbox) ReadOnly() bool { return s.Active() && s.options.ReadOnly }

// WithNetwork is the same sandbox with the network of the machine. It ends with s.
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

// WithReadOnly is the same sandbox for commands that must not change the project, except for directories of it that exist and are
// reached without symbolic links. Their paths are absolute. If s is read-only already, there are no exceptions. It ends with s.
func (s *Sandbox) WithReadOnly(except ...string) *Sandbox {
	if !s.Active() || s.options.ReadOnly {
		return s
	}
	closed := *s
	closed.options.ReadOnly, closed.except = true, except
	return &closed
}

// Temp is a directory for temporary files that has the same path inside and outside. Empty: that of the system.
func (s *Sandbox) Temp() string {
	if !s.Active() {
		return ""
	}
	return s.temp
}

// Environ lists the variables that commands need inside. They replace others of the same name.
func (s *Sandbox) Environ() []string {
	if !s.Active() {
		return nil
	}
	return s.variables()
}

// Wrap changes a command that has not been started, so that it runs inside. Its environment, directory and standard streams hold for
// the command inside; Path and Args become those of this program.
func (s *Sandbox) Wrap(cmd *exec.Cmd) error { return s.wrapWith(cmd, nil) }

// wrapWith is Wrap with further steps behind the others.
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
