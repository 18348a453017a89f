// Package git asks the git program about repositories, which may come from anybody, and has it change them.
//
// A [Repository] is opened with [Open] and is disarmed from then on: no program runs that the repository brings. Hooks are off unless
// WithHooks turns them on. Every setting of the repository that names a program (filters, drivers, monitors, helpers, signing
// programs) is overruled for every run of git, by the value of the user's own configuration or by a harmless one; [Settings] lists
// them. The user's own settings hold. A repository that cannot be disarmed, or whose files are elsewhere, is refused with [Unsafe].
//
// The settings are read when the repository is opened, with one run of git. Every later run compares the files that they stand in with
// their former content, and reads them anew if they differ. A program that changes them in the moment between this comparison and
// git's own reading is not noticed.
//
// Git is asked nothing on a terminal, speaks to no other machine unless a call allows it, and is ended after a time limit with all
// processes that it has started.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Errors, to be found with errors.Is.
var (
	// ErrNoGit is a machine without git.
	ErrNoGit = errors.New("git is not there")
	// ErrNoRepository is a directory that is in no work tree.
	ErrNoRepository = errors.New("not in a git repository")
	// ErrNoCommit is a repository without a commit.
	ErrNoCommit = errors.New("the git repository has no commit yet")
	// ErrTooMuch is an answer of git that is longer than is read.
	ErrTooMuch = errors.New("git has more to say than is read")
)

const (
	// timeout bounds a run of git, slowTimeout one that writes a whole tree.
	timeout     = 10 * time.Second
	slowTimeout = 5 * time.Minute
	maxOutput   = 4 << 20 // bytes
	maxError    = 8 << 10
)

// Repository is a work tree, seen from one of its directories. No program runs that its configuration names; see Settings.
type Repository struct {
	program     string
	dir         string
	top, prefix string
	own, shared string   // git's own files
	homes       []string // directories, without links, from which git may take its files
	env         []string
	hooks       bool
	guards      []*guard // of the repository, and of others that a command changes as well
}

// Open finds the work tree that a directory is in. It returns ErrNoGit, ErrNoRepository, *Unsafe, or another error.
func Open(ctx context.Context, dir string) (*Repository, error) { return OpenBelow(ctx, dir, "") }

// OpenBelow is Open that does not look above a directory, which must be named without links; "" looks everywhere.
func OpenBelow(ctx context.Context, dir, highest string) (*Repository, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("open the git repository of %s: %w", dir, err)
	}
	r := &Repository{program: program, dir: dir, env: environ()}
	if highest != "" {
		r.env = append(r.env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(highest))
	}
	out, err := r.execute(ctx, Call{Args: []string{"rev-parse", "--show-toplevel", "--show-prefix", "--git-dir", "--git-common-dir"}}, nil)
	if err != nil {
		if _, failed := errors.AsType[*Failure](err); failed && ctx.Err() == nil {
			return nil, fmt.Errorf("%s is %w: %w", dir, ErrNoRepository, err)
		}
		return nil, err
	}
	if err := r.locate(string(out)); err != nil {
		return nil, err
	}
	if err := r.checkLayout(highest); err != nil {
		return nil, err
	}
	r.guards = []*guard{{repository: *r}}
	if _, err := r.guards[0].current(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// Top is the directory of the work tree.
func (r *Repository) Top() string { return r.top }

// Prefix is the directory that the repository is seen from, relative to Top with slashes, and one at its end; "" for Top.
func (r *Repository) Prefix() string { return r.prefix }

// AtTop is the repository seen from the top of the work tree.
func (r *Repository) AtTop() *Repository {
	at := *r
	at.dir, at.prefix = r.top, ""
	return &at
}

// WithHooks is the repository with its hooks, which are programs that come with it.
func (r *Repository) WithHooks() *Repository {
	with := *r
	with.hooks = true
	return &with
}

// Directories returns the directories of git's own files, without links: of the work tree, and of all work trees of the repository.
func (r *Repository) Directories() (own, shared string) { return r.own, r.shared }

// Settings returns the settings that the repository brings, as they are now.
func (r *Repository) Settings(ctx context.Context) (*Settings, error) {
	return r.guards[0].current(ctx)
}

// keptVariables tell git where the user's configuration is, and the user's name.
var keptVariables = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
}

// environ is the environment without variables that lead git to another repository, and with variables by which git neither asks
// a question nor speaks to other machines.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "GIT_") })
	for _, name := range keptVariables {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
		"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_PAGER=cat", "GIT_PROXY_COMMAND=",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_MERGE_AUTOEDIT=no",
	)
}

// run runs git in the directory and answers what it prints, the beginning of it with ErrTooMuch.
func (r *Repository) run(ctx context.Context, limit time.Duration, args ...string) ([]byte, error) {
	return r.Run(ctx, Call{Args: args, Limit: limit})
}
