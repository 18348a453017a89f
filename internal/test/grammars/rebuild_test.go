package grammars_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// directory contains the grammars and their build script.
const directory = "../../../tools/source/treesitter/grammars"

// The build script makes the same bytes again.
func TestGrammars_Rebuild(t *testing.T) {
	for _, program := range []string{"clang", "wasm-ld", "npm", "patch"} {
		_, err := exec.LookPath(program)
		testrequire.Deep(t, err == nil, program, "apt-get install clang lld npm patch")
	}
	for pattern, name := range map[string]string{
		"/usr/lib/wasm32-wasi/libc.a":                                         "wasi-libc",
		"/usr/lib/llvm-14/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a": "libclang-rt-14-dev-wasm32",
	} {
		found, err := filepath.Glob(pattern)
		testrequire.Deep(t, err == nil && len(found) > 0, name, "apt-get install "+name)
	}
	version, err := exec.Command("clang", "--version").Output()
	testrequire.Deep(t, err == nil && strings.Contains(string(version), "version 14."), "clang 14", "apt-get install clang on Debian 12")
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "bash", directory+"/build.sh", dir, "json").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module, err := os.ReadFile(filepath.Join(dir, "json.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(directory + "/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x  ./json.wasm.gz\n", sha256.Sum256(module)); !strings.Contains(string(sums), want) {
		t.Errorf("the checksums have no line %q", want)
	}
}
