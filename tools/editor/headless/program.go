package headless

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/editor/internal/installed"
	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
	"github.com/dougu-go/dougu/tools/internal/environ"
)

// newFinder returns the finder of programs outside of the project.
func (h *Headless) newFinder() *installed.Finder {
	f := &installed.Finder{Machine: installed.Local(), Search: h.o.Search, Accepts: func(real string) bool { return !h.inProject(real) }}
	if dir, err := servercache.Dir(); err == nil {
		f.Cached = func(program string) (path, version string, ok bool) { return servercache.Find(dir, program) }
	}
	return f
}

// find returns the program of a server outside of the project. A command with a path separator is used unchanged.
func (h *Headless) find(s Server) (installed.Program, bool) {
	if strings.ContainsAny(s.Command, `/\`) {
		found, err := exec.LookPath(s.Command)
		return installed.Program{Command: []string{found}, File: found, Origin: "settings"}, err == nil && filepath.IsAbs(found)
	}
	if s.parts != nil && !h.finder.Machine.Exists(s.parts) {
		return installed.Program{}, false
	}
	return h.finder.Find(installed.Query{Names: append([]string{s.Command}, s.otherCommands...), Bundles: s.bundles})
}

// projectDirs returns the directories of programs that package managers make in a project: in a folder and the directories above it
// in the project, the nearest first.
func (h *Headless) projectDirs(folder string) []string {
	top, ok := h.dirOf(folder)
	if !ok {
		return nil
	}
	environment := "bin"
	if runtime.GOOS == "windows" {
		environment = "Scripts"
	}
	var dirs []string
	for dir := folder; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, filepath.Join(dir, "node_modules", ".bin"))
		for _, name := range []string{".venv", "venv", "env"} {
			dirs = append(dirs, filepath.Join(dir, name, environment))
		}
		dirs = append(dirs, filepath.Join(dir, "vendor", "bin"))
		if isFile(filepath.Join(dir, "Gemfile")) {
			dirs = append(dirs, filepath.Join(dir, "bin"))
		}
		if dir == top || dir == filepath.Dir(dir) {
			return dirs
		}
	}
}

// findInProject returns the program of a server in the directories of projectDirs.
func (h *Headless) findInProject(s Server, folder string) (installed.Program, bool) {
	if strings.ContainsAny(s.Command, `/\`) {
		return installed.Program{}, false
	}
	return h.finder.In(h.projectDirs(folder), append([]string{s.Command}, s.otherCommands...))
}

// searchPath returns the directories of PATH that are outside the project.
func (h *Headless) searchPath() (outside []string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && !h.inProject(real) {
			outside = append(outside, dir)
		}
	}
	return outside
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
	path := strings.Join(h.searchPath(), string(filepath.ListSeparator))
	// Children must not start programs of the project either. Without the second variable Windows looks in the working directory
	// first.
	return append(append(env, "PATH="+path, "NoDefaultCurrentDirectoryInExePath=1"), h.o.Sandbox.Environ()...)
}

// environmentFor returns the environment of a server or formatter, with the directories that its program needs at the front of PATH.
func (h *Headless) environmentFor(p installed.Program) []string {
	if len(p.Path) == 0 {
		return h.env
	}
	env := slices.Clone(h.env)
	added := strings.Join(p.Path, string(filepath.ListSeparator))
	for i, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); strings.EqualFold(name, "PATH") {
			env[i] = name + "=" + added + string(filepath.ListSeparator) + value
			return env
		}
	}
	return append(env, "PATH="+added)
}

// typescript returns the tsserver.js of the TypeScript that is installed beside a server, or beside tsc. A copy in the project is
// ignored.
func (h *Headless) typescript(s Server) (string, bool) {
	const library = "typescript/lib/tsserver.js"
	for _, program := range []Server{s, {Command: "tsc"}} {
		p, ok := h.find(program)
		if !ok {
			continue
		}
		found := p.File
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
