package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
)

// RefusedSuffix is appended to the names of protected files that a command has made or changed.
const RefusedSuffix = ".refused"

// Protection is the state of the protected files of a project when a command began. Its methods may be called from several goroutines
// at once.
type Protection struct {
	sandbox *Sandbox
	find    func(dir string) ([]string, error) // nil: nothing is protected
	dirs    []string

	mu     sync.Mutex
	former map[string]map[string]*unit // by directory of the project and path in it
	drafts []*draft
	failed error
}

// Protect notes the state of the protected files before a command, for [Protection.Refuse]. The kinds of sandboxes cannot protect a
// name that does not exist, nor a file that a program outside replaces while the command runs.
func (s *Sandbox) Protect() *Protection {
	p := &Protection{sandbox: s}
	if !s.Active() || s.options.ReadOnly {
		return p
	}
	p.find, p.former = s.protectedIn, make(map[string]map[string]*unit)
	budget, handles := maxFormer, maxHandles
	for _, dir := range slices.Concat(s.options.Dirs, s.mainCheckouts) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			continue // the real path is in the list too
		}
		p.dirs = append(p.dirs, dir)
		names, err := s.protectedIn(dir)
		p.failed = errors.Join(p.failed, err)
		root, err := os.OpenRoot(dir)
		if err != nil {
			p.failed = errors.Join(p.failed, err)
			continue
		}
		units := make(map[string]*unit)
		for _, name := range names {
			if isOwn(name) {
				continue
			}
			u, err := readUnit(root, name, &budget)
			if err != nil {
				continue
			}
			units[name] = u
			if s.status.Kind != Landlock && handles > 0 && isGuarded(name) && (u.info.IsDir() || u.info.Mode().IsRegular()) {
				u.hold(root, name)
				handles--
			}
		}
		p.failed = errors.Join(p.failed, root.Close())
		p.former[dir] = units
	}
	return p
}

// isOwn reports whether a name is one of the directories for backups and the trash, which this program makes while commands run.
func isOwn(name string) bool {
	base := path.Base(name)
	return base == security.BackupDir || base == security.TrashDir
}

// Refuse renames protected files that were made or changed since then, so that no program finds them, puts the former content of
// changed ones back, and returns the new paths. It does so whichever program has made them. Changes that cannot make a program run
// code stay: names of branches, remotes and users in a configuration of git, and repositories, work trees and submodules with such
// configurations alone. So does a change of a file that commands could not have changed. Harmless changes that the command has made in its
// draft of a configuration are brought into the configuration before.
func (p *Protection) Refuse() (renamed []string, err error) {
	if p == nil || p.find == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := []error{p.failed, p.adopt()}
	p.failed = nil
	for _, dir := range p.dirs {
		root, err := os.OpenRoot(dir)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		names, err := p.find(dir)
		failed = append(failed, err)
		for name := range p.former[dir] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		budget := maxFormer
		for _, name := range names {
			if isOwn(name) {
				continue
			}
			refused, err := p.check(root, dir, name, &budget)
			failed = append(failed, err)
			if refused != "" {
				renamed = append(renamed, path.Join(filepath.ToSlash(dir), refused))
			}
		}
		failed = append(failed, root.Close())
	}
	return renamed, errors.Join(failed...)
}

// check compares one file or directory with its former state. It returns the name that it has been renamed to.
func (p *Protection) check(root *os.Root, dir, name string, budget *int) (refused string, err error) {
	former := p.former[dir][name]
	now, err := readUnit(root, name, budget)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil // a removal runs nothing; commands can remove what is not mounted, such as links
	case err != nil:
		return "", err
	}
	switch {
	case former != nil && former.mounted && os.SameFile(former.info, now.info):
		return "", nil // it was mounted read-only all the time
	case former != nil && former.equal(now), isHarmless(dir, name, former, now):
		return "", nil
	}
	if refused, err = rename(root, name); err != nil {
		return "", fmt.Errorf("the protected file %s, which was made or changed, was not renamed: %w", name, err)
	}
	if former != nil {
		err = former.restore(root, name)
		former.close()
		if again, failed := readUnit(root, name, budget); failed == nil {
			p.former[dir][name] = again
		}
	}
	return refused, err
}

// rename gives a file a name that is free.
func rename(root *os.Root, name string) (string, error) {
	const attempts = 1000
	refused := name + RefusedSuffix
	for i := 2; i < attempts; i++ {
		if _, err := root.Lstat(refused); errors.Is(err, fs.ErrNotExist) {
			break
		}
		refused = name + RefusedSuffix + "-" + strconv.Itoa(i)
	}
	err := root.Rename(name, refused)
	if errors.Is(err, fs.ErrPermission) { // the command may have closed the directory, which belongs to the user
		_ = root.Chmod(path.Dir(name), 0o755)
		err = root.Rename(name, refused)
	}
	return refused, err
}

// isHarmless reports whether a change of a file of git makes no program run code. former is nil for a new file.
func isHarmless(dir, name string, former, now *unit) bool {
	if former != nil && former.info.Mode().Type() != now.info.Mode().Type() {
		return false
	}
	at := "/" + strings.ToLower(name)
	base := path.Base(at)
	inside := strings.Contains(at, "/.git/")
	self, isFile := now.files[""]
	isFile = isFile && self.mode.IsRegular() && self.data != nil
	var before []byte
	if former != nil {
		before = former.files[""].data
	}
	text := strings.TrimSpace(string(self.data))
	switch {
	case base == ".git":
		target, ok := strings.CutPrefix(text, "gitdir: ")
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, filepath.FromSlash(path.Dir(name)), target)
		}
		rel, err := filepath.Rel(filepath.Join(dir, ".git"), filepath.Clean(target))
		// The directories of submodules and work trees of the project are checked themselves.
		return ok && former == nil && isFile && err == nil && filepath.IsLocal(rel) &&
			(strings.HasPrefix(rel, "modules"+string(filepath.Separator)) || strings.HasPrefix(rel, "worktrees"+string(filepath.Separator)))
	case !inside:
		return false
	case base == "hooks":
		return now.info.IsDir() && onlySamples(former, now)
	case !isFile:
		return false
	case base == "config" || base == "config.worktree":
		return isHarmlessConfig(before, self.data, strings.Contains(at, "/modules/"))
	case base == "commondir":
		return former == nil && text == "../.." && path.Base(path.Dir(path.Dir(at))) == "worktrees"
	case base == "gitdir":
		return former == nil && path.Base(path.Dir(path.Dir(at))) == "worktrees"
	case base == "git-rebase-todo":
		return isHarmlessTodo(before, self.data)
	}
	return false
}

// onlySamples reports whether no hook was made or changed but the samples that git does not run.
func onlySamples(former, now *unit) bool {
	for name, f := range now.files {
		if name == "" || strings.HasSuffix(name, ".sample") && f.mode.IsRegular() {
			continue
		}
		if former == nil {
			return false
		}
		if old, ok := former.files[name]; !ok || old.mode.Type() != f.mode.Type() || f.data == nil || string(old.data) != string(f.data) {
			return false
		}
	}
	return true
}
