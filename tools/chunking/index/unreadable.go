package index

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
)

// otherFiles are extensions of files that declare nothing: documents, data, settings, media, archives and output of programs.
// Only their number is reported.
var otherFiles = wordSet(`
	md markdown rst adoc asciidoc txt text log tex bib org pdf doc docx odt rtf ppt pptx xls xlsx ods
	json jsonl ndjson json5 jsonc yaml yml toml ini cfg conf config properties plist xml xsd xsl dtd csv tsv env editorconfig
	lock sum mod work resolved map snap golden out diff patch rej orig bak tmp swp
	html htm xhtml css scss sass less svg ico png jpg jpeg gif webp bmp tif tiff avif heic psd ai eps
	mp3 mp4 wav ogg flac m4a mov avi webm mkv ttf otf woff woff2 eot
	zip tar gz tgz bz2 xz zst 7z rar jar war ear aar apk ipa deb rpm dmg iso
	o a so dylib dll exe lib obj pdb class pyc pyo wasm bin dat db sqlite sqlite3 bc node nib
	pem crt cer key der p12 pub asc sig po pot mo strings xib storyboard pbxproj xcconfig xcscheme entitlements
	gitignore gitattributes gitmodules gitkeep dockerignore npmignore npmrc nvmrc eslintignore prettierignore eslintrc prettierrc babelrc
	sln csproj vbproj fsproj vcxproj props targets resx iml prefab unity asset mat meta anim controller
`)

// sourceFiles are extensions of source code, whose content is not read.
var sourceFiles = wordSet(`
	zig nim lua dart ex exs erl hrl hs lhs ml mli clj cljs cljc r jl pl pm t m mm fs fsx fsi vb pas pp d v vhd vhdl sv f f90 f95 for cob cbl ada adb ads
	lisp lsp el scm rkt groovy gradle sh bash zsh fish ps1 psm1 bat cmd awk tcl sql proto thrift graphql gql vue svelte astro elm purs coffee hx cr odin
	sol move cairo tf hcl nix bzl cmake mk asm s cu cuh metal glsl hlsl vert frag wgsl prisma rego jsonnet
	erb ejs hbs mustache jinja j2 twig slim haml pug
`)

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// Unread counts the files that an analysis did not index.
type Unread struct {
	// ByExtension counts source files by extension in lower case (".zig"). Scripts without an extension are under Scripts, files
	// whose name determines the language and has no extension under the name ("Rakefile"). Files with an unknown extension count
	// if the first one that was read is text. The walk is parallel, so another file can be the first one in the next run.
	ByExtension map[string]int
	// Excluded counts, in the same way, files of languages that parsers read but Options.Languages leave out.
	Excluded map[string]int
	// Other is the number of all other files: documents, data, settings, media, and files of an unknown kind that cannot be read.
	Other int
}

// unread gathers an Unread from several goroutines.
type unread struct {
	mu     sync.Mutex
	counts Unread
	isText map[string]bool // by extensions that are in neither set
}

// countUnparsed counts a file of a language without a parser. languageKnown says that the name determines a language.
func (r *run) countUnparsed(ctx context.Context, e *security.WalkEntry, languageKnown bool) {
	ext := strings.ToLower(path.Ext(e.Name))
	word := strings.TrimPrefix(ext, ".")
	source := languageKnown || sourceFiles[word]
	if !source && word != "" && !otherFiles[word] && ext != strings.ToLower(e.Name) {
		source = r.unknown.looksLikeText(ctx, e, ext)
	}
	r.unknown.mu.Lock()
	defer r.unknown.mu.Unlock()
	if source {
		r.unknown.counts.ByExtension[cmp.Or(ext, e.Name)]++
	} else {
		r.unknown.counts.Other++
	}
}

// looksLikeText reports whether files with an extension are text, by the first one that can be read.
func (u *unread) looksLikeText(ctx context.Context, e *security.WalkEntry, ext string) bool {
	u.mu.Lock()
	text, known := u.isText[ext]
	u.mu.Unlock()
	if known {
		return text
	}
	text, known = looksLikeText(ctx, e)
	u.mu.Lock()
	defer u.mu.Unlock()
	if first, ok := u.isText[ext]; ok {
		return first
	}
	if known {
		u.isText[ext] = text
	}
	return text
}

// Scripts is the key of Unread.ByExtension and Unread.Excluded for scripts without an extension.
const Scripts = "#!"

// countNoExtension counts a file without an extension whose beginning names no language of a parser.
func (r *run) countNoExtension(beginning []byte) {
	r.unknown.mu.Lock()
	defer r.unknown.mu.Unlock()
	if bytes.HasPrefix(beginning, []byte("#!")) {
		r.unknown.counts.ByExtension[Scripts]++
	} else {
		r.unknown.counts.Other++
	}
}

// countExcluded counts a file whose language Options.Languages leave out, by its extension or, without one, by another key.
func (r *run) countExcluded(name, key string) {
	r.unknown.mu.Lock()
	defer r.unknown.mu.Unlock()
	r.unknown.counts.Excluded[cmp.Or(strings.ToLower(path.Ext(name)), key)]++
}

// looksLikeText reports whether the first 511 bytes of a file are text: without NUL, or UTF-16. known is false if they cannot be
// read.
func looksLikeText(ctx context.Context, e *security.WalkEntry) (text, known bool) {
	var buf [512]byte
	content, err := e.ReadFile(ctx, buf[:0], len(buf)-1)
	if err != nil && security.CodeOf(err) != security.FileTooLarge {
		return false, false
	}
	return bytes.IndexByte(Text(content[:len(content)&^1]), 0) < 0, true
}
