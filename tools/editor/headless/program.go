package headless

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/internal/environ"
)

// lookUp returns the absolute path of a program. A command with a path separator is used unchanged. Others are looked for in the
// search directories, and must not be links into the project.
func (h *Headless) lookUp(command string) (string, bool) {
	if strings.ContainsAny(command, `/\`) {
		found, err := exec.LookPath(command)
		return found, err == nil && filepath.IsAbs(found)
	}
	for _, dir := range slices.Concat(h.search, h.late) {
		found, err := exec.LookPath(filepath.Join(dir, command))
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err != nil || h.inProject(real) {
			continue
		}
		if real, err := filepath.EvalSymlinks(found); err == nil && !h.inProject(real) {
			return found, true
		}
	}
	return "", false
}

// searchPath returns the directories of dirs that are outside the project, and those that do not exist yet: an installation may
// make them. nil is PATH.
func (h *Headless) searchPath(dirs []string) (outside, missing []string) {
	if dirs == nil {
		dirs = filepath.SplitList(os.Getenv("PATH"))
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		switch real, err := filepath.EvalSymlinks(dir); {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, dir)
		case err == nil && !h.inProject(real):
			outside = append(outside, dir)
		}
	}
	return outside, missing
}

// inProject reports whether a path without links is in a directory of the project.
func (h *Headless) inProject(path string) bool {
	_, ok := h.dirOf(path)
	return ok
}

// dirOf returns the innermost project directory that contains a path.
func (h *Headless) dirOf(path string) (dir string, ok bool) {
	for _, d := range h.dirs {
		if rel, err := filepath.Rel(d, path); err == nil && filepath.IsLocal(rel) && len(d) > len(dir) {
			dir, ok = d, true
		}
	}
	return dir, ok
}

// environment returns the environment of servers and formatters, including the variables of the sandbox.
func (h *Headless) environment() []string {
	if h.o.Env != nil {
		return append(slices.Clone(h.o.Env), h.o.Sandbox.Environ()...)
	}
	env, removed := environ.Inherited([]string{"*"}, (*redact.Redactor)(nil).SecretVariable)
	if len(removed) > 0 {
		h.o.Log.Info("variables with secrets are removed from the environment of language servers", "names", removed)
	}
	env = slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.EqualFold(name, "PATH")
	})
	dirs, _ := h.searchPath(nil)
	path := strings.Join(dirs, string(filepath.ListSeparator))
	// Children must not start programs of the project either. Without the second variable Windows looks in the working directory
	// first.
	return append(append(env, "PATH="+path, "NoDefaultCurrentDirectoryInExePath=1"), h.o.Sandbox.Environ()...)
}

// typescript returns the tsserver.js of the TypeScript that is installed beside a server, or beside tsc. A copy in the project is
// ignored.
func (h *Headless) typescript(server string) (string, bool) {
	const library = "typescript/lib/tsserver.js"
	for _, program := range []string{server, "tsc"} {
		found, ok := h.lookUp(program)
		if !ok {
			continue
		}
		real, err := filepath.EvalSymlinks(found)
		if err != nil {
			continue
		}
		for dir := filepath.Dir(real); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			for _, modules := range []string{dir, filepath.Join(dir, "node_modules")} {
				at := filepath.Join(modules, filepath.FromSlash(library))
				if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && !h.inProject(at) {
					return at, true
				}
			}
		}
	}
	return "", false
}
