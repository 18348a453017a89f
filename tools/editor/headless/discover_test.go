package headless_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// script makes a program at a path that becomes the scripted server.
func script(t testing.TB, path string) {
	t.Helper()
	testrequire.Thing(t, runtime.GOOS != "windows", "a shell for a script", "run the test on Linux or macOS")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec '"+testBinary(t)+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// emptyHome gives the process a home directory without programs, and a PATH with a shell alone.
func emptyHome(t *testing.T) (home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(value, "/") && name != "PATH" && name != "TMPDIR" && !strings.HasPrefix(name, "DOUGU_") && name != "GOCACHE" && name != "GOCOVERDIR" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", filepath.Join(home, "empty"))
	return home
}

var discovered = headless.Server{Name: "fake", Languages: []string{"go"}, Command: "fake-server", RootMarkers: []string{"go.mod"}, Install: "get it"}

// The server in the project starts only if the project is trusted, also from a directory above the folder.
func TestServer_InProject(t *testing.T) {
	for _, place := range []string{"node_modules/.bin", "sub/node_modules/.bin", ".venv/bin", "venv/bin", "env/bin", "vendor/bin", "bin"} {
		for _, trust := range []bool{false, true} {
			emptyHome(t)
			p := open(t, "-- sub/go.mod --\nmodule m\n-- sub/a.go --\npackage m\n-- Gemfile --\n", headless.Options{
				Servers: []headless.Server{discovered}, Formatters: []headless.Formatter{}, TrustProject: trust, TrustFlag: "-trust-project",
				Env: lsptest.Script{Answers: map[string]string{"textDocument/diagnostic": `{"items":[]}`}}.Env(),
			})
			script(t, p.path(place+"/fake-server"))
			d, err := p.Diagnose(long(t), []string{p.path("sub/a.go")})
			c := p.checkOf(d, "sub/a.go")
			if trust && c.State != adapter.Checked || !trust && (c.State != adapter.Unchecked || c.Reason != "fake is installed only in the project, which is not trusted" || !strings.Contains(c.Next, "-trust-project")) || err != nil {
				t.Errorf("%s, trusted %v: %+v, %v", place, trust, c, err)
			}
			languages, err := p.Languages(t.Context(), false)
			want := map[bool]headless.Availability{false: headless.Untrusted, true: headless.Found}[trust]
			if s := languages[0].Servers[0]; err != nil || s.Availability != want || s.Program != p.path(place+"/fake-server") || s.Origin != "project" {
				t.Errorf("%s, trusted %v: %+v, %v", place, trust, languages, err)
			}
		}
	}
}

// A server in the user's home directory is found without PATH, before one of the project that is not trusted.
func TestServer_InHome(t *testing.T) {
	home := emptyHome(t)
	script(t, filepath.Join(home, "go/bin/fake-server"))
	p := open(t, fakeProject, headless.Options{Servers: []headless.Server{discovered}, Formatters: []headless.Formatter{}, Env: lsptest.Script{Answers: map[string]string{"textDocument/diagnostic": `{"items":[]}`}}.Env()})
	script(t, p.path("node_modules/.bin/fake-server"))
	d, err := p.Diagnose(long(t), []string{p.path("a.go")})
	if c := p.checkOf(d, "a.go"); err != nil || c.State != adapter.Checked {
		t.Errorf("%+v, %v", c, err)
	}
	languages, err := p.Languages(t.Context(), true)
	if err != nil || len(languages) != 1 {
		t.Fatalf("%+v, %v", languages, err)
	}
	if s, ok := languages[0].Available(); !ok || s.Origin != "go" || s.Program != filepath.Join(home, "go/bin/fake-server") {
		t.Errorf("%+v", languages)
	}
}

func TestLanguages_Missing(t *testing.T) {
	emptyHome(t)
	servers := headless.DefaultServers()
	o := headless.Options{Servers: servers, Formatters: []headless.Formatter{}, InstallCommand: func(server string) string {
		if server == "pyright" {
			return "program install-server python"
		}
		return ""
	}}
	p := open(t, "-- a.py --\npass\n-- a.json --\n{}\n-- a.kt --\nval x = 1\n-- Dockerfile --\nFROM x\n", o)
	languages, err := p.Languages(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range languages {
		got = append(got, l.Language)
		if _, ok := l.Available(); ok || l.Optional != (l.Language == "json" || l.Language == "dockerfile") {
			t.Errorf("%+v", l)
		}
	}
	same(t, "languages", got, []string{"dockerfile", "json", "kotlin", "python"})
	for path, want := range map[string][2]string{
		"a.py":   {"pyright is not installed", "Ask the user to install it with program install-server python."},
		"a.kt":   {"kotlin-lsp is not installed", "Install it (https://github.com/Kotlin/kotlin-lsp)."},
		"a.json": {}, "a.none": {},
	} {
		if reason, next := p.WhyUnchecked(p.path(path)); reason != want[0] || next != want[1] {
			t.Errorf("%s: %q, %q", path, reason, next)
		}
	}
	all, err := p.Languages(t.Context(), true)
	if err != nil || len(all) < 25 {
		t.Errorf("%d languages, %v", len(all), err)
	}
	d, err := p.Diagnose(long(t), nil)
	if err != nil || len(d.Checks) != 2 {
		t.Errorf("optional servers are reported: %+v, %v", d.Checks, err)
	}
}

// Servers that lack another program, or whose version cannot be used, say so.
func TestLanguages_Unusable(t *testing.T) {
	home := emptyHome(t)
	script(t, filepath.Join(home, ".local/bin/bash-language-server"))
	vue := filepath.Join(home, ".npm-global/lib/node_modules/@vue/language-server")
	script(t, filepath.Join(vue, "bin/vue-language-server"))
	if err := os.WriteFile(filepath.Join(vue, "package.json"), []byte(`{"name":"@vue/language-server","version":"3.1.0"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, ".npm-global/bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../lib/node_modules/@vue/language-server/bin/vue-language-server", filepath.Join(home, ".npm-global/bin/vue-language-server")); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(home, ".npm-global/lib/node_modules/@taplo/cli/dist/cli.js"))
	if err := os.Symlink("../lib/node_modules/@taplo/cli/dist/cli.js", filepath.Join(home, ".npm-global/bin/taplo")); err != nil {
		t.Fatal(err)
	}
	files := "-- a.sh --\ntrue\n-- A.vue --\n<template/>\n-- a.toml --\na = 1\n"
	p := open(t, files, headless.Options{Formatters: []headless.Formatter{}, TrustProject: true})
	expect := func(p *project, want map[string]string) {
		t.Helper()
		want["toml"] = "unusable: " + filepath.Join(home, ".npm-global/bin/taplo") + " is the one of npm, which is built without a language server"
		languages, err := p.Languages(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range languages {
			s := l.Problem()
			if text := string(s.Availability) + ": " + s.Reason; text != want[l.Language] {
				t.Errorf("%s: %s, want %s", l.Language, text, want[l.Language])
			}
		}
	}
	expect(p, map[string]string{
		"shellscript": "unusable: bash-language-server finds errors only with shellcheck, which is not installed",
		"vue":         "unusable: vue 3.1.0 cannot be used without an editor",
	})
	if err := os.WriteFile(filepath.Join(vue, "package.json"), []byte(`{"name":"@vue/language-server","version":"2.2.0"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	script(t, filepath.Join(home, ".local/bin/shellcheck"))
	p = open(t, files, headless.Options{Formatters: []headless.Formatter{}, TrustProject: true})
	expect(p, map[string]string{"shellscript": "found: ", "vue": "unusable: vue needs a TypeScript before version 7, and finds none beside it or beside tsc"})
	p.write("node_modules/typescript/lib/tsserver.js", "x")
	expect(p, map[string]string{"shellscript": "found: ", "vue": "found: "})
	p = open(t, files, headless.Options{Formatters: []headless.Formatter{}})
	expect(p, map[string]string{"shellscript": "found: ", "vue": "untrusted: vue runs code of the project, which is not trusted"})
}

// A server that is a package of its interpreter counts as installed with the package.
func TestLanguages_Parts(t *testing.T) {
	home := emptyHome(t)
	script(t, filepath.Join(home, ".juliaup/bin/julia"))
	for _, want := range []headless.Availability{headless.Missing, headless.Found} {
		p := open(t, "-- a.jl --\nx = 1\n", headless.Options{Formatters: []headless.Formatter{}, TrustProject: true})
		languages, err := p.Languages(t.Context(), false)
		if err != nil || len(languages) != 1 || languages[0].Servers[0].Availability != want {
			t.Errorf("%+v, %v, want %s", languages, err, want)
		}
		script(t, filepath.Join(home, ".julia/packages/LanguageServer/x1y2/src/LanguageServer.jl"))
	}
}

func TestLaunchJDTLS(t *testing.T) {
	home := emptyHome(t)
	script(t, filepath.Join(home, ".vscode/extensions/redhat.java-1.40.0-linux-x64/jre/21.0.5-linux-x86_64/bin/java"))
	p := open(t, "-- A.java --\nclass A {}\n", headless.Options{Formatters: []headless.Formatter{}, TrustProject: true})
	state := func() headless.ServerState {
		languages, err := p.Languages(t.Context(), false)
		if err != nil || len(languages) != 1 {
			t.Fatalf("%+v, %v", languages, err)
		}
		return languages[0].Servers[0]
	}
	if s := state(); s.Availability != headless.Missing {
		t.Errorf("without the server: %+v", s)
	}
	server := filepath.Join(home, ".vscode/extensions/redhat.java-1.40.0-linux-x64/server")
	script(t, filepath.Join(server, "plugins/org.eclipse.equinox.launcher_1.6.900.jar"))
	for _, configuration := range []string{"config_linux", "config_mac"} {
		if err := os.MkdirAll(filepath.Join(server, configuration), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if s := state(); s.Availability != headless.Found || s.Origin != "VS Code" || s.Version != "1.40.0" {
		t.Errorf("%+v", s)
	}
	args := headless.ExpandData([]string{"-data", "{data}", "x"}, "jdtls", p.dir)
	if other := headless.ExpandData([]string{"{data}"}, "jdtls", home); !strings.HasPrefix(args[1], home) || args[1] == other[0] || args[2] != "x" {
		t.Errorf("%q, %q", args, other)
	}
}

// Names, commands and languages of the catalogue are complete and unambiguous.
func TestDefaultServers(t *testing.T) {
	names := make(map[string]bool)
	languages := make(map[string]bool)
	first := make(map[string]bool) // languages with a server before
	for _, s := range headless.DefaultServers() {
		if s.Name == "" || names[s.Name] || s.Command == "" || s.Install == "" || len(s.Languages) == 0 {
			t.Errorf("the entry %q is incomplete or not unique", s.Name)
		}
		names[s.Name] = true
		for _, l := range s.Languages {
			if languages[l] = true; first[l] && !s.Fallback {
				t.Errorf("%s is a second server for %s without Fallback", s.Name, l)
			}
			first[l] = true
		}
	}
	if len(names) < 39 || len(languages) < 25 {
		t.Errorf("%d servers for %d languages", len(names), len(languages))
	}
	var unknown []string
	for _, path := range []string{"a.svelte", "a.astro", "a.tf", "a.ex", "a.hs", "a.ml", "a.nix", "a.gleam", "a.elm", "a.pl", "a.R", "a.jl", "a.typ", "a.graphql", "a.prisma", "Dockerfile", "Gemfile", "a.zig", "a.scala", "a.dart", "a.cs"} {
		if !languages[headless.LanguageOf(path)] {
			unknown = append(unknown, path)
		}
	}
	if slices.Sort(unknown); len(unknown) > 0 {
		t.Errorf("no server for %q", unknown)
	}
}

// A server that publishes several times for one version is taken at its last word.
func TestDiagnose_PartialPublications(t *testing.T) {
	publish := func(items string) string {
		return `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"$ROOT/a.go","version":"$VERSION","diagnostics":[` + items + `]}}`
	}
	p := fake(t, lsptest.Script{Capabilities: []byte(`{}`), Sends: map[string][]string{"textDocument/didOpen": {
		publish(""), publish(`{"range":{"start":{"line":2,"character":4},"end":{"line":2,"character":5}},"severity":1,"message":"wrong"}`),
	}}}, headless.Options{Servers: []headless.Server{headless.Partial(headless.Server{Name: "fake", Languages: []string{"go"}, Command: testBinary(t)})}})
	d, err := p.Diagnose(long(t), []string{p.path("a.go")})
	if c := p.checkOf(d, "a.go"); err != nil || c.State != adapter.Checked || len(d.Items) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}
