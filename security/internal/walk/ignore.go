package walk

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

const maxIgnoreFile = 1 << 20

// rulesAbove are the ignore rules of the directories from the top down to, and without, a directory.
func (w *walker) rulesAbove(dir string) *ignore.Stack {
	if w.Ignored || dir == "" {
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

// rulesOf adds the rules of a directory that is not walked to the rules above it.
func (w *walker) rulesOf(dir string, above *ignore.Stack) *ignore.Stack {
	opened, err := w.Root.OpenDir(cmp.Or(dir, "."))
	if err != nil {
		return above
	}
	defer opened.Close()
	d := &directory{w: w, dir: opened, path: dir, ignored: above, links: &linkScope{w: w, dir: opened.Path}}
	if fromTop(opened.Path) == dir {
		d.enter()
	}
	return d.ignored
}

// readIgnored adds the rules of the directory to the rules above it: first .git/info/exclude, which counts less than any .gitignore of the
// same directory.
func (d *directory) readIgnored() {
	if d.w.reserved && d.w.Reserved(d.path) {
		return // the rule there is for version control
	}
	if meta, err := d.dir.Describe(".git"); err == nil && meta.Mode.IsDir() {
		d.readExclude()
	}
	if !d.rules.Match(".gitignore") {
		d.ignored = d.ignored.Push(d.path, d.w.readRules(d, d.dir, ".gitignore"))
	}
}

func (d *directory) readExclude() {
	if d.w.Blocked.Match(slashpath.Join(d.path, ".git/info/exclude")) {
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

// readRules reads a file of rules in a directory, the one of d or one below it. Only a regular file has rules.
func (w *walker) readRules(d *directory, dir *rootfs.Dir, name string) *ignore.Rules {
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
		w.Problem(slashpath.Join(dir.Path, name), err)
	}
	return nil
}
