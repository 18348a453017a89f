// Package git runs the git program on repositories from untrusted sources.
//
// [Open] returns a [Repository], which is disarmed: no program of the repository runs. Hooks are disabled unless WithHooks
// enables them. Every setting of the repository that names a program (filters, drivers, monitors, helpers, signing programs) is
// overridden in every run of git, by the value of the user's own configuration or by a harmless value; [Settings] lists them.
// The user's own settings are effective. Open refuses a repository with [Unsafe] if it cannot be disarmed. It also refuses a
// repository whose git directory is outside of the worktree and does not name that worktree.
//
// Open reads the settings with one run of git. Every later run compares the configuration files with their former content and
// reads them again if they differ. A change in the moment between this comparison and git's own reading is not detected.
//
// Git has no terminal, uses no network unless a call allows it (Call.Env), and is ended with its process tree after a timeout. A
// Repository is safe for concurrent use.
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

// Errors of this package, for errors.Is.
var (
	// ErrNoGit means that git is not installed.
	ErrNoGit = errors.New("git is not installed")
	// ErrNoRepository means that a directory is in no worktree.
	ErrNoRepository = errors.New("not in a git repository")
	// ErrNoCommit means that a repository has no commit.
	ErrNoCommit = errors.New("the git repository has no commit yet")
	// ErrTooMuch means that the output of git exceeds the limit and is truncated.
	ErrTooMuch = errors.New("the output of git exceeds the limit")
)

const (
	// timeout is the default time limit of a run of git; slowTimeout is that of a run that writes a complete worktree.
	timeout     = 10 * time.Second
	slowTimeout = 5 * time.Minute
	maxOutput   = 4 << 20 // bytes
	maxError    = 8 << 10
)

// Repository is a worktree, addressed from one of its directories. No program that its configuration names runs; see Settings.
type Repository struct {
	program     string
	dir         string
	top, prefix string
	own, shared string   // git directory of this worktree, and the git directory that all worktrees share
	homes       []string // directories, with links resolved, that links and object directories of the repository must not leave
	env         []string
	hooks       bool
	guards      []*guard // checks of the configuration: of this repository and of a second worktree that a command removes
}

// Open finds the worktree that contains a directory. The error is ErrNoGit, ErrNoRepository, *Unsafe, or another one.
func Open(ctx context.Context, dir string) (*Repository, error) { return OpenBelow(ctx, dir, "") }

// OpenBelow is Open with an upper bound: it does not look above the directory highest, a path without links. "" means no bound.
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

// Top returns the directory of the worktree.
func (r *Repository) Top() string { return r.top }

// Prefix returns the directory from which the repository is addressed, relative to Top, with slashes and a slash at its end. It
// is "" for Top.
func (r *Repository) Prefix() string { return r.prefix }

// AtTop returns the repository addressed from the top of the worktree.
func (r *Repository) AtTop() *Repository {
	at := *r
	at.dir, at.prefix = r.top, ""
	return &at
}

// WithHooks returns the repository with hooks enabled. Hooks are programs from the repository.
func (r *Repository) WithHooks() *Repository {
	with := *r
	with.hooks = true
	return &with
}

// Directories returns the directories of git's own files, without links: own of the worktree, and shared of all worktrees.
func (r *Repository) Directories() (own, shared string) { return r.own, r.shared }

// Settings returns the present settings of the repository.
func (r *Repository) Settings(ctx context.Context) (*Settings, error) {
	return r.guards[0].current(ctx)
}

// keptVariables are the variables with the location of the user's configuration and the user's name.
var keptVariables = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
}

// environ returns the environment without variables that select another repository, and with variables that disable questions
// and the network.
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

// run runs git in the directory and returns its output, truncated with ErrTooMuch.
func (r *Repository) run(ctx context.Context, limit time.Duration, args ...string) ([]byte, error) {
	return r.Run(ctx, Call{Args: args, Limit: limit})
}
