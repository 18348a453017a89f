package headless

import (
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/internal/installed"
)

// DefaultServers returns the catalogue: the language servers that are known by default. For a language with several entries, the first
// installed one is used, because the others have Fallback.
func DefaultServers() []Server {
	all := slices.Concat(goServers(), typescriptServers(), pythonServers(), nativeServers(), jvmServers(), swiftServers(), dotnetServers(), scriptServers(),
		dataServers(), webServers(), infrastructureServers(), otherServers(), statisticsServers(), documentServers())
	for i := range all {
		all[i].partial = !all[i].Tested
	}
	return all
}

func npmInstall(packages string) string { return "npm install -g " + packages }

func typescriptMarkers() []string { return []string{"tsconfig.json", "jsconfig.json", "package.json"} }

// goServers returns the servers for Go.
func goServers() []Server {
	return []Server{{
		Name:        "gopls",
		Languages:   []string{"go", "go.mod", "go.work"},
		Command:     "gopls",
		RootMarkers: []string{"go.work", "go.mod"},
		Dialect:     Gopls,
		InitOptions: map[string]any{"verboseWorkDoneProgress": true, "diagnosticsDelay": "0s", "pullDiagnostics": true, "telemetryPrompt": false},
		Install:     "go install golang.org/x/tools/gopls@latest",
		Tested:      true,
	}}
}

// typescriptServers returns the servers for TypeScript and JavaScript.
func typescriptServers() []Server {
	languages := []string{"typescript", "typescriptreact", "javascript", "javascriptreact"}
	return []Server{{
		Name:        "typescript-language-server",
		Languages:   languages,
		Command:     "typescript-language-server",
		Args:        []string{"--stdio"},
		RootMarkers: typescriptMarkers(),
		Dialect:     TSServer,
		// Its second server analyses single files. It would return incomplete results while the first one reads the project.
		InitOptions: map[string]any{
			"disableAutomaticTypingAcquisition": true,
			"supportsMoveToFileCodeAction":      true,
			"tsserver":                          map[string]any{"useSyntaxServer": "never", "useClientFileWatcher": true},
		},
		Install: npmInstall("typescript-language-server typescript@5"),
		Tested:  true,
	}, {
		Name:        "tsc",
		Languages:   languages,
		Command:     "tsc",
		Args:        []string{"--lsp", "--stdio"},
		RootMarkers: typescriptMarkers(),
		Dialect:     NativeTypeScript,
		Fallback:    true,
		Install:     npmInstall("typescript@7"),
		Tested:      true,
	}}
}

// pythonServers returns the servers for Python.
func pythonServers() []Server {
	pythonMarkers := []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg"}
	// The level of the log makes Pyright say that it has listed the source files.
	settings := map[string]any{"logLevel": "Information", "diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true}
	return []Server{{
		Name:        "pyright",
		Languages:   []string{"python"},
		Command:     "pyright-langserver",
		Args:        []string{"--stdio"},
		Dialect:     Pyright,
		RootMarkers: pythonMarkers,
		Settings:    map[string]any{"python.analysis": settings},
		Install:     npmInstall("pyright"),
		Tested:      true,
		bundles:     []installed.Bundle{{Extension: "ms-pyright.pyright", Program: "dist/server.js", Interpreter: "node"}},
	}, {
		Name:        "basedpyright",
		Languages:   []string{"python"},
		Command:     "basedpyright-langserver",
		Args:        []string{"--stdio"},
		Dialect:     Pyright,
		RootMarkers: pythonMarkers,
		Fallback:    true,
		Settings:    map[string]any{"basedpyright.analysis": settings},
		Install:     npmInstall("basedpyright"),
		Tested:      true,
		bundles:     []installed.Bundle{{Extension: "detachhead.basedpyright", Program: "dist/server.js", Interpreter: "node"}},
	}, {
		Name:        "ruff",
		Languages:   []string{"python"},
		Command:     "ruff",
		Args:        []string{"server"},
		RootMarkers: append([]string{"ruff.toml", ".ruff.toml"}, pythonMarkers...),
		Fallback:    true,
		Install:     "pipx install ruff",
		checksOnly:  "lint rules, no types",
		bundles:     []installed.Bundle{{Extension: "charliermarsh.ruff", Program: "bundled/libs/bin/ruff"}},
	}}
}

// nativeServers returns the servers for C, C++, Objective-C and Rust.
func nativeServers() []Server {
	var versions []string // Debian's packages of single versions
	for version := 22; version > 13; version-- {
		versions = append(versions, fmt.Sprintf("clangd-%d", version))
	}
	return []Server{{
		Name:          "clangd",
		Languages:     []string{"c", "cpp", "objective-c", "objective-cpp"},
		Command:       "clangd",
		otherCommands: versions,
		Args:          []string{"--background-index", "--log=error"},
		RootMarkers:   []string{"compile_commands.json", "compile_flags.txt", ".clangd"},
		Writes:        []string{".cache/clangd"},
		Index:         "compile_commands.json",
		IndexHint:     "Make it with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson, or bear -- make.",
		Install:       "install clangd with the package manager of the system",
		Tested:        true,
		bundles:       []installed.Bundle{{Extension: "llvm-vs-code-extensions.vscode-clangd", Program: "install/*/clangd_*/bin/clangd", Stored: true}},
	}, {
		Name:        "rust-analyzer",
		Languages:   []string{"rust"},
		Command:     "rust-analyzer",
		RootMarkers: []string{"Cargo.toml"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "rustup component add rust-analyzer",
		bundles:     []installed.Bundle{{Extension: "rust-lang.rust-analyzer", Program: "server/rust-analyzer"}},
	}}
}

// jvmServers returns the servers for Java and Kotlin.
func jvmServers() []Server {
	jvmMarkers := []string{"settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts", "pom.xml"}
	return []Server{{
		Name:        "jdtls",
		Languages:   []string{"java"},
		Command:     "jdtls",
		RootMarkers: jvmMarkers,
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "brew install jdtls, or the extension redhat.java of VS Code",
		bundles:     []installed.Bundle{{Extension: "redhat.java", Launch: launchJDTLS}},
	}, {
		Name:        "kotlin-lsp",
		Languages:   []string{"kotlin"},
		Command:     "kotlin-lsp",
		Args:        []string{"--stdio"},
		RunsProject: true,
		Writes:      []string{"."},
		RootMarkers: jvmMarkers,
		Install:     "https://github.com/Kotlin/kotlin-lsp",
	}, {
		Name:        "kotlin-language-server",
		Languages:   []string{"kotlin"},
		Command:     "kotlin-language-server",
		RunsProject: true,
		Writes:      []string{"."},
		RootMarkers: jvmMarkers,
		Fallback:    true,
		Install:     "https://github.com/fwcd/kotlin-language-server",
	}}
}

// swiftServers returns the servers for Swift.
func swiftServers() []Server {
	return []Server{{
		Name:        "sourcekit-lsp",
		Languages:   []string{"swift"},
		Command:     "sourcekit-lsp",
		RootMarkers: []string{"Package.swift"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "it comes with Swift: https://swift.org/install",
	}}
}

// dotnetServers returns the servers for C#.
func dotnetServers() []Server {
	dotnetMarkers := []string{"global.json", "Directory.Build.props"}
	return []Server{{
		Name:          "roslyn",
		Languages:     []string{"csharp"},
		Command:       "roslyn-language-server",
		Args:          []string{"--stdio"},
		otherCommands: []string{"Microsoft.CodeAnalysis.LanguageServer"},
		RootMarkers:   dotnetMarkers,
		RunsProject:   true,
		Writes:        []string{"."},
		Install:       "dotnet tool install -g roslyn-language-server --prerelease",
	}, {
		Name:        "csharp-ls",
		Languages:   []string{"csharp"},
		Command:     "csharp-ls",
		RootMarkers: dotnetMarkers,
		RunsProject: true,
		Writes:      []string{"."},
		Fallback:    true,
		Install:     "dotnet tool install -g csharp-ls",
	}, {
		Name:          "omnisharp",
		Languages:     []string{"csharp"},
		Command:       "OmniSharp",
		Args:          []string{"-lsp"},
		otherCommands: []string{"omnisharp"},
		RootMarkers:   dotnetMarkers,
		RunsProject:   true,
		Writes:        []string{"."},
		Fallback:      true,
		Install:       "https://github.com/OmniSharp/omnisharp-roslyn",
	}}
}

// scriptServers returns the servers for Ruby, PHP, Lua and shell scripts.
func scriptServers() []Server {
	return []Server{{
		Name:        "ruby-lsp",
		Languages:   []string{"ruby"},
		Command:     "ruby-lsp",
		RootMarkers: []string{"Gemfile"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "gem install ruby-lsp",
		checksOnly:  "syntax and lint rules, no names",
	}, {
		Name:        "solargraph",
		Languages:   []string{"ruby"},
		Command:     "solargraph",
		Args:        []string{"stdio"},
		RootMarkers: []string{"Gemfile", ".solargraph.yml"},
		RunsProject: true,
		Fallback:    true,
		Install:     "gem install solargraph",
	}, {
		Name:        "intelephense",
		Languages:   []string{"php"},
		Command:     "intelephense",
		Args:        []string{"--stdio"},
		RootMarkers: []string{"composer.json"},
		Settings:    map[string]any{"intelephense.telemetry": map[string]any{"enabled": false}},
		Install:     npmInstall("intelephense"),
		Tested:      true,
		bundles:     []installed.Bundle{{Extension: "bmewburn.vscode-intelephense-client", Program: "node_modules/intelephense/lib/intelephense.js", Interpreter: "node"}},
	}, {
		Name:        "phpactor",
		Languages:   []string{"php"},
		Command:     "phpactor",
		Args:        []string{"language-server"},
		RootMarkers: []string{"composer.json", ".phpactor.json"},
		RunsProject: true,
		Fallback:    true,
		Install:     "https://phpactor.readthedocs.io",
	}, {
		// A plug-in that .luarc.json names runs in the server.
		Name:        "lua-language-server",
		Languages:   []string{"lua"},
		Command:     "lua-language-server",
		RootMarkers: []string{".luarc.json", ".luarc.jsonc"},
		RunsProject: true,
		Install:     "install lua-language-server with the package manager of the system",
		bundles:     []installed.Bundle{{Extension: "sumneko.lua", Program: "server/bin/lua-language-server"}},
	}, {
		Name:            "bash-language-server",
		Languages:       []string{"shellscript"},
		Command:         "bash-language-server",
		Args:            []string{"start"},
		Install:         npmInstall("bash-language-server") + ", and shellcheck",
		Settings:        map[string]any{"bashIde": map[string]any{"backgroundAnalysisMaxFiles": 500, "enableSourceErrorDiagnostics": false}},
		Optional:        true,
		Tested:          true,
		requiredProgram: "shellcheck",
		checksOnly:      "shellcheck",
	}}
}

// dataServers returns the servers for YAML and JSON.
func dataServers() []Server {
	return []Server{{
		Name:      "yaml-language-server",
		Languages: []string{"yaml"},
		Command:   "yaml-language-server",
		Args:      []string{"--stdio"},
		Install:   npmInstall("yaml-language-server"),
		Optional:  true,
		Tested:    true,
		Settings: map[string]any{
			"yaml":             map[string]any{"validate": true, "keyOrdering": false},
			"redhat.telemetry": map[string]any{"enabled": false},
		},
		checksOnly: "syntax and schemas",
		bundles:    []installed.Bundle{{Extension: "redhat.vscode-yaml", Program: "dist/languageserver.js", Interpreter: "node"}},
	}, {
		Name:        "json",
		Languages:   []string{"json", "jsonc"},
		Command:     "vscode-json-language-server",
		Args:        []string{"--stdio"},
		Install:     npmInstall("vscode-langservers-extracted"),
		Optional:    true,
		Tested:      true,
		InitOptions: map[string]any{"provideFormatter": true, "handledSchemaProtocols": []string{"file"}},
		Settings: map[string]any{
			"json": map[string]any{"validate": map[string]any{"enable": true}, "schemaDownload": map[string]any{"enable": false}},
		},
		checksOnly: "syntax and schemas",
	}}
}

// webServers returns the servers for styles, HTML and languages that contain it.
func webServers() []Server {
	return []Server{{
		Name:        "css",
		Languages:   []string{"css", "scss", "less"},
		Command:     "vscode-css-language-server",
		Args:        []string{"--stdio"},
		Install:     npmInstall("vscode-langservers-extracted"),
		Optional:    true,
		Tested:      true,
		InitOptions: map[string]any{"provideFormatter": true},
		Settings: map[string]any{
			"css":  map[string]any{"validate": true},
			"scss": map[string]any{"validate": true},
			"less": map[string]any{"validate": true},
		},
	}, {
		Name:        "html",
		Languages:   []string{"html"},
		Command:     "vscode-html-language-server",
		Args:        []string{"--stdio"},
		Install:     npmInstall("vscode-langservers-extracted"),
		Optional:    true,
		Tested:      true,
		InitOptions: map[string]any{"provideFormatter": true, "embeddedLanguages": map[string]any{"css": true, "javascript": true}},
		Settings: map[string]any{
			"html":       map[string]any{"validate": map[string]any{"scripts": true, "styles": true}},
			"css":        map[string]any{"validate": true},
			"javascript": map[string]any{"validate": map[string]any{"enable": true}},
		},
		checksOnly: "the scripts and styles in it",
	}, {
		// Without isTrusted the server loads neither svelte.config.js nor packages of the project.
		Name:        "svelte",
		Languages:   []string{"svelte"},
		Command:     "svelteserver",
		Args:        []string{"--stdio"},
		RootMarkers: typescriptMarkers(),
		Install:     npmInstall("svelte-language-server"),
		Tested:      true,
		InitOptions: map[string]any{"isTrusted": false},
		bundles:     []installed.Bundle{{Extension: "svelte.svelte-vscode", Program: "node_modules/svelte-language-server/bin/server.js", Interpreter: "node"}},
	}, {
		// A plug-in that vueCompilerOptions of tsconfig.json names runs in the server. Version 3 leaves TypeScript to the editor.
		Name:              "vue",
		Languages:         []string{"vue"},
		Command:           "vue-language-server",
		Args:              []string{"--stdio"},
		RootMarkers:       typescriptMarkers(),
		RunsProject:       true,
		needsTypeScript:   true,
		pullsDiagnostics:  true,
		belowMajorVersion: 3,
		Install:           npmInstall("@vue/language-server@2 typescript@5"),
		Tested:            true,
	}, {
		Name:             "astro",
		Languages:        []string{"astro"},
		Command:          "astro-ls",
		Args:             []string{"--stdio"},
		RootMarkers:      typescriptMarkers(),
		RunsProject:      true,
		needsTypeScript:  true,
		pullsDiagnostics: true,
		Install:          npmInstall("@astrojs/language-server typescript@5"),
	}}
}

// infrastructureServers returns the servers for languages that describe containers, interfaces, databases and machines.
func infrastructureServers() []Server {
	return []Server{{
		Name:       "dockerfile",
		Languages:  []string{"dockerfile"},
		Command:    "docker-langserver",
		Args:       []string{"--stdio"},
		Optional:   true,
		Install:    npmInstall("dockerfile-language-server-nodejs"),
		Tested:     true,
		checksOnly: "syntax",
	}, {
		Name:        "graphql",
		Languages:   []string{"graphql"},
		Command:     "graphql-lsp",
		Args:        []string{"server", "-m", "stream"},
		Optional:    true,
		RootMarkers: []string{".graphqlrc", ".graphqlrc.yml", ".graphqlrc.json", "graphql.config.js", "graphql.config.ts"},
		RunsProject: true,
		Install:     npmInstall("graphql-language-service-cli graphql"),
	}, {
		// The server runs prisma.config.ts.
		Name:        "prisma",
		Languages:   []string{"prisma"},
		Command:     "prisma-language-server",
		Args:        []string{"--stdio"},
		RunsProject: true,
		Install:     npmInstall("@prisma/language-server"),
		Tested:      true,
		Settings:    map[string]any{"prisma": map[string]any{"enableDiagnostics": true}}, // without them the server ends
	}, {
		// Providers in .terraform are programs, which the server starts for their schemas.
		Name:        "terraform-ls",
		Languages:   []string{"terraform", "terraform-vars"},
		Command:     "terraform-ls",
		Args:        []string{"serve"},
		RootMarkers: []string{".terraform.lock.hcl"},
		RunsProject: true,
		Install:     "go install github.com/hashicorp/terraform-ls@latest",
		bundles:     []installed.Bundle{{Extension: "hashicorp.terraform", Program: "bin/terraform-ls"}},
	}}
}

// otherServers returns the servers for languages with their own ecosystems, from Zig to Perl.
func otherServers() []Server {
	return []Server{{
		Name:        "zls",
		Languages:   []string{"zig"},
		Command:     "zls",
		RootMarkers: []string{"build.zig"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "https://github.com/zigtools/zls",
		bundles:     []installed.Bundle{{Extension: "ziglang.vscode-zig", Program: "zls/*/zls", Stored: true}},
	}, {
		Name:        "expert",
		Languages:   []string{"elixir"},
		Command:     "expert",
		Args:        []string{"--stdio"},
		RootMarkers: []string{"mix.exs"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "https://github.com/elixir-lang/expert",
	}, {
		Name:          "elixir-ls",
		Languages:     []string{"elixir"},
		Command:       "elixir-ls",
		otherCommands: []string{"language_server.sh"},
		RootMarkers:   []string{"mix.exs"},
		RunsProject:   true,
		Writes:        []string{"."},
		Fallback:      true,
		Install:       "https://github.com/elixir-lsp/elixir-ls",
		bundles:       []installed.Bundle{{Extension: "jakebecker.elixir-ls", Program: "elixir-ls-release/language_server.sh"}},
	}, {
		Name:        "dart",
		Languages:   []string{"dart"},
		Command:     "dart",
		Args:        []string{"language-server", "--protocol=lsp"},
		RootMarkers: []string{"pubspec.yaml"},
		RunsProject: true,
		Install:     "it comes with Dart: https://dart.dev/get-dart",
	}, {
		Name:        "metals",
		Languages:   []string{"scala"},
		Command:     "metals",
		RootMarkers: []string{"build.sbt", "build.sc", "build.mill"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "coursier install metals",
	}, {
		Name:          "haskell-language-server",
		Languages:     []string{"haskell"},
		Command:       "haskell-language-server-wrapper",
		Args:          []string{"--lsp"},
		otherCommands: []string{"haskell-language-server"},
		RootMarkers:   []string{"cabal.project", "stack.yaml", "hie.yaml"},
		RunsProject:   true,
		Writes:        []string{"."},
		Install:       "ghcup install hls",
	}, {
		Name:        "ocamllsp",
		Languages:   []string{"ocaml"},
		Command:     "ocamllsp",
		RootMarkers: []string{"dune-project"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "opam install ocaml-lsp-server",
	}, {
		Name:        "nixd",
		Languages:   []string{"nix"},
		Command:     "nixd",
		RootMarkers: []string{"flake.nix"},
		RunsProject: true,
		Install:     "nix profile install nixpkgs#nixd",
	}, {
		Name:        "nil",
		Languages:   []string{"nix"},
		Command:     "nil",
		RootMarkers: []string{"flake.nix"},
		RunsProject: true,
		Fallback:    true,
		Install:     "nix profile install nixpkgs#nil",
	}, {
		Name:        "gleam",
		Languages:   []string{"gleam"},
		Command:     "gleam",
		Args:        []string{"lsp"},
		RootMarkers: []string{"gleam.toml"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     "https://gleam.run/install",
	}, {
		Name:        "elm-language-server",
		Languages:   []string{"elm"},
		Command:     "elm-language-server",
		RootMarkers: []string{"elm.json"},
		RunsProject: true,
		Writes:      []string{"."},
		Install:     npmInstall("@elm-tooling/elm-language-server elm"),
	}, {
		Name:        "perlnavigator",
		Languages:   []string{"perl"},
		Command:     "perlnavigator",
		Args:        []string{"--stdio"},
		RunsProject: true,
		Install:     "https://github.com/bscan/PerlNavigator",
		bundles:     []installed.Bundle{{Extension: "bscan.perlnavigator", Program: "server/out/server.js", Interpreter: "node"}},
	}}
}

// statisticsServers returns the servers for R and Julia.
func statisticsServers() []Server {
	return []Server{{
		// R runs .Rprofile of its working directory unless --no-init-file is given.
		Name:        "r-languageserver",
		Languages:   []string{"r"},
		Command:     "R",
		Args:        []string{"--no-echo", "--no-init-file", "-e", "languageserver::run()"},
		RunsProject: true,
		Install:     `R -e 'install.packages("languageserver")'`,
		checksOnly:  "lint rules",
		parts: []string{
			"$R_LIBS_USER/languageserver",
			"~/R/*/*/languageserver",
			"/usr/lib/R/site-library/languageserver",
			"/usr/local/lib/R/site-library/languageserver",
			"/usr/lib/R/library/languageserver",
			"~/Library/R/*/*/library/languageserver",
			"/Library/Frameworks/R.framework/Resources/library/languageserver",
			"$LOCALAPPDATA/R/win-library/*/languageserver",
		},
	}, {
		Name:        "julia",
		Languages:   []string{"julia"},
		Command:     "julia",
		Args:        []string{"--startup-file=no", "--history-file=no", "-e", "using LanguageServer; runserver()"},
		RootMarkers: []string{"Project.toml"},
		RunsProject: true,
		Install:     `julia -e 'using Pkg; Pkg.add("LanguageServer")'`,
		parts:       []string{"$JULIA_DEPOT_PATH/packages/LanguageServer/*", "~/.julia/packages/LanguageServer/*"},
	}}
}

// documentServers returns the servers for Typst, Markdown and TOML.
func documentServers() []Server {
	return []Server{{
		Name:        "tinymist",
		Languages:   []string{"typst"},
		Command:     "tinymist",
		Args:        []string{"lsp"},
		RootMarkers: []string{"typst.toml"},
		Install:     "https://github.com/Myriad-Dreamin/tinymist",
		bundles:     []installed.Bundle{{Extension: "myriad-dreamin.tinymist", Program: "out/tinymist"}},
	}, {
		Name:        "marksman",
		Languages:   []string{"markdown"},
		Command:     "marksman",
		Args:        []string{"server"},
		RootMarkers: []string{".marksman.toml"},
		Optional:    true,
		Install:     "https://github.com/artempyanykh/marksman",
		checksOnly:  "links",
	}, {
		Name:       "taplo",
		Languages:  []string{"toml"},
		Command:    "taplo",
		Args:       []string{"lsp", "stdio"},
		Optional:   true,
		Install:    "cargo install taplo-cli --features lsp",
		notServer:  "node_modules/@taplo/cli",
		checksOnly: "syntax and schemas",
	}}
}
