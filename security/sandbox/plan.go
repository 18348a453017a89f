package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mount is one step in which the file system of a command is made. Targets are absolute paths inside.
type mount struct {
	Op     op
	Source string // an absolute path outside; of a link, its text
	Target string
}

type op string

const (
	bind      op = "bind"  // Source, with everything mounted in it, can be changed
	bindRead  op = "ro"    // Source can only be read
	guard     op = "guard" // Target, which exists inside already, becomes a mount point, so that it cannot be renamed or removed
	guardRead op = "keep"  // as guard, and Target can only be read
	guardOpen op = "open"  // as guard, and Target can be changed though it lies in a directory that can only be read
	overLink  op = "over"  // Target, which exists inside already, is covered by the link Source, which does, too
	empty     op = "empty" // Target, which exists inside already, is covered by Source, an empty file, or by an empty directory
	tmpfs     op = "tmpfs" // an empty directory in memory
	link      op = "link"  // a symbolic link
	directory op = "dir"   // an empty directory that only the user can read
	procfs    op = "proc"  // the processes of the sandbox
	deviceDir op = "dev"   // the devices that every program expects
)

// isWithin reports whether path is dir or lies below it.
func isWithin(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// isWithinAny reports whether path is one of dirs or lies below one.
func isWithinAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return isWithin(path, dir) })
}

// isPlain reports whether a path below dir exists and is reached from there without symbolic links.
func isPlain(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	at := dir
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return false
		}
	}
	return true
}

// guards are the steps that protect files of the project and hide others, as they exist now.
func (s *Sandbox) guards() []mount {
	g := guardList{made: make(map[string]bool), readOnly: slices.Clone(s.options.Read)}
	if s.options.ReadOnly {
		g.readOnly = append(g.readOnly, s.options.Dirs...)
	}
	for _, dir := range s.options.Dirs {
		if s.options.ReadOnly {
			for _, path := range s.exceptions(dir) {
				g.add(dir, path, guardOpen)
			}
			continue
		}
		s.guardProtected(&g, dir)
	}
	visible := slices.Concat(s.options.Dirs, s.options.Read, s.options.Write)
	hidden := slices.Clone(s.options.Hidden)
	if s.host.home != "" && isWithinAny(s.host.home, s.options.Dirs) {
		for _, name := range privateFiles() {
			hidden = append(hidden, filepath.Join(s.host.home, name))
		}
	}
	for _, pattern := range hidden {
		for _, dir := range visible {
			if !isWithin(pattern, dir) {
				continue
			}
			rel, _ := filepath.Rel(dir, pattern)
			for _, path := range matches(dir, rel) {
				g.hide(dir, path, s.emptyFile())
			}
		}
	}
	return g.mounts
}

// guardProtected adds the protected files below dir that exist.
func (s *Sandbox) guardProtected(g *guardList, dir string) {
	names, _ := s.protectedIn(dir) // Refuse reports the error
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		// A link cannot be a mount point. Its target is protected, and Refuse checks the link.
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path && isWithin(real, dir) && real != dir {
			g.add(dir, real, guardRead)
		}
		if isPlain(dir, path) && isGuarded(name) {
			g.add(dir, path, guardRead)
		}
	}
	for _, name := range s.options.Protected {
		if pattern, isException := strings.CutPrefix(name, "!"); isException {
			for _, path := range matches(dir, pattern) {
				if g.made[filepath.Dir(path)] && isDir(path) {
					g.add(dir, path, guardOpen)
				}
			}
		}
	}
}

// isGuarded reports whether a protected file is a mount. Git replaces the steps of a rebase, also of one that a command continues.
func isGuarded(name string) bool { return filepath.Base(name) != "git-rebase-todo" }

// exceptions are the directories below dir that can be changed although the project is read-only.
func (s *Sandbox) exceptions(dir string) []string {
	return slices.DeleteFunc(slices.Clone(s.writableDirs), func(path string) bool { return path == dir || !isPlain(dir, path) || !isDir(path) })
}

// matches lists the paths below dir that match a pattern and are reached without symbolic links.
func matches(dir, pattern string) []string {
	if !strings.ContainsAny(pattern, `*?[\`) {
		path := filepath.Join(dir, pattern)
		if isPlain(dir, path) {
			return []string{path}
		}
		return nil
	}
	quoted := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
	found, _ := filepath.Glob(filepath.Join(quoted, pattern)) // a malformed pattern matches nothing
	return slices.DeleteFunc(found, func(path string) bool { return !isPlain(dir, path) })
}

// guardList collects the steps for files of the project.
type guardList struct {
	mounts   []mount
	made     map[string]bool
	readOnly []string // directories in which nothing can be changed
}

// guard is the step that guards a path below dir and leaves it as it is.
func (g *guardList) guard(dir string) op {
	if slices.Contains(g.readOnly, dir) {
		return guardRead // bubblewrap binds the path from outside, where it can be changed
	}
	return guard
}

// add guards a path and the directories that lead to it: a directory above could be renamed otherwise, with the path in it.
func (g *guardList) add(dir, path string, how op) {
	rel, _ := filepath.Rel(dir, path)
	parts := strings.Split(rel, string(filepath.Separator))
	at := dir
	for _, name := range parts[:len(parts)-1] {
		if at = filepath.Join(at, name); !g.made[at] {
			g.made[at] = true
			g.mounts = append(g.mounts, mount{Op: g.guard(dir), Target: at})
		}
	}
	if !g.made[path] {
		g.made[path] = true
		g.mounts = append(g.mounts, mount{Op: how, Target: path})
	}
}

// hide covers a path with something empty.
func (g *guardList) hide(dir, path, file string) {
	info, err := os.Lstat(path)
	if err != nil || path == dir {
		return
	}
	how := mount{Op: empty, Source: file, Target: path}
	if info.IsDir() {
		how.Source = ""
	}
	g.add(dir, path, g.guard(dir))
	g.mounts = append(g.mounts, how)
}

// privateFiles are the parts of a home directory that commands have no business with even if the project is the home directory.
func privateFiles() []string {
	return []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".config/hub", ".netrc", "_netrc",
		".git-credentials", ".config/git/credentials", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials",
		".password-store", ".local/share/keyrings", ".pgpass", ".my.cnf", ".vault-token", ".terraform.d", ".mozilla", ".thunderbird",
		".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".bash_history", ".zsh_history",
		".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".lesshst", ".viminfo", ".claude",
		".codex", ".gemini", "Library/Keychains",
	}
}
