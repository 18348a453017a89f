package fs

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/security"
)

const (
	gitFile      = ".git"
	maxGitHead   = 4096
	shownCommit  = 12  // digits
	maxGitBranch = 255 // bytes
)

// gitBranch is the branch that is checked out, or the beginning of the commit; empty if that cannot be told without leaving the
// project.
func (f *Files) gitBranch(ctx context.Context) string {
	head, _, err := f.root.ReadFile(ctx, gitFile+"/HEAD", maxGitHead)
	if security.CodeOf(err) == security.NotDirectory {
		if dir, ok := f.gitDir(ctx); ok {
			head, _, err = f.root.ReadFile(ctx, dir+"/HEAD", maxGitHead)
		}
	}
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(head), "\n")
	ref, isRef := strings.CutPrefix(strings.TrimSpace(line), "ref:")
	branch := strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/")
	if !isRef {
		branch = branch[:min(len(branch), shownCommit)]
	}
	if len(branch) > maxGitBranch || strings.ContainsFunc(branch, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return branch
}

// gitDir is where a .git that is a file says that the repository is, if that is inside of the project.
func (f *Files) gitDir(ctx context.Context) (string, bool) {
	link, _, err := f.root.ReadFile(ctx, gitFile, maxGitHead)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(link), "\n")
	dir, ok := strings.CutPrefix(strings.TrimSpace(line), "gitdir:")
	dir = path.Clean(slashed(strings.TrimSpace(dir)))
	if !ok || filepath.IsLocal(dir) {
		return dir, ok
	}
	for _, root := range f.root.Dirs() {
		if strings.HasPrefix(dir, slashed(root)+"/") {
			return dir, true
		}
	}
	return "", false
}
