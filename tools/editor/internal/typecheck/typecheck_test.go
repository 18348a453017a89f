package typecheck_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/internal/typecheck"
)

// project returns a Project of the files in an archive, each after a line "-- name --", in the directory of the second result.
func project(t *testing.T, archive string) (*typecheck.Project, string) {
	t.Helper()
	dir := t.TempDir()
	files := make(map[string]string)
	for _, file := range strings.Split("\n"+archive, "\n-- ")[1:] {
		name, content, _ := strings.Cut(file, " --\n")
		files[filepath.Join(dir, filepath.FromSlash(name))] = content
	}
	read := func(path string) ([]byte, error) {
		content, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return []byte(content), nil
	}
	return typecheck.New(read, func(string) string { return dir }), dir
}

func TestDisabled_Comments(t *testing.T) {
	const noCheck, script = "@ts-nocheck", "checkJs"
	for _, test := range []struct{ name, path, text, want string }{
		{"TypeScript", "a.ts", "const a = 1\n", ""},
		{"NoCheck", "a.ts", "// @ts-nocheck\nconst a = 1\n", noCheck},
		{"NoCheckAfterOthers", "a.tsx", "\ufeff#!/usr/bin/env node\n/* @ts-check */\n\n/// @ts-nocheck: old\n", noCheck},
		{"NoCheckInBlock", "a.ts", "/* @ts-nocheck */\n", ""},
		{"NoCheckAfterCode", "a.ts", "const a = 1\n// @ts-nocheck\n", ""},
		{"NoCheckAsPart", "a.ts", "// @ts-nocheckers\n", ""},
		{"OpenComment", "a.ts", "/* // @ts-nocheck", ""},
		{"LastWins", "a.mts", "// @ts-nocheck\r\n// @ts-check\r\n", ""},
		{"JavaScript", "a.js", "const a = 1\n", script},
		{"JavaScriptCheck", "a.mjs", "// @ts-check\n", ""},
		{"JSX", "a.jsx", "", script},
		{"Other", "a.go", "// @ts-nocheck", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, dir := project(t, "")
			got := p.Disabled(filepath.Join(dir, test.path), test.text)
			if !strings.Contains(got.Reason, test.want) || (got.Reason == "") != (test.want == "") || (got.Reason == "") != (got.Next == "") || got.Silent != (strings.HasPrefix(got.Reason, "ignore") || strings.HasPrefix(got.Reason, "its comment")) {
				t.Errorf("the reason is %q and the next step %q, want %q", got.Reason, got.Next, test.want)
			}
		})
	}
}

func TestDisabled_CheckJS(t *testing.T) {
	for _, test := range []struct {
		name, files string
		disabled    bool
	}{
		{"Set", "-- tsconfig.json --\n{/* c */\"compilerOptions\": {\"checkJs\": true,},}\n", false},
		{"JSConfig", "-- jsconfig.json --\n{\"compilerOptions\": {\"checkJs\": true}}\n", false},
		{"Unset", "-- tsconfig.json --\n{\"compilerOptions\": {\"allowJs\": true}}\n", true},
		{"Broken", "-- tsconfig.json --\n{\"compilerOptions\"\n", true},
		{"Deep", "-- tsconfig.json --\n" + strings.Repeat("[", 1<<20) + "\n", true},
		{"NearestDecides", "-- tsconfig.json --\n{\"compilerOptions\": {\"checkJs\": true}}\n-- src/tsconfig.json --\n{}\n", true},
		{"Extends", "-- src/tsconfig.json --\n{\"extends\": \"../base\"}\n-- base.json --\n{\"compilerOptions\": {\"checkJs\": true}}\n", false},
		{"ExtendsPackage", "-- tsconfig.json --\n{\"extends\": [\"@x/base\", \"./none\"]}\n-- node_modules/@x/base/tsconfig.json --\n{\"compilerOptions\": {\"checkJs\": true}}\n", false},
		{"ExtendsLast", "-- tsconfig.json --\n{\"extends\": [\"./on.json\", \"./off.json\"]}\n-- on.json --\n{\"compilerOptions\": {\"checkJs\": true}}\n-- off.json --\n{\"compilerOptions\": {\"checkJs\": false}}\n", true},
		{"ExtendsItself", "-- tsconfig.json --\n{\"extends\": [" + strings.Repeat(`"./tsconfig.json", `, 50) + "\"./tsconfig\"]}\n", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, dir := project(t, test.files)
			for range 2 { // the second one comes from the cache
				if got := p.Disabled(filepath.Join(dir, "src", "a.js"), "a()\n"); (got.Reason != "") != test.disabled {
					t.Errorf("the reason is %q, want disabled %v", got.Reason, test.disabled)
				}
			}
		})
	}
}

func TestDisabled_SkipLibCheck(t *testing.T) {
	p, dir := project(t, "-- tsconfig.json --\n{\"compilerOptions\": {\"skipLibCheck\": true, \"checkJs\": 1}}\n")
	for name, disabled := range map[string]bool{"a.d.ts": true, "a.D.MTS": true, "a.ts": false, "ad.ts": false} {
		if got := p.Disabled(filepath.Join(dir, name), ""); (got.Reason != "") != disabled {
			t.Errorf("%s: the reason is %q, want disabled %v", name, got.Reason, disabled)
		}
	}
}

func TestDisabled_Pyright(t *testing.T) {
	const off, ignored = "typeCheckingMode", "ignore in"
	for _, test := range []struct{ name, files, path, text, want string }{
		{"None", "", "a.py", "", ""},
		{"IgnoreAll", "-- pyrightconfig.json --\n{\"ignore\": [\"**\"]}\n", "b/a.py", "", ignored + " pyrightconfig.json"},
		{"IgnoreDirectory", "-- pyrightconfig.json --\n{\"ignore\": [\"x\", \"src/gen\"]} // c\n", "src/gen/deep/a.py", "", ignored},
		{"IgnoreOther", "-- pyrightconfig.json --\n{\"ignore\": [\"src/gen\"]}\n", "src/general/a.py", "", ""},
		{"IgnoreWildcards", "-- pyproject.toml --\n[tool.pyright]\nignore = [\"**/[a]?/*_pb2.py\"]\n", "s/t/[a]b/x_pb2.py", "", ignored + " pyproject.toml"},
		{"IgnoreHere", "-- lib/pyproject.toml --\n[tool.basedpyright]\nignore = [\".\"]\n", "lib/a.pyi", "", ignored},
		{"Exclude", "-- pyrightconfig.json --\n{\"exclude\": [\"**\"]}\n", "a.py", "", ""},
		{"Off", "-- pyproject.toml --\n[tool.pyright]\ntypeCheckingMode = \"off\"\n", "a.py", "x = 1\n", off},
		{"IgnoredFile", "", "a.py", "#!/usr/bin/python3\n# type: ignore\nx = 1\n", "type: ignore"},
		{"IgnoredLine", "", "a.py", "import a\n# type: ignore\n", ""},
		{"OffButBasic", "-- pyproject.toml --\n[tool.pyright]\ntypeCheckingMode = \"off\"\n", "a.py", "# pyright: basic\nx = 1\n", ""},
		{"BrokenTOML", "-- pyproject.toml --\n[tool.pyright\n", "a.py", "", ""},
		{"BrokenJSON", "-- pyrightconfig.json --\n{\n", "a.py", "", ""},
		{"DeepJSON", "-- pyrightconfig.json --\n" + strings.Repeat("[", 1<<20) + "\n", "a.py", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, dir := project(t, test.files)
			for range 2 {
				got := p.Disabled(filepath.Join(dir, filepath.FromSlash(test.path)), test.text)
				if !strings.Contains(got.Reason, test.want) || (got.Reason == "") != (test.want == "") || (got.Reason == "") != (got.Next == "") || got.Silent != (strings.HasPrefix(got.Reason, "ignore") || strings.HasPrefix(got.Reason, "its comment")) {
					t.Errorf("the reason is %q and the next step %q, want %q", got.Reason, got.Next, test.want)
				}
			}
		})
	}
}
