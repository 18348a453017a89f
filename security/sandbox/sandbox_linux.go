package sandbox

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// probeTimeout bounds how long a kind may take to run its first command.
const probeTimeout = 20 * time.Second

// probe runs a command in a sandbox of the kind that is set.
func (s *Sandbox) probe(ctx context.Context) error {
	switch s.status.Kind {
	case Bubblewrap:
		if bubblewrapProgram() == "" {
			return errors.New("bwrap is not installed")
		}
	case Landlock:
		switch version := landlockVersion(); {
		case version == 0:
			return errors.New("the kernel has none")
		case s.options.Network == NetworkLoopback:
			return errors.New("it cannot tell the loopback interface from others")
		case s.options.Network == NetworkOff && version < networkVersion && !filtersSystemCalls:
			return errors.New("it is too old to close the network")
		}
	}
	// A directory of this Sandbox alone stands for the project, in which no command has run.
	neutral := spec{Kind: s.status.Kind, Dir: "/tmp", Network: s.options.Network}
	if neutral.Kind == Landlock {
		neutral.Dir, neutral.Landlock = s.temp, rules{Read: programs(), Write: []string{s.temp}, Network: s.options.Network == NetworkOn}
	} else {
		neutral.Mounts = s.basis()
	}
	return s.runProbe(ctx, neutral)
}

// arrange makes the sandbox of the kind that is set for the project, and runs a command in it.
func (s *Sandbox) arrange(ctx context.Context) error {
	if s.status.Kind == Landlock {
		if err := s.linkHome(); err != nil {
			return err
		}
	}
	return s.runProbe(ctx, s.plan(s.options.Dirs[0]))
}

// runProbe runs a command in a sandbox.
func (s *Sandbox) runProbe(ctx context.Context, what spec) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "exit 42")
	cmd.Dir, cmd.WaitDelay = "/", time.Second
	if what.Kind == Landlock {
		cmd.Dir = what.Dir
	}
	if err := s.enter(cmd, what); err != nil {
		return err
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 42 && len(out) == 0 {
		return nil
	}
	if err == nil {
		err = errors.New("the command has not run")
	}
	return fmt.Errorf("%w: %.500s", err, strings.TrimSpace(string(out)))
}

// wrap makes cmd a command of the helper.
func (s *Sandbox) wrap(cmd *exec.Cmd, dir string, steps []mount) error {
	what := s.plan(dir)
	what.Mounts = append(what.Mounts, steps...)
	return s.enter(cmd, what)
}

// plan is the sandbox for a command that starts in a directory.
func (s *Sandbox) plan(dir string) spec {
	what := spec{Kind: s.status.Kind, Dir: dir, Network: s.options.Network}
	if what.Kind == Landlock {
		what.Landlock = s.landlock()
	} else {
		what.Mounts = append(s.fileSystem(), s.guards()...)
	}
	return what
}

// enter makes cmd a command of the helper, which finds the plan in a file and removes that. As an argument it would be limited in
// size, and files of the project could make it larger.
func (s *Sandbox) enter(cmd *exec.Cmd, what spec) error {
	what.Program = cmd.Path
	file, err := os.CreateTemp(s.plans(), "")
	if err != nil {
		return fmt.Errorf("describe the sandbox: %w", err)
	}
	if err := errors.Join(gob.NewEncoder(file).Encode(what), file.Close()); err != nil {
		return errors.Join(fmt.Errorf("describe the sandbox: %w", err), os.Remove(file.Name()))
	}
	args := cmd.Args
	if len(args) == 0 {
		args = []string{cmd.Path}
	}
	cmd.Args = append([]string{helperName, "outer", file.Name()}, args...)
	// The link leads to the program that is running even if its file has been replaced, as by a command in the project.
	cmd.Path = "/proc/self/exe"
	cmd.Env = hideEnviron(cmd.Environ())
	return nil
}

// landlock are the rules that come closest to the steps of namespaces.
func (s *Sandbox) landlock() rules {
	r := rules{Read: programs(), Write: []string{s.temp, s.home}, Network: s.options.Network == NetworkOn}
	for _, m := range s.fileSystem() {
		if _, err := os.Stat(m.Source); err != nil || m.Source == "/etc" {
			continue
		}
		switch m.Op {
		case bind:
			r.Write = append(r.Write, m.Source)
		case bindRead:
			r.Read = append(r.Read, m.Source)
		}
	}
	for _, dir := range s.options.Dirs {
		r.Write = append(r.Write, s.exceptions(dir)...)
	}
	return r
}

// linkHome fills the private home directory with links, for a kind that cannot mount anything in it.
func (s *Sandbox) linkHome() error {
	s.home = filepath.Join(s.base, "home-links") // no command has seen it
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		return err
	}
	var linked []string
	for _, m := range s.baseMounts {
		rel, err := filepath.Rel(s.host.home, m.Target)
		isCache := m.Op == bind && s.caches != "" && isWithin(m.Source, s.caches)
		if s.host.home == "" || m.Op != bindRead && !isCache || err != nil || !filepath.IsLocal(rel) || isWithinAny(rel, linked) {
			continue
		}
		linked = append(linked, rel)
		path := filepath.Join(s.home, rel)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(m.Source, path)); err != nil {
			return fmt.Errorf("fill the private home directory: %w", err)
		}
	}
	return nil
}

// describe sets the guarantees of the kind.
func (s *Sandbox) describe() {
	st, version := &s.status, landlockVersion()
	add := func(holds bool, text string) {
		if holds {
			st.Holds = append(st.Holds, text)
		} else {
			st.Lacks = append(st.Lacks, text)
		}
	}
	mounts := st.Kind != Landlock
	// Each phrase names one thing that commands are kept from.
	add(true, "changes outside of the project")
	add(true, "the home directory and other projects")
	add(mounts, "changes of protected files")
	add(false, "new files with protected names")
	add(mounts, "the audit log")
	add(mounts, "the list of other processes")
	add(mounts, "Unix sockets outside of the project")
	add(version >= scopeVersion || mounts && s.options.Network != NetworkOn, "abstract Unix sockets")
	add(filtersSystemCalls, "system calls that reach around the sandbox")
	add(s.options.Network == NetworkOff && (mounts || filtersSystemCalls) || s.options.Network == NetworkLoopback, "the network")
	add(s.options.Network != NetworkOn, "services of this machine")
}
