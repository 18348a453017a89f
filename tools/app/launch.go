package app

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// launch is the command line by which a client starts the running program, without the flags of the program.
type launch struct {
	command string
	args    []string
	// temporary reports that "go run" has built the program, whose file is gone when it ends.
	temporary bool
	// source is the package from which "go run" and "go install" build the program, with its version if it has one. It is empty if
	// the program was built from single files: then command is the temporary file.
	source string
}

// findLaunch returns the launch of the running program. A program that "go run" has built is built again by each start, from the
// current directory.
func (a *App) findLaunch() launch {
	program, err := os.Executable()
	if err != nil {
		return launch{command: a.Name}
	}
	l := launch{command: program, temporary: strings.Contains(filepath.ToSlash(program), "/go-build")}
	if !l.temporary {
		return l
	}
	info, _ := debug.ReadBuildInfo()
	if l.source = sourcePackage(info); l.source == "" {
		return l
	}
	l.command, l.args = "go", []string{"run", l.source}
	if !strings.Contains(l.source, "@") { // a package of the module of the current directory
		l.args = []string{"run", "-C", currentDirectory(), l.source}
	}
	return l
}

// entryMatcher returns a function that reports whether an entry of a client starts a program with the name of this one, or of its package
// or file.
func (a *App) entryMatcher() (starts func(clientconfig.Entry) bool) {
	l := a.findLaunch()
	own := clientconfig.Server{Command: l.command, Args: l.args}.Program()
	return func(e clientconfig.Entry) bool { return e.Program() == a.Name || e.Program() == own }
}

// permanent returns the advice to build a program that stays, as a sentence.
func (l launch) permanent() string {
	if l.source == "" {
		return "\"go build\" makes a program that clients can start without Go."
	}
	return "\"go install " + l.source + "\" installs a program that clients can start without Go."
}

// sourcePackage returns the import path of the main package of a build, followed by "@" and the version if its module was downloaded.
// It is empty for a build of single files, for a test, and if info is nil.
func sourcePackage(info *debug.BuildInfo) string {
	switch {
	case info == nil || info.Path == "" || info.Path == "command-line-arguments" || strings.HasSuffix(info.Path, ".test"):
		return ""
	case info.Main.Sum != "":
		return info.Path + "@" + info.Main.Version
	}
	return info.Path
}

// currentDirectory returns the current directory, or "." if it is unknown.
func currentDirectory() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}
