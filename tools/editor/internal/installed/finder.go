package installed

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Query describes the program that is looked for.
type Query struct {
	// Names are the names of the program, without an extension; each directory is searched for the first one that it has.
	Names []string
	// Bundles are the extensions of editors that bring the program along.
	Bundles []Bundle
}

// Program is a program that was found.
type Program struct {
	// Command is the absolute path of the program. For a script of an extension, it is the interpreter and the script.
	Command []string
	// File is the program or script in Command that identifies the program to a user.
	File string
	// Origin names the place, for example "PATH", "mason" or "VS Code".
	Origin string
	// Path are directories that the program needs in its PATH beside those of this process, for example the directory of the Node.js
	// that belongs to it.
	Path []string

	version string // known without reading further files
}

// Finder finds programs. Set Machine: the zero value searches fixed directories of the system alone. Its methods may be called
// concurrently.
type Finder struct {
	// Machine is the machine that is searched.
	Machine Machine
	// Search are the directories that are searched, instead of PATH and all other places. nil is every place.
	Search []string
	// Accepts reports whether a file or directory may be used, by its path without links. nil accepts all.
	Accepts func(real string) bool
	// Cached returns the path and version of a program among the servers that this program has installed. nil if there are none.
	Cached func(program string) (path, version string, ok bool)

	mu      sync.Mutex
	listed  time.Time // time of the last listing
	path    []directory
	others  []directory // after PATH and the cache
	systems []directory // after the extensions of editors
}

// listingAge is the time after which directories are listed again, so that a program is found soon after its installation.
const listingAge = time.Second

// maxEntries is the number of entries of one directory that are considered.
const maxEntries = 100_000

// list returns the directories of the tables with their entries.
func (f *Finder) list() (path, others, systems []directory) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.listed) < listingAge {
		return f.path, f.others, f.systems
	}
	seen := make(map[string]bool)
	read := func(all []directory) []directory {
		var kept []directory
		for _, d := range all {
			real, err := filepath.EvalSymlinks(d.path)
			if err != nil || !filepath.IsAbs(d.path) || seen[real] || !f.acceptsReal(real) {
				continue
			}
			seen[real] = true
			if d.names = f.entries(real); len(d.names) > 0 {
				kept = append(kept, d)
			}
		}
		return kept
	}
	f.path, f.others, f.systems = read(f.searchPath()), nil, nil
	if f.Search == nil {
		m := f.Machine
		f.others = read(slices.Concat(m.directories(versionManagers), m.configured(), m.directories(packageManagers)))
		f.systems = read(m.directories(systemDirs))
	}
	f.listed = time.Now()
	return f.path, f.others, f.systems
}

// searchPath returns the directories of Search, or else of PATH without shims.
func (f *Finder) searchPath() []directory {
	dirs := f.Search
	if dirs == nil {
		dirs = filepath.SplitList(f.Machine.env("PATH"))
	}
	var all []directory
	for _, dir := range dirs {
		if f.Search != nil || !f.Machine.isShimDirectory(dir) {
			all = append(all, directory{origin: OriginPath, path: dir})
		}
	}
	return all
}

func (f *Finder) entries(dir string) map[string]bool {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(maxEntries) // the names before an error
	names := make(map[string]bool, len(list))
	for _, name := range list {
		names[f.Machine.entryName(name)] = true
	}
	return names
}

// entryName is a name as directory.names has it: in lower case and without the extension of a program on Windows.
func (m Machine) entryName(name string) string {
	if m.GOOS != "windows" {
		return name
	}
	name = strings.ToLower(name)
	for _, suffix := range programSuffixes {
		if before, ok := strings.CutSuffix(name, suffix); ok {
			return before
		}
	}
	return name
}

func (f *Finder) acceptsReal(real string) bool { return f.Accepts == nil || f.Accepts(real) }

// accepts reports whether a path exists and may be used.
func (f *Finder) accepts(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && f.acceptsReal(real)
}

// Find returns the first program in the order of the package comment.
func (f *Finder) Find(q Query) (Program, bool) {
	path, others, systems := f.list()
	if p, ok := f.findIn(path, q.Names); ok {
		return p, true
	}
	if f.Search != nil {
		return Program{}, false
	}
	if p, ok := f.findCached(q.Names); ok {
		return p, true
	}
	if p, ok := f.findIn(others, q.Names); ok {
		return p, true
	}
	for _, b := range q.Bundles {
		if p, ok := f.findBundle(b); ok {
			return p, true
		}
	}
	return f.findIn(systems, q.Names)
}

// findIn returns the first program with one of the names in the directories.
func (f *Finder) findIn(dirs []directory, names []string) (Program, bool) {
	for _, d := range dirs {
		for _, name := range names {
			if !d.names[f.Machine.entryName(name)] {
				continue
			}
			file, ok := f.Machine.programFile(d.path, name)
			if !ok || !f.accepts(file) {
				continue
			}
			program, ok := f.Machine.resolveShim(file)
			if !ok || !f.accepts(program) {
				continue
			}
			p := Program{Command: []string{program}, File: program, Origin: d.origin}
			if !f.prepare(&p, d.path) {
				continue
			}
			return p, true
		}
	}
	return Program{}, false
}

// findCached returns a program that this program has installed.
func (f *Finder) findCached(names []string) (Program, bool) {
	if f.Cached == nil {
		return Program{}, false
	}
	for _, name := range names {
		file, version, ok := f.Cached(name)
		if !ok || !filepath.IsAbs(file) || !f.accepts(file) {
			continue
		}
		p := Program{Command: []string{file}, File: file, Origin: OriginCache, version: version}
		if f.prepare(&p, filepath.Dir(file)) {
			return p, true
		}
	}
	return Program{}, false
}

// In returns the first program with one of the names in directories of a project. Accepts and Search do not apply to them.
func (f *Finder) In(dirs, names []string) (Program, bool) {
	for _, dir := range dirs {
		for _, name := range names {
			if file, ok := f.Machine.programFile(dir, name); ok {
				p := Program{Command: []string{file}, File: file, Origin: OriginProject}
				if f.prepare(&p, dir) {
					return p, true
				}
			}
		}
	}
	return Program{}, false
}

// prepare adds the directories that a program needs beside PATH. It is false if the interpreter of a script is missing.
func (f *Finder) prepare(p *Program, dir string) bool {
	onPath := p.Origin == OriginPath
	if !onPath {
		p.Path = []string{dir}
	}
	name := f.Machine.scriptInterpreter(p.Command[0])
	if name == "" {
		return true
	}
	if filepath.IsAbs(name) {
		_, err := os.Stat(name)
		return err == nil
	}
	if _, ok := f.Machine.programFile(dir, name); ok {
		return true
	}
	if _, ok := f.interpreterOnPath(name); ok && onPath {
		return true
	}
	interpreter, ok := f.interpreter(name)
	if ok {
		p.Path = append(p.Path, f.interpreterPath(interpreter)...)
	}
	return ok
}

// interpreter returns an interpreter of scripts, in PATH or the directories of the tables.
func (f *Finder) interpreter(name string) (string, bool) {
	path, others, systems := f.list()
	for _, d := range slices.Concat(path, others, systems) {
		if !d.names[f.Machine.entryName(name)] {
			continue
		}
		if file, ok := f.Machine.programFile(d.path, name); ok && f.accepts(file) {
			return file, true
		}
	}
	if f.Search != nil { // the environment of the program has PATH anyway
		return f.interpreterOnPath(name)
	}
	return "", false
}

// interpreterOnPath returns an interpreter in PATH. Shims count: they start interpreters that the tables may not have.
func (f *Finder) interpreterOnPath(name string) (string, bool) {
	for _, dir := range filepath.SplitList(f.Machine.env("PATH")) {
		if file, ok := f.Machine.programFile(dir, name); ok && f.accepts(file) {
			return file, true
		}
	}
	return "", false
}

// interpreterPath returns the directory of an interpreter unless it is in PATH.
func (f *Finder) interpreterPath(program string) []string {
	path, _, _ := f.list()
	dir := filepath.Dir(program)
	if slices.ContainsFunc(path, func(d directory) bool { return d.path == dir }) {
		return nil
	}
	return []string{dir}
}

// maxFirstLine is the number of bytes that are read of the first line of a script.
const maxFirstLine = 256

// scriptInterpreter returns the interpreter in the first line of a script: an absolute path, or NAME of "#!/usr/bin/env NAME". It is
// empty for other files, and on Windows for absolute paths, which Windows does not use.
func (m Machine) scriptInterpreter(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	line, _ := bufio.NewReader(io.LimitReader(file, maxFirstLine)).ReadString('\n') // a prefix is enough
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		if m.GOOS == "windows" || !filepath.IsAbs(words[0]) || len(line) == maxFirstLine {
			return ""
		}
		return words[0]
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}
