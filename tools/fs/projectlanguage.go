package fs

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// languagesByExtension maps extensions to languages. Ambiguous extensions are omitted.
var languagesByExtension = map[string]string{
	".go": "Go", ".rs": "Rust", ".zig": "Zig", ".c": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++",
	".m": "Objective-C", ".mm": "Objective-C", ".swift": "Swift", ".kt": "Kotlin", ".kts": "Kotlin", ".java": "Java", ".scala": "Scala",
	".groovy": "Groovy", ".clj": "Clojure", ".cljs": "Clojure", ".cs": "C#", ".fs": "F#", ".vb": "Visual Basic",
	".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript",
	".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".vue": "Vue", ".svelte": "Svelte",
	".py": "Python", ".pyi": "Python", ".rb": "Ruby", ".php": "PHP", ".pl": "Perl", ".pm": "Perl", ".lua": "Lua", ".dart": "Dart", ".r": "R",
	".jl": "Julia", ".hs": "Haskell", ".ml": "OCaml", ".mli": "OCaml", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang",
	".nim": "Nim", ".cr": "Crystal", ".d": "D", ".f90": "Fortran", ".cob": "COBOL", ".cbl": "COBOL", ".pas": "Pascal", ".sol": "Solidity",
	".gd": "GDScript", ".sh": "Shell", ".bash": "Shell", ".ps1": "PowerShell", ".sql": "SQL",
}

// languageOf returns the language of a file name, or "".
func languageOf(name string) string {
	ext := path.Ext(name)
	if language, ok := languagesByExtension[ext]; ok {
		return language
	}
	return languagesByExtension[strings.ToLower(ext)]
}

// language returns the dominant language.
func (s *projectScan) language(manifests []manifest) string {
	weights := maps.Clone(s.languages)
	spokenFor := map[string]bool{}
	for _, m := range manifests {
		if m.depth == 1 && len(m.kind.languages) > 0 {
			spokenFor[s.manifestLanguage(m.kind)] = true
		}
	}
	for language := range spokenFor {
		weights[language] = 3*weights[language] + 1
	}
	best := ""
	for _, language := range slices.Sorted(maps.Keys(weights)) {
		if best == "" || weights[language] > weights[best] {
			best = language
		}
	}
	return best
}

// manifestLanguage returns the language of a manifest kind with the most files. Of equal ones it returns the last.
func (s *projectScan) manifestLanguage(kind *manifestKind) string {
	best := kind.languages[0]
	for _, language := range kind.languages {
		if n := s.languages[language]; n > 0 && n >= s.languages[best] {
			best = language
		}
	}
	return best
}
