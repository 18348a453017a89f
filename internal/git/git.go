// Package git asks the git program about repositories, which may be anybody's, and
// has it change them: it runs no hook unless it is told to, waits for nobody, bounds
// what it reads and ends what takes too long with all that it has started. After
// Disarm it runs nothing either that the configuration of a repository names.
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

// Repository is a work tree, seen from one of its directories.
type Repository struct {
	program string
	dir     string
	top     string
	prefix  string
	env     []string
	off     []string // options before the command that turn off what the repository's configuration has set
	hooks   bool
}

// Open finds the work tree that a directory is in: ErrNoGit, ErrNoRepository, or what else went wrong.
func Open(ctx context.Context, dir string) (*Repository, error) { return OpenBelow(ctx, dir, "") }

// OpenBelow is Open that does not look above a directory, which must be named without links; "" looks everywhere.
func OpenBelow(ctx context.Context, dir, highest string) (*Repository, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	r := &Repository{program: program, dir: dir, env: environ()}
	if highest != "" {
		r.env = append(r.env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(highest))
	}
	out, err := r.run(ctx, timeout, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		if _, failed := errors.AsType[*Failure](err); failed && ctx.Err() == nil {
			return nil, fmt.Errorf("%s is %w: %w", dir, ErrNoRepository, err)
		}
		return nil, err
	}
	top, prefix, _ := strings.Cut(string(out), "\n")
	r.top, r.prefix = filepath.FromSlash(strings.TrimSuffix(top, "\r")), strings.TrimRight(prefix, "\r\n")
	if r.top == "" {
		return nil, fmt.Errorf("%s is %w: it is within its own files", dir, ErrNoRepository)
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

// Directories are those of git's own files: of the work tree, and those that all work trees of the repository share.
func (r *Repository) Directories(ctx context.Context) (own, shared string, err error) {
	out, err := r.run(ctx, timeout, "rev-parse", "--git-dir", "--git-common-dir")
	if err != nil {
		return "", "", err
	}
	own, shared, _ = strings.Cut(strings.TrimRight(string(out), "\r\n"), "\n")
	return r.absolute(strings.TrimSuffix(own, "\r")), r.absolute(shared), nil
}

func (r *Repository) absolute(name string) string {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	return filepath.Clean(name)
}

// environ is the environment without what could turn git to another repository, or make it ask.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "GIT_") })
	return append(env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// run runs git in the directory and answers what it prints, the beginning of it with ErrTooMuch.
func (r *Repository) run(ctx context.Context, limit time.Duration, args ...string) ([]byte, error) {
	return r.Run(ctx, Call{Args: args, Limit: limit})
}
