package serverinstall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
)

// Client is the program of an ecosystem that fetches and installs its packages.
type Client string

// The clients.
const (
	// NPM is npm. It installs the packages of a lock file and checks the sha512 of each one. No install script runs.
	NPM Client = "npm"
	// Go is the go command. The module must have a known hash; the module's own go.sum has the hashes of its dependencies.
	Go Client = "go"
	// Pip is pip in a virtual environment of its own. It installs wheels alone, and checks the sha256 of each one.
	Pip Client = "pip"
	// Rustup is rustup. It adds a component to the default toolchain, and checks the sha256 that the toolchain's manifest names.
	Rustup Client = "rustup"
	// Gem is RubyGems. It compares no checksums of this package, and runs code of the packages to compile extensions.
	Gem Client = "gem"
)

// Recipe describes how a pinned version of a language server is installed.
type Recipe struct {
	// Name identifies the recipe, and names its directory in the cache.
	Name string
	// Servers are the names of the language servers that it installs, as in headless.Server.
	Servers []string
	// Languages are the language identifiers of the Language Server Protocol.
	Languages []string
	// Client installs the server.
	Client Client
	// Package is the name of the package, module or component.
	Package string
	// Version is the version of Package. It is empty if a toolchain determines it.
	Version string
	// Programs are the names of the programs that it installs, without an extension of the operating system.
	Programs []string
	// Node is the oldest major version of Node.js that runs the server; 0 if any does, or none is needed.
	Node int
	// Unpinned is true if this package knows no checksums of the files that are fetched.
	Unpinned bool
	// Tested is true if a test of this repository installs the real package.
	Tested bool

	aliases []string // further names of the languages, as users type them
	sum     string   // hash of the module
	files   []byte   // lock file of npm, or requirements file of pip; nil is the embedded one with the name
}

// Check describes in one phrase how fetched files are checked.
func (r Recipe) Check() string {
	switch r.Client {
	case NPM:
		return "npm checks the sha512 of every package; no install script runs"
	case Go:
		return "the hash of the module is checked, and its go.sum has those of its dependencies; it is compiled without cgo"
	case Pip:
		return "pip checks the sha256 of every wheel; no setup script runs"
	case Rustup:
		return "rustup checks the sha256 in the manifest of the toolchain"
	}
	return "NOT PINNED: no checksum is known, and the packages run code of their own to compile extensions"
}

// Title returns the name with the version, if it is known.
func (r Recipe) Title() string { return strings.TrimSpace(r.Name + " " + r.Version) }

var (
	javaScript = []string{"typescript", "typescriptreact", "javascript", "javascriptreact"}
	web        = []string{"json", "jsonc", "css", "scss", "less", "html"}
)

// Recipes returns all recipes. The first recipe for a language is its default.
func Recipes() []Recipe {
	all := []Recipe{
		{Name: "pyright", Languages: []string{"python"}, Client: NPM, Package: "pyright", Version: "1.1.414", Programs: []string{"pyright-langserver", "pyright"}, aliases: []string{"py"}},
		{Name: "basedpyright", Languages: []string{"python"}, Client: NPM, Package: "basedpyright", Version: "1.40.1", Programs: []string{"basedpyright-langserver", "basedpyright"}},
		{Name: "ruff", Languages: []string{"python"}, Client: Pip, Package: "ruff", Version: "0.16.3", Programs: []string{"ruff"}},
		{Name: "typescript-language-server", Languages: javaScript, Client: NPM, Package: "typescript-language-server", Version: "5.3.0",
			Programs: []string{"typescript-language-server"}, Node: 20, aliases: []string{"ts", "js", "tsx", "jsx"}},
		{Name: "gopls", Languages: []string{"go", "go.mod", "go.work"}, Client: Go, Package: "golang.org/x/tools/gopls", Version: "v0.23.0", Programs: []string{"gopls"},
			sum: "h1:Dn6mf9WXu9iLnTftDDMb9wV0c6Se7PjzEMqP0LEe08Y="},
		{Name: "rust-analyzer", Languages: []string{"rust"}, Client: Rustup, Package: "rust-analyzer", Programs: []string{"rust-analyzer"}, aliases: []string{"rs"}},
		{Name: "ruby-lsp", Languages: []string{"ruby"}, Client: Gem, Package: "ruby-lsp", Version: "0.26.1", Programs: []string{"ruby-lsp"}, Unpinned: true, aliases: []string{"rb"}},
		{Name: "solargraph", Languages: []string{"ruby"}, Client: Gem, Package: "solargraph", Version: "0.54.0", Programs: []string{"solargraph"}, Unpinned: true},
		{Name: "intelephense", Languages: []string{"php"}, Client: NPM, Package: "intelephense", Version: "1.18.5", Programs: []string{"intelephense"}, Node: 20},
		{Name: "bash-language-server", Languages: []string{"shellscript"}, Client: NPM, Package: "bash-language-server", Version: "5.8.1",
			Programs: []string{"bash-language-server"}, Node: 20, aliases: []string{"bash", "sh", "shell"}},
		{Name: "yaml-language-server", Languages: []string{"yaml"}, Client: NPM, Package: "yaml-language-server", Version: "1.25.0",
			Programs: []string{"yaml-language-server"}, Tested: true, aliases: []string{"yml"}},
		{Name: "vscode-langservers-extracted", Servers: []string{"json", "css", "html"}, Languages: web, Client: NPM, Package: "vscode-langservers-extracted", Version: "4.10.0",
			Programs: []string{"vscode-json-language-server", "vscode-css-language-server", "vscode-html-language-server"}, Node: 18},
		{Name: "svelte", Languages: []string{"svelte"}, Client: NPM, Package: "svelte-language-server", Version: "0.18.4", Programs: []string{"svelteserver"}, Node: 18},
		{Name: "vue", Languages: []string{"vue"}, Client: NPM, Package: "@vue/language-server", Version: "2.2.12", Programs: []string{"vue-language-server"}},
		{Name: "astro", Languages: []string{"astro"}, Client: NPM, Package: "@astrojs/language-server", Version: "2.17.1", Programs: []string{"astro-ls"}, Node: 20},
		{Name: "dockerfile", Languages: []string{"dockerfile"}, Client: NPM, Package: "dockerfile-language-server-nodejs", Version: "0.15.0", Programs: []string{"docker-langserver"}, aliases: []string{"docker"}},
		{Name: "prisma", Languages: []string{"prisma"}, Client: NPM, Package: "@prisma/language-server", Version: "31.12.10", Programs: []string{"prisma-language-server"}, Node: 20},
		{Name: "elm-language-server", Languages: []string{"elm"}, Client: NPM, Package: "@elm-tooling/elm-language-server", Version: "2.8.0", Programs: []string{"elm-language-server"}, Node: 16},
		{Name: "terraform-ls", Languages: []string{"terraform", "terraform-vars"}, Client: Go, Package: "github.com/hashicorp/terraform-ls", Version: "v0.39.1", Programs: []string{"terraform-ls"},
			sum: "h1:IDba5UMs6sgP/7hzr5B/avN2weEgtJ1Mv0xb224crvA=", aliases: []string{"tf"}},
	}
	for i := range all {
		if all[i].Servers == nil {
			all[i].Servers = []string{all[i].Name}
		}
	}
	return all
}

// Find returns the recipe with a name, of a server, or for a language. For a language it is the first one of Recipes.
func Find(name string) (Recipe, error) {
	all := Recipes()
	for _, matches := range []func(Recipe) bool{
		func(r Recipe) bool { return r.Name == name },
		func(r Recipe) bool { return slices.Contains(r.Servers, name) },
		func(r Recipe) bool { return slices.Contains(r.Languages, name) || slices.Contains(r.aliases, name) },
	} {
		if i := slices.IndexFunc(all, matches); i >= 0 {
			return all[i], nil
		}
	}
	var known []string
	for _, r := range all {
		known = slices.Concat(known, []string{r.Name}, r.Servers, r.Languages, r.aliases)
	}
	if near := nearest.Name(name, known); near != "" {
		return Recipe{}, fmt.Errorf("no server is known for %.100q; did you mean %q?", name, near)
	}
	return Recipe{}, fmt.Errorf("no server is known for %.100q", name)
}
