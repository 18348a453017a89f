package headless

import (
	"path/filepath"
	"strings"
)

// extensions maps file extensions to language identifiers of the Language Server Protocol.
var extensions = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python", ".pyw": "python",
	".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
	".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".c++": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".ipp": "cpp",
	".m": "objective-c", ".mm": "objective-cpp", ".rs": "rust", ".swift": "swift", ".kt": "kotlin", ".kts": "kotlin",
	".java": "java", ".sh": "shellscript", ".bash": "shellscript", ".json": "json", ".jsonc": "jsonc", ".yaml": "yaml", ".yml": "yaml",
	".css": "css", ".scss": "scss", ".less": "less", ".html": "html", ".vue": "vue", ".md": "markdown", ".toml": "toml",
	".svelte": "svelte", ".astro": "astro", ".dockerfile": "dockerfile", ".graphql": "graphql", ".gql": "graphql", ".prisma": "prisma",
	".tf": "terraform", ".tfvars": "terraform-vars", ".ex": "elixir", ".exs": "elixir", ".hs": "haskell", ".lhs": "haskell", ".ml": "ocaml", ".mli": "ocaml",
	".nix": "nix", ".gleam": "gleam", ".elm": "elm", ".pl": "perl", ".pm": "perl", ".r": "r", ".jl": "julia", ".typ": "typst", ".rake": "ruby", ".sbt": "scala",
	".cs": "csharp", ".rb": "ruby", ".php": "php", ".lua": "lua", ".zig": "zig", ".scala": "scala", ".dart": "dart",
}

// names maps file names without a significant extension to language identifiers.
var names = map[string]string{
	"go.mod": "go.mod", "go.work": "go.work", "go.sum": "go.sum", "Dockerfile": "dockerfile", "Containerfile": "dockerfile", "Gemfile": "ruby", "Rakefile": "ruby",
}

// settings are the names of configuration files that affect diagnostics of other files.
var settings = map[string]bool{
	"package.json": true, "tsconfig.json": true, "jsconfig.json": true, "pyproject.toml": true, "pyrightconfig.json": true, "setup.py": true, "setup.cfg": true,
	"compile_commands.json": true, "compile_flags.txt": true, ".clangd": true, ".clang-tidy": true, ".clang-format": true, "Cargo.toml": true, "Cargo.lock": true,
	"composer.json": true, "Gemfile.lock": true, ".luarc.json": true, "ruff.toml": true, ".ruff.toml": true, "build.zig.zon": true, "mix.lock": true, "pubspec.lock": true,
	"Package.swift": true, "build.gradle": true, "build.gradle.kts": true, "settings.gradle": true, "settings.gradle.kts": true, "pom.xml": true,
}

// LanguageOf returns the language identifier of the Language Server Protocol for a file name. It is empty for an unknown language, also
// for one that a Server adds with Extensions.
func LanguageOf(path string) string {
	name := filepath.Base(path)
	if language, ok := names[name]; ok {
		return language
	}
	return extensions[strings.ToLower(filepath.Ext(name))]
}

// languageOf is LanguageOf, after the extensions that servers add.
func (p *project) languageOf(path string) string {
	if language, ok := p.extensions[strings.ToLower(filepath.Ext(path))]; ok {
		return language
	}
	return LanguageOf(path)
}

// affectsResults reports whether a change of the file can affect the results of a server.
func (p *project) affectsResults(name string) bool {
	return settings[name] || p.languageOf(name) != ""
}
