package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/security/sandbox"
)

// Programs that developers use work in a sandbox, with the dot files of the user.
func TestSandbox_Toolchains(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds with many programs")
	}
	files := map[string]string{
		"g/go.mod": "module example.com/p\n\ngo 1.22\n", "g/p.go": "package p\n\nfunc F() int { return 1 }\n",
		"g/p_test.go":  "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fail()\n\t}\n}\n",
		"package.json": `{"name":"p","version":"1.0.0","scripts":{"test":"node --test t/"}}`,
		"t/a.test.js":  "require('node:test')('a', () => require('node:assert').equal(1, 1));\n",
		"Cargo.toml":   "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/main.rs": "fn main() { println!(\"hello\"); }\n",
		"test_a.py": "def test_a(tmp_path):\n    (tmp_path / 'x').write_text('x')\n",
		"Makefile":  "all: out/hello\nout/hello: main.c\n\tmkdir -p out && $(CC) -o $@ main.c && ./$@\n", "main.c": "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n",
		"CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p main.c)\n",
	}
	goCache, _ := exec.Command("go", "env", "GOCACHE").Output()
	tests := []struct {
		program string
		deep    bool // only the deep level installs it
		script  string
	}{
		{"git", false, "git init -q -b main . && git add -A && git -c user.name=n -c user.email=e@example.org commit -qm m && git status --short --branch && git log -1 && git branch b && git switch -q b && git stash list"},
		{"go", false, "cd g && go vet ./... && go build ./... && go test ./..."},
		{"npm", false, "npm test"},
		{"make", true, "make"},
		{"cmake", true, "cmake -S . -B b >/dev/null && cmake --build b && b/p"},
		{"cargo", true, "cargo build --offline && cargo run -q --offline"},
		{"python3", false, "python3 -c 'import json, ssl, sqlite3, tempfile; tempfile.mkstemp()'"},
		{"pytest", true, "python3 -m pytest -q test_a.py || /usr/bin/python3 -m pytest -q test_a.py"},
	}
	for kind := range kinds {
		for _, test := range tests {
			t.Run(string(kind)+"/"+test.program, func(t *testing.T) {
				_, err := exec.LookPath(test.program)
				if test.program == "pytest" && err != nil {
					_, err = os.Stat("/usr/lib/python3/dist-packages/pytest")
				}
				if test.deep {
					testrequire.Deep(t, err == nil, test.program, "install "+test.program)
				} else {
					testrequire.Thing(t, err == nil, test.program, "install "+test.program)
				}
				dir := realDir(t)
				all := make(map[string]string)
				for name, text := range files {
					all[filepath.Join(dir, name)] = text
				}
				write(t, all)
				// The cache is shared for the time of the test, so that it need not compile Go's library.
				s := open(t, kind, sandbox.Options{Dirs: []string{dir}, Write: []string{strings.TrimSpace(string(goCache))}})
				began := time.Now()
				out, code := run(t, s, dir, test.script)
				if code != 0 {
					t.Errorf("exit code %d: %s", code, out)
				}
				t.Logf("%v", time.Since(began))
			})
		}
	}
}
