package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Unsafe is the error for a refused repository: it makes git run a program or use files elsewhere in a way that cannot be
// overridden.
type Unsafe struct {
	// Reason names the key or file. Next is the remedy.
	Reason, Next string
}

// Error returns Reason.
func (u *Unsafe) Error() string { return u.Reason }

// NextStep returns Next, the remedy for the user.
func (u *Unsafe) NextStep() string { return u.Next }

// locate sets the directories of the repository from the output of git rev-parse.
func (r *Repository) locate(out string) error {
	lines := strings.Split(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
	if lines[0] == "" {
		return fmt.Errorf("%s is %w: it is within its own files", r.dir, ErrNoRepository)
	}
	if len(lines) != 5 || lines[4] != "" {
		return &Unsafe{"the name of a directory of the repository has a line end", "Rename the directory."}
	}
	r.top, r.prefix = filepath.FromSlash(lines[0]), lines[1]
	for i, to := range []*string{&r.own, &r.shared} {
		name := filepath.FromSlash(lines[2+i])
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.dir, name)
		}
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return fmt.Errorf("find git's own files: %w", err)
		}
		*to = real
	}
	return nil
}

// checkLayout refuses a worktree that does not contain the directory, and git's own files that do not belong to the worktree.
func (r *Repository) checkLayout(highest string) error {
	dir, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return fmt.Errorf("open the git repository of %s: %w", r.dir, err)
	}
	top, err := filepath.EvalSymlinks(r.top)
	if err != nil {
		return fmt.Errorf("open the git repository of %s: %w", r.dir, err)
	}
	if !below(top, dir) {
		return &Unsafe{fmt.Sprintf("core.worktree in the configuration of the repository leads to %q, which does not hold %q", r.top, r.dir), "Ask the user to look at core.worktree in .git/config."}
	}
	if named, err := namedByGit(top); err != nil || !sameFile(named, r.own) {
		return &Unsafe{fmt.Sprintf("git's own files are in %q, which %q does not name", r.own, filepath.Join(top, ".git")), "Ask the user to look at core.worktree in the configuration there."}
	}
	inside := below(top, r.own) || highest != "" && below(highest, r.own)
	if !inside && !Acknowledges(r.own, top) {
		return &Unsafe{fmt.Sprintf(".git leads to %q, which does not know of this work tree", r.own),
			"Ask the user to run git worktree repair there or, if they trust it, to set core.worktree in its file config to the work tree."}
	}
	if r.own != r.shared && filepath.Dir(r.own) != filepath.Join(r.shared, "worktrees") {
		return &Unsafe{fmt.Sprintf("the file commondir of git's own files leads to %q, which does not know of them", r.shared), "Ask the user to look at .git/commondir."}
	}
	r.homes = []string{top, r.own, r.shared}
	if highest != "" {
		r.homes = append(r.homes, highest)
	}
	for _, dir := range []string{r.own, r.shared} {
		link, err := linkOutOf(dir, r.homes...)
		if err != nil {
			return fmt.Errorf("look at git's own files: %w", err)
		}
		if link != "" {
			return &Unsafe{fmt.Sprintf("%q is a link that leads out of git's own files, so git would show files of other projects", link), "Ask the user to look at it."}
		}
	}
	return nil
}

// maxAlternates is the depth to which git follows alternate object directories.
const maxAlternates = 5

// checkAlternates refuses object directories outside the repository and the project, because git would show commits of other
// projects.
func (r *Repository) checkAlternates(objects string, depth int) error {
	text, err := readConfig(filepath.Join(objects, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || depth > maxAlternates {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the alternates of the repository: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		name := strings.TrimRight(line, "\r\n")
		if name == "" || name[0] == '#' {
			continue
		}
		if unquoted, err := strconv.Unquote(name); err == nil {
			name = unquoted
		}
		if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
			name = filepath.Join(objects, name)
		}
		real, err := filepath.EvalSymlinks(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // git skips it too
		}
		if err != nil || !slices.ContainsFunc(r.homes, func(dir string) bool { return below(dir, real) }) {
			return &Unsafe{fmt.Sprintf("the repository takes objects from %q, which is outside of the project", name),
				"Ask the user to copy them (git repack -a -d) and to remove .git/objects/info/alternates."}
		}
		if err := r.checkAlternates(real, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// namedByGit returns the directory that .git of a worktree is or names.
func namedByGit(top string) (string, error) {
	name := filepath.Join(top, ".git")
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return name, err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return "", errors.New(".git is not a valid git file")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	dir, ok := strings.CutPrefix(string(text), "gitdir: ")
	if dir = filepath.FromSlash(strings.TrimRight(dir, "\r\n")); !ok {
		return "", errors.New(".git is not a valid git file")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	return dir, nil
}

// below reports whether a path is a directory or inside it.
func below(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// sameFile reports whether two paths lead to the same file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
