package security

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

const maxIgnoreFile = 1 << 20

// rulesAbove are the ignore rules of the directories from the top down to, and without, a directory.
func (w *walker) rulesAbove(dir string) *ignore.Stack {
	if w.o.Ignored || dir == "" {
		return nil
	}
	var rules *ignore.Stack
	for above, rest := "", dir; ; {
		rules = w.rulesOf(above, rules)
		name, more, found := strings.Cut(rest, "/")
		if !found {
			return rules
		}
		above, rest = slashpath.Join(above, name), more
	}
}

// rulesOf adds the rules of a directory that is not walked to those above it.
func (w *walker) rulesOf(dir string, above *ignore.Stack) *ignore.Stack {
	opened, err := w.tree.OpenDir(cmp.Or(dir, "."))
	if err != nil {
		return above
	}
	defer opened.Close()
	d := &walkDir{w: w, dir: opened, path: dir, ignored: above, links: &linkScope{w: w, dir: opened.Path}}
	if fromTop(opened.Path) == dir {
		d.enter()
	}
	return d.ignored
}

// readIgnored adds the rules of the directory to those above it: first .git/info/exclude, which counts less than any .gitignore of the
// same directory.
func (d *walkDir) readIgnored() {
	if d.w.keeping && trash.IsDir(d.path) {
		return // the rule there is for version control
	}
	if meta, err := d.dir.Describe(".git"); err == nil && meta.Mode.IsDir() {
		d.readExclude()
	}
	if !d.rules.Match(".gitignore") {
		d.ignored = d.ignored.Push(d.path, d.w.readRules(d, d.dir, ".gitignore"))
	}
}

func (d *walkDir) readExclude() {
	if d.w.root.blocked.Match(slashpath.Join(d.path, ".git/info/exclude")) {
		return
	}
	git, err := d.dir.OpenDir(".git")
	if err != nil {
		return
	}
	defer git.Close()
	info, err := git.OpenDir("info")
	if err != nil {
		return
	}
	defer info.Close()
	d.ignored = d.ignored.Push(d.path, d.w.readRules(d, info, "exclude"))
}

// readRules reads a file of rules in a directory, which is d's or one below it. What is no regular file has none.
func (w *walker) readRules(d *walkDir, dir *rootfs.Dir, name string) *ignore.Rules {
	content, meta, err := dir.ReadFile(name, nil, maxIgnoreFile)
	if meta.Links > 1 {
		if info, err := dir.Lstat(name); err != nil || d.links.hold(info) {
			return nil
		}
	}
	switch {
	case err == nil:
		return ignore.Parse(content)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, rootfs.ErrLink), errors.Is(err, rootfs.ErrIrregular), errors.Is(err, rootfs.ErrDirectory):
	default:
		w.problem(slashpath.Join(dir.Path, name), err)
	}
	return nil
}
