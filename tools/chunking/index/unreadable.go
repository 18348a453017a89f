package index

import (
	"bytes"
	"context"
	"path"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
)

// otherFiles are the endings of names of files that declare nothing: documents, data, settings, media, archives and what
// programs make. Their number alone is reported.
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

// sourceFiles are endings of source code that need no look at the content.
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

// Unread counts the files that an analysis has seen and whose language no parser reads.
type Unread struct {
	// ByExtension has source files by the ends of their names in lower case (".zig"), and under "#!" scripts whose names
	// have none. Files with an ending that is not known count if the first of its kind is text.
	ByExtension map[string]int
	// Excluded has the files of languages that parsers read, but that Options.Languages leave out.
	Excluded map[string]int
	// Other is the number of all other files: documents, data, settings, media.
	Other int
}

// unread gathers an Unread from several goroutines.
type unread struct {
	mu     sync.Mutex
	counts Unread
	isText map[string]bool // by endings that are in neither set
}

// unreadable counts a file whose name no parser knows. named says that it tells a language all the same.
func (r *run) unreadable(ctx context.Context, e *security.WalkEntry, named bool) {
	u := &r.unknown
	ext := strings.ToLower(path.Ext(e.Name))
	word := strings.TrimPrefix(ext, ".")
	u.mu.Lock()
	defer u.mu.Unlock()
	source := named || sourceFiles[word]
	if !source && word != "" && !otherFiles[word] && ext != strings.ToLower(e.Name) {
		known := false
		if source, known = u.isText[ext]; !known {
			source = looksLikeText(ctx, e)
			u.isText[ext] = source
		}
	}
	if source {
		u.counts.ByExtension[ext]++
	} else {
		u.counts.Other++
	}
}

// scripts is the entry of Unread.ByExtension for scripts without an ending.
const scripts = "#!"

// nameless counts a file without an ending whose beginning names no language of a parser.
func (r *run) nameless(beginning []byte) {
	r.unknown.mu.Lock()
	defer r.unknown.mu.Unlock()
	if bytes.HasPrefix(beginning, []byte("#!")) {
		r.unknown.counts.ByExtension[scripts]++
	} else {
		r.unknown.counts.Other++
	}
}

// excluded counts a file whose language Options.Languages leave out.
func (r *run) excluded(name string) {
	r.unknown.mu.Lock()
	defer r.unknown.mu.Unlock()
	ext := strings.ToLower(path.Ext(name))
	if ext == "" {
		ext = scripts
	}
	r.unknown.counts.Excluded[ext]++
}

// looksLikeText says that the beginning of a file has no NUL.
func looksLikeText(ctx context.Context, e *security.WalkEntry) bool {
	var buf [512]byte
	content, err := e.ReadFile(ctx, buf[:0], len(buf)-1)
	if err != nil && security.CodeOf(err) != security.FileTooLarge {
		return false
	}
	return bytes.IndexByte(content, 0) < 0
}
