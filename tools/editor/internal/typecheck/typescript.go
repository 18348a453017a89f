package typecheck

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/jsonc"
)

// Reasons for TypeScript and JavaScript.
const (
	reasonNoCheck = "only its syntax was checked, because of its comment @ts-nocheck"
	reasonOff     = "only its syntax was checked: noCheck in tsconfig.json turns the check of types off"
	reasonScript  = "only its syntax was checked: TypeScript checks JavaScript only with checkJs"
	reasonLibrary = "only its syntax was checked: skipLibCheck turns the check of declaration files off"
	nextScript    = "Set checkJs in tsconfig.json or jsconfig.json, or begin the file with // @ts-check."
)

func (p *Project) disabledScript(path, text string) Limit {
	switch leadingPragma(text) {
	case "ts-nocheck":
		return Limit{Reason: reasonNoCheck, Next: "Remove the comment."}
	case "ts-check":
		return Limit{}
	}
	if p.settings(path).noCheck {
		return Limit{Reason: reasonOff, Next: "Set noCheck to false in tsconfig.json."}
	}
	name := strings.ToLower(filepath.Base(path))
	isScript := strings.Contains(filepath.Ext(name), "js")
	switch {
	case isScript && !p.settings(path).checkJS:
		return Limit{Reason: reasonScript, Next: nextScript}
	case declarations.MatchString(name) && p.settings(path).skipLibCheck:
		return Limit{Reason: reasonLibrary, Next: "Set skipLibCheck to false in tsconfig.json."}
	}
	return Limit{}
}

// pragma is a comment of one line that turns the check of a file on or off.
var pragma = regexp.MustCompile(`^///?\s*@(ts-check|ts-nocheck)(?:[\s:]|$)`)

// leadingPragma returns the last ts-check or ts-nocheck among the comments before the first statement, as TypeScript does.
func leadingPragma(text string) (last string) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(text, "#!") {
		_, text, _ = strings.Cut(text, "\n")
	}
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v\u00a0")
		switch {
		case strings.HasPrefix(text, "//"):
			line, rest, _ := strings.Cut(text, "\n")
			if m := pragma.FindStringSubmatch(strings.TrimRight(line, "\r")); m != nil {
				last = m[1]
			}
			text = rest
		case strings.HasPrefix(text, "/*"):
			_, rest, closed := strings.Cut(text[2:], "*/")
			if !closed {
				return last
			}
			text = rest
		default:
			return last
		}
	}
}

// declarations is a file name of TypeScript declarations.
var declarations = regexp.MustCompile(`\.d\.[cm]?ts$`)

// tsSettings are the settings of TypeScript that decide which files it checks.
type tsSettings struct{ checkJS, skipLibCheck, noCheck bool }

// settings returns the settings of the nearest tsconfig.json or jsconfig.json above a file.
func (p *Project) settings(path string) (found tsSettings) {
	dirs := p.above(path)
	seen := 0
	defer func() {
		for _, dir := range dirs[:seen] {
			p.scripts[dir] = found
		}
	}()
	for _, dir := range dirs {
		if known, ok := p.scripts[dir]; ok {
			return known
		}
		seen++
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			at := filepath.Join(dir, name)
			if config, ok := p.readTSConfig(at); ok {
				return tsSettings{p.isSet(config, at, "checkJs"), p.isSet(config, at, "skipLibCheck"), p.isSet(config, at, "noCheck")}
			}
		}
	}
	return tsSettings{}
}

// isSet reports whether a configuration sets a compiler option.
func (p *Project) isSet(config tsconfig, path, name string) bool {
	left := maxConfigs
	set := p.option(config, path, name, &left)
	return set != nil && *set
}

// maxConfigs is the number of configurations that are read for one option, because each can extend others.
const maxConfigs = 32

// tsconfig is the part of a tsconfig.json that holds the compiler options.
type tsconfig struct {
	Extends         json.RawMessage
	CompilerOptions map[string]json.RawMessage
}

func (p *Project) readTSConfig(path string) (config tsconfig, ok bool) {
	data, err := p.read(path)
	if err != nil {
		return config, false
	}
	standard, err := jsonc.Standardize(data)
	if err != nil || json.Unmarshal(standard, &config) != nil {
		return tsconfig{}, true
	}
	return config, true
}

// option returns a compiler option of a configuration or of the configurations that it extends, and nil if none of them sets it. left
// is the number of configurations that may still be read.
func (p *Project) option(config tsconfig, path, name string, left *int) *bool {
	var value bool
	if raw, ok := config.CompilerOptions[name]; ok && json.Unmarshal(raw, &value) == nil {
		return &value
	}
	if *left--; *left <= 0 {
		return nil
	}
	var bases []string
	var base string
	if json.Unmarshal(config.Extends, &base) == nil && base != "" {
		bases = []string{base}
	} else if json.Unmarshal(config.Extends, &bases) != nil {
		return nil
	}
	for n := len(bases) - 1; n >= 0 && *left > 0; n-- { // the last one wins
		if at, found, ok := p.extended(bases[n], path); ok {
			if set := p.option(found, at, name, left); set != nil {
				return set
			}
		}
	}
	return nil
}

// extended returns the configuration that another one extends: a file relative to it, or one of a package in node_modules.
func (p *Project) extended(base, path string) (at string, config tsconfig, ok bool) {
	var places []string
	switch rel := filepath.FromSlash(base); {
	case filepath.IsAbs(rel):
		places = []string{rel}
	case strings.HasPrefix(base, "."):
		places = []string{filepath.Join(filepath.Dir(path), rel)}
	default:
		for _, dir := range p.above(path) {
			places = append(places, filepath.Join(dir, "node_modules", rel))
		}
	}
	for _, place := range places {
		for _, at := range []string{place, place + ".json", filepath.Join(place, "tsconfig.json")} {
			if config, ok := p.readTSConfig(at); ok {
				return at, config, true
			}
		}
	}
	return "", tsconfig{}, false
}
