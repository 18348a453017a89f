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
	gitFile      = ".git" // directory, or file of a worktree
	maxGitHead   = 4096   // most bytes that are read of HEAD
	shownCommit  = 12     // digits of a commit in an answer
	maxGitBranch = 255    // longest branch name in bytes
)

// gitBranch returns the current branch, or the beginning of the commit. It returns "" if HEAD cannot be read inside the
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

// gitDir returns the repository that a .git file names, if it is inside the project.
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
