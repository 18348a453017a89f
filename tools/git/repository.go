package git

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Where selects the repository of a call.
type Where struct {
	// Repository is a directory of the repository. The default is the project.
	Repository string `json:"repository,omitempty" jsonschema:"description=Its directory; default: the project"`
}

// repo is an opened repository of the project. Its commands run in the top directory of the worktree.
type repo struct {
	*gitcmd.Repository
	g   *Git
	dir int // index of the Root directory that contains the repository, or is inside it
	// base is the path from the Root directory to the top directory of the worktree, with slashes. It is "." if they are equal
	// or the worktree begins above the Root directory.
	base string
	// partPath is the path from the top directory of the worktree to the Root directory, with slashes. It is "" unless the
	// worktree begins above the Root directory.
	partPath    string
	own, shared string // git's own files: the directories of the worktree and of the repository
	settings    *gitcmd.Settings
}

// open finds the repository of a call and checks its layout and settings.
func (g *Git) open(ctx context.Context, w Where) (*repo, error) {
	name := w.Repository
	if name == "" {
		name = "."
	}
	info, err := g.root.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	if info.Kind != security.Directory {
		return nil, problem(string(security.NotDirectory), "Give a directory of the project, or none.", "%s is not a directory", quote(name))
	}
	highest := g.real[info.Dir]
	abs := filepath.Join(highest, filepath.FromSlash(info.Rel))
	found, err := gitcmd.OpenBelow(ctx, abs, highest)
	if failure, ok := errors.AsType[*gitcmd.Failure](err); ok && strings.Contains(failure.Said, "not a git repository") {
		found, err = openAbove(ctx, highest, err)
	}
	if err != nil {
		return nil, openError(name, err)
	}
	r := &repo{Repository: found.AtTop(), g: g, dir: info.Dir}
	top, err := filepath.EvalSymlinks(found.Top())
	if err != nil {
		return nil, gitError("finding the work tree", err)
	}
	if base, inside := below(highest, top); inside {
		r.base = base
	} else if part, inside := below(top, highest); inside {
		r.base, r.partPath = ".", part
	} else {
		return nil, problem(codeUnsafe, "Ask the user to look at core.worktree in the configuration of the repository.",
			"the configuration of the repository says that its files are elsewhere")
	}
	r.own, r.shared = found.Directories()
	if r.settings, err = found.Settings(ctx); err != nil {
		return nil, gitError("reading the configuration of the repository", err)
	}
	return r, nil
}

// openAbove finds a repository above the project, for example a monorepo. It must contain a file of the project, tracked or
// not. If it contains none, the error wraps missing.
func openAbove(ctx context.Context, project string, missing error) (*gitcmd.Repository, error) {
	above, err := gitcmd.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	// One byte of output shows that a file exists.
	out, err := above.Run(ctx, gitcmd.Call{Args: []string{"ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "."}, Limit: localTimeout, Most: 1})
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return nil, err
	}
	if len(out) == 0 {
		return nil, missing
	}
	return above, nil
}

// openError returns the error for a repository that could not be opened. gitcmd wraps every failure of git with
// ErrNoRepository. So failures with another message than a missing repository are selected before that case.
func openError(name string, err error) error {
	failure, ok := errors.AsType[*gitcmd.Failure](err)
	switch unsafe, refused := errors.AsType[*gitcmd.Unsafe](err); {
	case refused:
		return unsafeError(unsafe)
	case errors.Is(err, gitcmd.ErrNoGit):
		return problem(codeNoGit, "Ask the user to install git.", "the program git is not installed")
	case ok && !strings.Contains(failure.Said, "not a git repository") && !strings.Contains(failure.Said, "must be run in a work tree"):
		return gitError("opening the repository", failure)
	case errors.Is(err, gitcmd.ErrNoRepository):
		return problem(codeNoRepository, "Give the directory of a repository in the project as repository.",
			"%s is in no git repository", quote(name))
	}
	return gitError("opening the repository", err)
}

// isInRoot reports whether a directory is in a directory of the Root.
func (g *Git) isInRoot(dir string) bool {
	for _, real := range g.real {
		if _, ok := below(real, dir); ok {
			return true
		}
	}
	return false
}

// below returns the path of a name relative to a directory that contains it, with slashes.
func below(dir, name string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// path returns the path of a file of the repository for answers and other calls.
func (r *repo) path(name string) string {
	rel := r.rootPath(name)
	if r.dir > 0 {
		return path.Join(filepath.ToSlash(r.g.root.Dirs()[r.dir]), rel)
	}
	return rel
}

// rootPath returns the path of a file relative to the directory of the Root. It begins with ../ for a file outside the project.
func (r *repo) rootPath(name string) string {
	name = path.Join(r.base, toUTF8(name))
	if r.partPath == "" {
		return name
	}
	rel, err := filepath.Rel(filepath.FromSlash(r.partPath), filepath.FromSlash(name))
	if err != nil {
		return path.Join("..", name)
	}
	return filepath.ToSlash(rel)
}

// toUTF8 returns a file name in UTF-8.
func toUTF8(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	if text, err := textfile.Decode([]byte(name), textfile.Auto); err == nil {
		return text.Content
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// isBlocked reports whether the rules of the Root block a file. The check uses the name, because the file may no longer exist.
func (r *repo) isBlocked(ctx context.Context, name string) bool {
	_, err := r.g.root.Lstat(ctx, r.path(name))
	refusal, ok := errors.AsType[*security.Error](err)
	if !ok || refusal.Reason != security.UnsafeName {
		return ok && refusal.Reason == security.BlockedPattern
	}
	// The Root refuses names with unusual characters (UnsafeName) before it compares them with its rules. So the rules are
	// applied to a spelling without these characters.
	plain := strings.Map(func(c rune) rune {
		if c == utf8.RuneError || c < ' ' || strings.ContainsRune(`:\`, c) || visible(c) < 0 {
			return '_'
		}
		return c
	}, r.path(name))
	parts := strings.Split(plain, "/")
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], ". ")
	}
	_, err = r.g.root.Lstat(ctx, strings.Join(parts, "/"))
	refusal, ok = errors.AsType[*security.Error](err)
	return ok && refusal.Reason == security.BlockedPattern
}

// repositoryPath returns a path of a call relative to the top of the worktree. The path need not exist.
func (r *repo) repositoryPath(ctx context.Context, name string) (string, error) {
	dir, rel := 0, ""
	info, err := r.g.root.Lstat(ctx, name)
	switch code := security.CodeOf(err); {
	case err == nil:
		dir, rel = info.Dir, info.Rel
	case code == security.FileNotFound || code == security.NotDirectory: // it passed the rules
		if rel = path.Clean(filepath.ToSlash(name)); path.IsAbs(rel) || filepath.IsAbs(name) {
			if dir, rel = r.g.locate(name); dir < 0 {
				return "", err
			}
		}
	default:
		return "", err
	}
	within := path.Join(r.partPath, rel)
	if r.base != "." {
		var ok bool
		if within, ok = strings.CutPrefix(rel+"/", r.base+"/"); !ok {
			dir = -1
		}
		within = strings.TrimSuffix(within, "/")
	}
	if dir != r.dir {
		return "", invalid("Give a path of the repository, or another repository.", "%s is not in the repository", quote(name))
	}
	if within == "" {
		within = "."
	}
	if within == ".git" || strings.HasPrefix(within, ".git/") {
		return "", invalid("Give another path.", "%s is one of git's own files", quote(name))
	}
	return within, nil
}

// locate returns the directory of the Root that contains an absolute path, and the relative path. dir is -1 if there is none.
func (g *Git) locate(name string) (dir int, rel string) {
	for i, d := range g.root.Dirs() {
		for _, d := range []string{d, g.real[i]} {
			if rel, ok := below(d, name); ok {
				return i, rel
			}
		}
	}
	return -1, ""
}

// refuseOutside returns an error if the project is only a part of the repository, so that the operation would change other files.
func (r *repo) refuseOutside(doing string) error {
	if r.partPath == "" {
		return nil
	}
	return problem(codeOutside, "Ask the user to do it, or to start this server for the whole repository.",
		"%s would change files outside of the project, which is only %s of the repository", doing, quote(r.partPath))
}

// partText returns the note that the project is a part of the repository.
func partText(part string) string {
	if part == "" {
		return ""
	}
	return "[the project is only " + name(part) + " of the repository; the rest is not included]\n"
}
