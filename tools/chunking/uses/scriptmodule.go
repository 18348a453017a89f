package uses

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// scriptDialect reads JavaScript and TypeScript.
var scriptDialect = &dialect{
	languages: []source.Language{source.TypeScript, source.TSX, source.JavaScript}, script: true, read: readScript,
	typeAt:       func(s *search, f *text, at span, env typeEnv) typ { return s.scriptType(f, at.from, at.to, env) },
	module:       func(s *search, f *text, name string) *text { return s.scriptModule(f, name) },
	elementCalls: []string{"find", "pop", "shift", "at", "get", "findLast"},
	missing:      func(*search, *text, string) typ { return nil },
}

// scriptConfig has the settings of a directory for finding modules.
type scriptConfig struct {
	base  string
	paths map[string][]string
	// patterns are the keys of paths: exact names first, then those with longer prefixes first.
	patterns []string
	name     string // of the package
	entry    []string
}

// scriptModule returns the file of a module, or nil.
func (s *search) scriptModule(f *text, name string) *text {
	found := s.scriptPath(f.path, name)
	if found == "" {
		return nil
	}
	return s.load(found)
}

// scriptPath returns the path of the module that a file imports by a name, or "".
func (s *search) scriptPath(file, name string) string {
	dir := path.Dir(file)
	key := dir + "\x00" + name
	found, ok := s.fileSet.modules[key]
	if !ok {
		found = s.findScript(dir, name)
		s.fileSet.modules[key] = found
	}
	return found
}

// findScript returns the path of a module, or "".
func (s *search) findScript(dir, name string) string {
	if strings.HasPrefix(name, ".") {
		return s.scriptFile(path.Join(dir, name))
	}
	if strings.HasPrefix(name, "/") {
		return ""
	}
	for at := dir; ; at = path.Dir(at) {
		c := s.config(at)
		for _, pattern := range c.patterns {
			rest, ok := "", pattern == name
			if prefix, suffix, wild := strings.Cut(pattern, "*"); wild && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) && len(name) >= len(prefix)+len(suffix) {
				rest, ok = name[len(prefix):len(name)-len(suffix)], true
			}
			if !ok {
				continue
			}
			for _, target := range c.paths[pattern] {
				if file := s.scriptFile(path.Join(at, c.base, strings.Replace(target, "*", rest, 1))); file != "" {
					return file
				}
			}
		}
		if c.base != "" {
			if file := s.scriptFile(path.Join(at, c.base, name)); file != "" {
				return file
			}
		}
		if c.name != "" && (name == c.name || strings.HasPrefix(name, c.name+"/")) {
			return s.packageFile(at, c, strings.TrimPrefix(name[len(c.name):], "/"))
		}
		if at == "." || at == "/" {
			break
		}
	}
	// A package of the same repository.
	if s.packages == nil {
		s.packages = map[string]string{}
		seen := map[string]bool{}
		for _, file := range s.files {
			for at := path.Dir(file); !seen[at] && at != "/"; at = path.Dir(at) {
				seen[at] = true
				if c := s.config(at); c.name != "" && s.packages[c.name] == "" {
					s.packages[c.name] = at
				}
			}
		}
	}
	for rest := name; rest != "." && rest != "/"; rest = path.Dir(rest) {
		if at := s.packages[rest]; at != "" {
			return s.packageFile(at, s.config(at), strings.TrimPrefix(name[len(rest):], "/"))
		}
	}
	return ""
}

// packageFile returns the source file of a package, or of a path in it.
func (s *search) packageFile(dir string, c *scriptConfig, sub string) string {
	if sub != "" {
		for _, base := range []string{"", "src"} {
			if file := s.scriptFile(path.Join(dir, base, sub)); file != "" {
				return file
			}
		}
		return ""
	}
	for _, entry := range append([]string{"src/index", "index", "src/main"}, c.entry...) {
		if file := s.scriptFile(path.Join(dir, entry)); file != "" {
			return file
		}
	}
	return ""
}

// scriptEndings are the endings of files that an import leaves out.
var scriptEndings = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts"}

// scriptFile returns the file that an import of a path means, or "".
func (s *search) scriptFile(name string) string {
	name = path.Clean(name)
	for _, base := range []string{name, path.Join(name, "index")} {
		for from, to := range map[string]string{".js": ".ts", ".jsx": ".tsx", ".mjs": ".mts", ".cjs": ".cts"} {
			if rest, ok := strings.CutSuffix(base, from); ok {
				if file := s.firstKnown(rest+to, rest+".tsx", rest+".d"+to); file != "" {
					return file
				}
			}
		}
		if s.known[base] {
			return base
		}
		for _, ending := range scriptEndings {
			if s.known[base+ending] {
				return base + ending
			}
		}
	}
	return ""
}

// comparePatterns orders patterns of paths as TypeScript chooses between them.
func comparePatterns(a, b string) int {
	prefix := func(pattern string) int {
		if at := strings.IndexByte(pattern, '*'); at >= 0 {
			return at
		}
		return math.MaxInt
	}
	return cmp.Or(cmp.Compare(prefix(b), prefix(a)), cmp.Compare(a, b))
}

// jsonComments matches comments and trailing commas in a tsconfig.json.
var jsonComments = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*|(?s:/\*.*?\*/)|,(\s*[}\]])`)

// config reads the settings of a directory, once.
func (s *search) config(dir string) *scriptConfig {
	if c, ok := s.configs[dir]; ok {
		return c
	}
	c := &scriptConfig{}
	s.configs[dir] = c
	var pack struct{ Name, Main, Module, Types, Source string }
	if src, err := s.project.ReadFile(s.ctx, path.Join(dir, "package.json")); err == nil && json.Unmarshal(src, &pack) == nil {
		c.name = pack.Name
		for _, entry := range []string{pack.Source, pack.Types, pack.Module, pack.Main} {
			if entry != "" {
				c.entry = append(c.entry, entry)
			}
		}
	}
	for _, file := range []string{"tsconfig.json", "tsconfig.base.json", "jsconfig.json"} {
		src, err := s.project.ReadFile(s.ctx, path.Join(dir, file))
		if err != nil || len(src) > 1<<20 {
			continue
		}
		src = jsonComments.ReplaceAllFunc(src, func(b []byte) []byte {
			switch b[0] {
			case '"':
				return b
			case ',':
				return b[1:]
			}
			return nil
		})
		var t struct {
			CompilerOptions struct {
				BaseURL string `json:"baseUrl"`
				Paths   map[string][]string
			}
		}
		if json.Unmarshal(src, &t) == nil {
			if t.CompilerOptions.BaseURL != "" {
				c.base = t.CompilerOptions.BaseURL
			}
			if len(t.CompilerOptions.Paths) > 0 {
				c.paths = t.CompilerOptions.Paths
				c.patterns = slices.SortedFunc(maps.Keys(c.paths), comparePatterns)
			}
		}
	}
	return c
}
