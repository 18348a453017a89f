package installed

import (
	"os"
	"slices"
	"testing"
)

func TestCompareVersions(t *testing.T) {
	compareVersions := func(a, b string) int { return parseVersion(a).compare(parseVersion(b)) }
	ordered := []string{
		"latest", "miniconda3-24.1.2", "pypy3.10-7.3.17", "v1.2-beta", "1.2.dev1", "v1.2", "v1.2.1", "v1.9.0", "v1.10.0-linux-x64", "v1.10.0",
		"3.9.1", "3.13-dev", "3.13.0a2", "3.13.0b1", "3.13.0rc1", "3.13.0rc2", "3.13.0", "3.13.0.1", "v20.1.0", "18446744073709551615", "018446744073709551616",
	}
	got := slices.Clone(ordered)
	slices.Reverse(got)
	slices.SortFunc(got, compareVersions)
	if !slices.Equal(got, ordered) {
		t.Errorf("%q, want %q", got, ordered)
	}
	if compareVersions("", "") != 0 || compareVersions("", "1") >= 0 {
		t.Error("an empty name")
	}
}

func TestVersion(t *testing.T) {
	unixPaths(t)
	for name, tc := range map[string]struct {
		files         map[string]string
		program, want string
	}{
		"npm package": {map[string]string{
			"lib/node_modules/pyright/langserver.js": "x", "lib/node_modules/pyright/dist/package.json": `{"type":"module"}`, "lib/node_modules/pyright/package.json": `{"name":"pyright","version":"1.1.400"}`,
			"bin/pyright": "-> ../lib/node_modules/pyright/langserver.js",
		}, "bin/pyright", "1.1.400"},
		"mason":     {map[string]string{".local/share/nvim/mason/packages/clangd/bin/clangd": "x", ".local/share/nvim/mason/packages/clangd/mason-receipt.json": `{"primary_source":{"id":"pkg:github/clangd/clangd@19.1.2"}}`}, ".local/share/nvim/mason/packages/clangd/bin/clangd", "19.1.2"},
		"gem":       {map[string]string{"gems/ruby-lsp-0.23.1/exe/ruby-lsp": "x"}, "gems/ruby-lsp-0.23.1/exe/ruby-lsp", "0.23.1"},
		"llvm":      {map[string]string{"lib/llvm-19/bin/clangd": "x"}, "lib/llvm-19/bin/clangd", "19"},
		"Python":    {map[string]string{"venv/bin/ruff": "x", "venv/lib/python3.12/site-packages/ruff-0.9.1.dist-info/METADATA": "x"}, "venv/bin/ruff", "0.9.1"},
		"extension": {map[string]string{".vscode/extensions/rust-lang.rust-analyzer-0.3.2200-linux-x64/server/rust-analyzer": "x"}, ".vscode/extensions/rust-lang.rust-analyzer-0.3.2200-linux-x64/server/rust-analyzer", "0.3.2200"},
		"unknown":   {map[string]string{"bin/server": "x"}, "bin/server", ""},
		"damaged":   {map[string]string{"node_modules/a/package.json": "{", "node_modules/a/server": "x"}, "node_modules/a/server", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine(t, "linux", nil)
			write(t, m, tc.files)
			if got := (Program{File: m.Home + "/" + tc.program}).Version(); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	if got := (Program{File: os.Args[0]}).Version(); got != "" {
		t.Errorf("of a program without a version: %q", got)
	}
	if got := (Program{File: "/no/such/file"}).Version(); got != "" {
		t.Errorf("of a missing program: %q", got)
	}
}
