package document

import (
	"bytes"
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// headLen is the number of bytes from which the language is detected.
const headLen = 16 << 10

// Language returns the language of a file by its name and the beginning of its content: a language of package source, or
// another format such as "markdown", "yaml" or "text".
func Language(name string, head []byte, parsers *source.Parsers) string {
	head = head[:min(len(head), headLen)]
	if parsers != nil {
		if lang, ok := parsers.LanguageOf(name, head); ok && !parsers.IsData(lang) {
			return string(lang)
		}
	} else if lang, ok := source.LanguageOf(name, head); ok {
		return string(lang)
	}
	base := strings.ToLower(path.Base(name))
	if lang, ok := byName[base]; ok {
		return lang
	}
	ext := path.Ext(base)
	if lang, ok := byExtension[ext]; ok {
		return lang
	}
	switch {
	case strings.HasPrefix(base, "dockerfile"):
		return "dockerfile"
	case strings.HasPrefix(base, "makefile"):
		return "makefile"
	case isManual(ext, head):
		return "man"
	case bytes.HasPrefix(head, []byte("#!")):
		return "shell"
	case bytes.HasPrefix(head, []byte("<?xml")):
		return "xml"
	case hasPrefixFold(head, "<!doctype html"), hasPrefixFold(head, "<html"):
		return "html"
	}
	return "text"
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}

// isManual reports whether a file is a manual page: its extension is a section, and it contains macros of such pages.
func isManual(ext string, head []byte) bool {
	if len(ext) < 2 || ext[1] < '1' || ext[1] > '9' {
		return false
	}
	for _, macro := range []string{".TH ", ".Dd ", ".SH ", ".so "} {
		if bytes.HasPrefix(head, []byte(macro)) || bytes.Contains(head, []byte("\n"+macro)) {
			return true
		}
	}
	return false
}

// byName maps file names, in lower case, to languages.
var byName = map[string]string{
	"makefile": "makefile", "gnumakefile": "makefile", "dockerfile": "dockerfile", "containerfile": "dockerfile",
	"cmakelists.txt": "cmake", "jenkinsfile": "groovy", "go.mod": "gomod", "go.work": "gomod", "go.sum": "lock",
	"package-lock.json": "lock", "npm-shrinkwrap.json": "lock", "yarn.lock": "lock", "pnpm-lock.yaml": "lock",
	"cargo.lock": "lock", "poetry.lock": "lock", "uv.lock": "lock", "composer.lock": "lock", "gemfile.lock": "lock",
	"pipfile.lock": "lock", "flake.lock": "lock", "package.resolved": "lock", "podfile.lock": "lock", "bun.lock": "lock",
	"pipfile": "toml", ".gitignore": "ini", ".gitattributes": "ini", ".editorconfig": "ini", ".gitconfig": "ini",
	".bashrc": "shell", ".zshrc": "shell", ".profile": "shell", ".babelrc": "json", ".eslintrc": "json", ".prettierrc": "yaml",
}

// byExtension maps extensions, in lower case, to languages.
var byExtension = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(`
		markdown .md .markdown .mdx .mdown .mkd .qmd .rmd
		rst .rst .rest
		asciidoc .adoc .asciidoc
		org .org
		latex .tex .sty .cls
		html .html .htm .xhtml .shtml
		text .txt .text .log
		json .json .json5 .jsonc .jsonl .ndjson .geojson .webmanifest .avsc .har
		notebook .ipynb
		yaml .yaml .yml
		toml .toml
		xml .xml .xsd .xsl .xslt .plist .svg .csproj .vbproj .fsproj .vcxproj .props .targets .pom .storyboard .xib .resx .xaml .rss .atom .wsdl .nuspec
		csv .csv .tsv
		ini .ini .cfg .conf .properties .env .desktop .service .inf .reg
		css .css .scss .sass .less .styl
		vue .vue
		svelte .svelte
		astro .astro
		sql .sql .ddl
		shell .sh .bash .zsh .fish .ksh .bats
		powershell .ps1 .psm1 .psd1
		batch .bat .cmd
		proto .proto
		graphql .graphql .gql
		thrift .thrift
		terraform .tf .hcl .tfvars
		nix .nix
		cmake .cmake
		makefile .mk .mak
		groovy .groovy .gradle
		dart .dart
		lua .lua
		perl .pl .pm .t
		r .r
		julia .jl
		elixir .ex .exs
		erlang .erl .hrl
		haskell .hs .lhs
		ocaml .ml .mli
		fsharp .fs .fsi .fsx
		clojure .clj .cljs .cljc .edn
		lisp .lisp .lsp .el .scm .ss .rkt
		zig .zig
		nim .nim
		objectivec .m .mm
		assembly .s .asm
		visualbasic .vb .bas .vbs
		pascal .pas .pp .dpr
		fortran .f .f90 .f95 .for
		cobol .cob .cbl .cpy
		glsl .glsl .vert .frag .hlsl .wgsl .metal
		solidity .sol
		gomod .mod
		template .tmpl .tpl .hbs .ejs .erb .j2 .jinja .mustache
		diff .diff .patch
		lock .lock
	`) {
		words := strings.Fields(line)
		for _, ext := range words[min(1, len(words)):] {
			all[ext] = words[0]
		}
	}
	return all
}()
