package editor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/editor"
)

func TestSymbols_Flag(t *testing.T) {
	dir := newProject(t)
	all := program.Tools(t, "-root", dir, "-symbols")
	for _, name := range editor.SymbolTools() {
		if !slices.Contains(all, name) {
			t.Errorf("%s is not offered", name)
		}
	}
	if without := program.Tools(t, "-root", dir); slices.Contains(without, "find_symbol") {
		t.Error("the tools are offered without the flag")
	}
	if strict := program.Tools(t, "-root", dir, "-symbols", "-profile", profileStrict); slices.Contains(strict, "find_symbol") {
		t.Error("the tools are offered in the strict profile")
	}
	readOnly := program.Tools(t, "-root", dir, "-symbols", "-read-only")
	if !slices.Contains(readOnly, "find_symbol") || slices.Contains(readOnly, "delete_symbol") {
		t.Errorf("a read-only server offers %v", readOnly)
	}
	if got := append(fullTools(), editor.SymbolTools()...); len(got) > 40 {
		t.Errorf("%d tools are more than clients take", len(got))
	}
	if empty := program.Tools(t, "-root", t.TempDir(), "-symbols"); slices.Contains(empty, "find_symbol") {
		t.Error("the tools are listed in a project without source files")
	}
}

func TestSymbols_Calls(t *testing.T) {
	dir := newProject(t)
	call := func(args ...string) string {
		return program.MustRun(t, append([]string{"call", "-root", dir, "-symbols", "-audit", "-", "-language-servers", "go="}, args...)...)
	}
	apptest.Contains(t, call("insert_after_symbol", "symbol=main", "content=func greet() { println(1) }"), "inserted after main, lines 7-7")
	apptest.Contains(t, call("find_symbol", "path=main.go"), "main.go#\n main [function, 3-5] func main()", "\n greet [function, 7-7]")
	apptest.Contains(t, call("delete_symbol", "symbol=main.go#greet"), "deleted greet", "by name")
	if got, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || string(got) != "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n" {
		t.Errorf("%q, %v", got, err)
	}
}
