package editorplugin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/app"
)

// Machine is the machine on which editors are looked for.
type Machine struct {
	app.Environment
	// Project has the absolute paths of directories whose programs are not run.
	Project []string
}

// Skipped is an editor that was found and cannot be used.
type Skipped struct {
	Name    string
	Program string // path of the program
	Reason  string
	Next    string // how the user gets the extension into this editor, a sentence
}

// Find returns the editors of the machine, in the order of the catalogue.
func (m Machine) Find() (found []Editor, skipped []Skipped) {
	if m.Getenv == nil {
		m.Getenv = func(string) string { return "" }
	}
	for _, p := range catalogue {
		program, s := m.program(p)
		switch {
		case program == "":
			skipped = append(skipped, s...)
		case p.name == neovimName:
			if dir := m.neovimDir(); dir != "" {
				found = append(found, &neovimEditor{title: p.title, dir: dir})
			}
		default:
			found = append(found, &codeEditor{product: p, program: program, env: m.environ()})
		}
	}
	return found, skipped
}

// program returns the program of an editor: the first one in PATH, or else in the usual places, that can be run. It returns the
// programs that were passed over if there is no other.
func (m Machine) program(p product) (path string, skipped []Skipped) {
	for i, dirs := range [][]string{filepath.SplitList(m.Getenv("PATH")), p.places(m.GOOS, m.Home, m.Getenv)} {
		names := p.files(m.GOOS)
		if i == 0 {
			names = names[:1] // in PATH, another name is another editor
		}
		for _, dir := range dirs {
			if !filepath.IsAbs(dir) {
				continue
			}
			for _, name := range names {
				if i > 0 && (m.List == nil || !slices.Contains(m.List(dir), name)) {
					continue
				}
				file, err := exec.LookPath(filepath.Join(dir, name))
				if err != nil {
					continue
				}
				s, usable := m.examine(p, file)
				if usable {
					return file, nil
				}
				if s.Reason != "" && !slices.Contains(skipped, s) {
					skipped = append(skipped, s)
				}
			}
		}
	}
	return "", skipped
}

// windowsProgram matches a path on a drive of Windows, as Linux sees it in WSL.
var windowsProgram = regexp.MustCompile(`^/mnt/[a-z]/`)

// examine reports whether a program may be run.
func (m Machine) examine(p product, file string) (s Skipped, usable bool) {
	s = Skipped{Name: p.name, Program: file}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return Skipped{}, false
	}
	switch {
	case m.inProject(file) || m.inProject(real):
		s.Reason = "it is in the project, whose programs are not run"
		s.Next = fmt.Sprintf("Run the command outside of the project, if the program is yours: %s.", file)
	case m.Getenv("WSL_DISTRO_NAME") != "" && windowsProgram.MatchString(real):
		s.Reason = "it is a program of Windows, and this is WSL"
		s.Next = "Open the folder in a window that is connected to WSL, and run the command again in a terminal of that window."
	case strings.Contains(filepath.ToSlash(real), "/remote-cli/") && m.Getenv("VSCODE_IPC_HOOK_CLI") == "":
		s.Reason = "it works only in a terminal of the window that is connected to this machine"
		s.Next = "Run the command again in a terminal of that window."
	default:
		return s, true
	}
	return s, false
}

// inProject reports whether a path is in a directory of the project.
func (m Machine) inProject(path string) bool {
	return slices.ContainsFunc(m.Project, func(dir string) bool {
		if isWithin(dir, path) {
			return true
		}
		real, err := filepath.EvalSymlinks(dir)
		return err == nil && isWithin(real, path)
	})
}

func isWithin(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// environ returns the environment of the programs of editors. PATH lacks the directories of the project, because the programs are
// scripts that run others.
func (m Machine) environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(name, "PATH")
	})
	var dirs []string
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if real, err := filepath.EvalSymlinks(dir); filepath.IsAbs(dir) && err == nil && !m.inProject(dir) && !m.inProject(real) {
			dirs = append(dirs, dir)
		}
	}
	return append(env, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)), "DONT_PROMPT_WSL_INSTALL=1", "NoDefaultCurrentDirectoryInExePath=1")
}
