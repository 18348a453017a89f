package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Operations that can be in progress in a worktree.
const (
	Merging       = "merge"
	Rebasing      = "rebase"
	CherryPicking = "cherry-pick"
	Reverting     = "revert"
	Bisecting     = "bisect"
	Applying      = "am"
)

// InProgress returns the unfinished operation of a worktree, or "". dir is the directory of git's own files of the worktree.
func InProgress(dir string) string {
	for _, sign := range []struct{ file, means string }{
		{"rebase-merge", Rebasing}, {"rebase-apply/applying", Applying}, {"rebase-apply", Rebasing}, {"MERGE_HEAD", Merging},
		{"CHERRY_PICK_HEAD", CherryPicking}, {"REVERT_HEAD", Reverting}, {"BISECT_LOG", Bisecting},
	} {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(sign.file))); err == nil {
			return sign.means
		}
	}
	return ""
}

// Lock is a lock file that keeps git from changing a repository.
type Lock struct {
	Path string        // path of the lock file
	Age  time.Duration // time since its modification
	// PID is the process that has the file open, or 0 if unknown.
	PID int
}

// FindLock returns the existing lock that a failure of git reports.
func FindLock(f *Failure) (Lock, bool) {
	const begin, end = "Unable to create '", ".lock': File exists"
	_, rest, ok := strings.Cut(f.Said, begin)
	if !ok {
		return Lock{}, false
	}
	name, _, ok := strings.Cut(rest, end)
	if !ok {
		return Lock{}, false
	}
	l := Lock{Path: name + ".lock"}
	info, err := os.Lstat(l.Path)
	if err != nil {
		return l, true // the lock existed
	}
	l.Age = max(0, time.Since(info.ModTime()))
	l.PID = holder(l.Path)
	return l, true
}

// holder returns the ID of a process that has a file open, from /proc. It is 0 on other systems.
func holder(name string) int {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return 0
	}
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range procs {
		open, err := os.ReadDir(filepath.Join(proc, "fd"))
		if err != nil {
			continue
		}
		for _, fd := range open {
			if target, err := os.Readlink(filepath.Join(proc, "fd", fd.Name())); err == nil && target == name {
				pid, _ := strconv.Atoi(filepath.Base(proc))
				return pid
			}
		}
	}
	return 0
}

// Attribute returns the values of an attribute of .gitattributes by path. Paths are relative to Prefix, and paths without the
// attribute are missing.
func (r *Repository) Attribute(ctx context.Context, name string, paths []string) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	out, err := r.Run(ctx, Call{Args: []string{"check-attr", "-z", "--stdin", name}, Input: []byte(strings.Join(paths, "\x00") + "\x00"), Most: 16 << 20})
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	parts := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(parts); i += 3 {
		if v := parts[i+2]; v != "unspecified" && v != "unset" {
			values[parts[i]] = v
		}
	}
	return values, nil
}

// Filtered returns the first path with an overridden filter, and the filter; "" if there is none. Paths are relative to Prefix.
func (r *Repository) Filtered(ctx context.Context, paths []string) (path, filter string, err error) {
	s, err := r.Settings(ctx)
	if err != nil || len(s.Filters) == 0 {
		return "", "", err
	}
	values, err := r.Attribute(ctx, "filter", paths)
	if err != nil {
		return "", "", err
	}
	for _, path := range paths {
		if filter := values[path]; slices.Contains(s.Filters, filter) {
			return path, filter, nil
		}
	}
	return "", "", nil
}

// Links returns a link in git's own files that leads outside, or "". Git would write through it.
func Links(dir string) (string, error) { return linkOutOf(dir) }

// linkOutOf returns a link in git's own files that leads neither inside them nor into one of the directories, or "".
func linkOutOf(dir string, dirs ...string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	leadsOut := func(target string) bool {
		return !below(real, target) && !slices.ContainsFunc(dirs, func(dir string) bool { return below(dir, target) })
	}
	found, looked := "", 0
	err = filepath.WalkDir(real, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && name != real:
			return nil // the entry is gone, or git cannot use it either
		case err != nil:
			return err
		}
		if entry.Name() == "hooks" && filepath.Dir(name) == real {
			return skipped(entry) // users link hooks, and git does not write to them
		}
		if looked++; looked > maxGitFiles {
			return fs.SkipAll
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			target, err := filepath.EvalSymlinks(name)
			if err != nil || leadsOut(target) {
				found = name
				return fs.SkipAll
			}
		}
		if entry.IsDir() && (filepath.Base(filepath.Dir(name)) == "objects" && filepath.Dir(filepath.Dir(name)) == real || name == filepath.Join(real, "modules")) {
			return fs.SkipDir // git never writes to entries of this directory by name
		}
		return nil
	})
	return found, err
}

func skipped(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// maxGitFiles is the most of git's own files that are checked.
const maxGitFiles = 200_000

// Acknowledges reports whether git's own files in a directory name top as their worktree. The files of a linked worktree name
// its .git file, those of a submodule the directory.
func Acknowledges(own, top string) bool {
	if text, err := readLine(filepath.Join(own, "gitdir")); err == nil {
		if !filepath.IsAbs(text) {
			text = filepath.Join(own, text)
		}
		return same(filepath.Dir(text), top)
	}
	config, err := os.ReadFile(filepath.Join(own, "config"))
	if err != nil || len(config) > 1<<20 {
		return false
	}
	for line := range strings.Lines(string(config)) {
		if name, value, ok := strings.Cut(line, "="); ok && strings.EqualFold(strings.TrimSpace(name), "worktree") {
			value = strings.TrimSpace(value)
			if !filepath.IsAbs(value) {
				value = filepath.Join(own, value)
			}
			return same(value, top)
		}
	}
	return false
}

func readLine(name string) (string, error) {
	text, err := os.ReadFile(name)
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line), err
}

// same reports whether two paths are equal on this system.
func same(a, b string) bool {
	a, err := filepath.EvalSymlinks(a)
	return err == nil && filepath.Clean(a) == filepath.Clean(b)
}
