package typecheck

import (
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/dougu-go/dougu/tools/internal/jsonc"
)

// pyrightConf is the part of a configuration of Pyright that turns checks off.
type pyrightConf struct {
	Ignore           []string `json:"ignore" toml:"ignore"`
	TypeCheckingMode string   `json:"typeCheckingMode" toml:"typeCheckingMode"`

	name string // of the file
}

// pyrightMode is a comment that sets the mode of one file.
var pyrightMode = regexp.MustCompile(`(?m)^\s*#\s*(?:based)?pyright:.*\b(basic|standard|strict)\b`)

// ignoredFile is a comment before the first statement that turns the diagnostics of a file off.
var ignoredFile = regexp.MustCompile(`^(?:[ \t\f]*(?:#.*)?\r?\n)*[ \t\f]*#\s*type:\s*ignore(?:[\s\[#]|$)`)

func (p *Project) disabledPython(file, text string) Limit {
	if ignoredFile.MatchString(strings.TrimPrefix(text, "\ufeff")) {
		return Limit{"its comment # type: ignore turns the diagnostics of Pyright off", "Remove the comment.", true}
	}
	for _, dir := range p.above(file) {
		for _, c := range p.pyrightConfigs(dir) {
			rel, err := filepath.Rel(dir, file)
			switch {
			case err == nil && c.ignores(filepath.ToSlash(rel)):
				return Limit{"ignore in " + c.name + " turns the diagnostics of Pyright off", "Check it with another type checker, or change ignore.", true}
			case c.TypeCheckingMode == "off" && !pyrightMode.MatchString(text):
				return Limit{Reason: "only its syntax and names were checked: typeCheckingMode is off in " + c.name, Next: "Set typeCheckingMode, or begin the file with # pyright: basic."}
			}
		}
	}
	return Limit{}
}

// pyrightConfigs returns the configurations of Pyright and basedpyright in a directory.
func (p *Project) pyrightConfigs(dir string) []pyrightConf {
	if known, ok := p.python[dir]; ok {
		return known
	}
	var all []pyrightConf
	if data, err := p.read(filepath.Join(dir, "pyrightconfig.json")); err == nil {
		var c pyrightConf
		standard, err := jsonc.Standardize(data)
		if err == nil && json.Unmarshal(standard, &c) == nil {
			c.name = "pyrightconfig.json"
			all = append(all, c)
		}
	}
	if data, err := p.read(filepath.Join(dir, "pyproject.toml")); err == nil {
		var manifest struct {
			Tool struct {
				Pyright      pyrightConf `toml:"pyright"`
				Basedpyright pyrightConf `toml:"basedpyright"`
			} `toml:"tool"`
		}
		if toml.Unmarshal(data, &manifest) == nil {
			for _, c := range []pyrightConf{manifest.Tool.Pyright, manifest.Tool.Basedpyright} {
				c.name = "pyproject.toml"
				all = append(all, c)
			}
		}
	}
	p.python[dir] = all
	return all
}

// ignores reports whether a pattern of ignore matches a path, or a directory above it. The path is relative to the configuration.
func (c pyrightConf) ignores(rel string) bool {
	names := strings.Split(rel, "/")
	for _, pattern := range c.Ignore {
		pattern = path.Clean(filepath.ToSlash(pattern))
		if pattern == "." {
			return true
		}
		if matchPrefix(strings.Split(pattern, "/"), names) {
			return true
		}
	}
	return false
}

// matchPrefix reports whether a pattern matches the first names of a path. ** stands for any number of directories.
func matchPrefix(pattern, names []string) bool {
	// reached[n] means that the pattern up to now matches the first n names.
	reached := make([]bool, len(names)+1)
	reached[0] = true
	for _, part := range pattern {
		next := make([]bool, len(names)+1)
		for n, ok := range reached {
			switch {
			case !ok:
			case part == "**":
				for m := n; m <= len(names); m++ {
					next[m] = true
				}
			case n < len(names) && matchName(part, names[n]):
				next[n+1] = true
			}
		}
		reached = next
	}
	for _, ok := range reached {
		if ok {
			return true
		}
	}
	return false
}

// matchName compares a name with a pattern of * and ?; other characters stand for themselves.
func matchName(pattern, name string) bool {
	escaped := strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(pattern)
	ok, err := path.Match(escaped, name)
	return err == nil && ok
}
