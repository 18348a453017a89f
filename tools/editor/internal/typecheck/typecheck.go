package typecheck

import (
	"path/filepath"
	"strings"
)

// Checker is the kind of program whose check is turned off.
type Checker string

// Checkers.
const (
	TypeScript Checker = "typescript"
	Pyright    Checker = "pyright"
)

// Project reads the configuration files of a project. It caches them, so use one Project for one check of files. It is not safe for
// concurrent use.
type Project struct {
	read    func(path string) ([]byte, error)
	top     func(path string) string
	scripts map[string]tsSettings    // of the nearest configuration, by directory
	python  map[string][]pyrightConf // by directory
}

// New returns a Project. read returns the content of a file, and an error for a file that is missing or hidden from tools. top returns
// the project directory of an absolute path.
func New(read func(path string) ([]byte, error), top func(path string) string) *Project {
	return &Project{read: read, top: top, scripts: make(map[string]tsSettings), python: make(map[string][]pyrightConf)}
}

// Concerns returns the checker of a file's language, or "" for a language that the package does not know.
func Concerns(path string) Checker {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs":
		return TypeScript
	case ".py", ".pyi":
		return Pyright
	}
	return ""
}

// Limit is the part of a check that a checker leaves out for a file. The zero value means that it leaves nothing out.
type Limit struct {
	// Reason names the part that is not checked, and the cause. Next is the step that turns the check on.
	Reason, Next string
	// Silent is true if the checker reports nothing for the file, not even errors of its syntax.
	Silent bool
}

// Disabled returns the limit of the check of a file by the checker of its language. path is absolute.
func (p *Project) Disabled(path, text string) Limit {
	switch Concerns(path) {
	case TypeScript:
		return p.disabledScript(path, text)
	case Pyright:
		return p.disabledPython(path, text)
	}
	return Limit{}
}

// above returns the directories from that of a file up to the project directory.
func (p *Project) above(path string) []string {
	top := p.top(path)
	var dirs []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top || dir == filepath.Dir(dir) {
			return dirs
		}
	}
}
