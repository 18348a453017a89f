package headless_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

const cProject = `
-- cart.h --
#pragma once
struct cart { int goods; };
void cart_add(struct cart *c, int n);
-- cart.c --
#include "cart.h"

void cart_add(struct cart *c, int n) { c->goods += n; }
-- main.c --
#include "cart.h"

int main(void) {
  struct cart c = {0}
  cart_add(&c, 1);
  return c.goods;
}
-- ugly.c --
int   ugly( void ){return   1;}
`

// clangd opens a project with a compilation database, as cmake creates it.
func clangd(t *testing.T) *project {
	installed(t, "clangd", "install clangd")
	p := open(t, cProject, headless.Options{})
	type entry struct {
		Directory string   `json:"directory"`
		File      string   `json:"file"`
		Arguments []string `json:"arguments"`
	}
	var all []entry
	for _, name := range []string{"cart.c", "main.c", "ugly.c"} {
		all = append(all, entry{p.dir, name, []string{"cc", "-c", name}})
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	p.write("compile_commands.json", string(data))
	return p
}

func TestFixes_Clangd(t *testing.T) {
	p := clangd(t)
	start := time.Now()
	wrong := p.diagnostics("main.c")
	t.Logf("the first time: %v", time.Since(start))
	same(t, "at first", p.show(wrong), []string{`main.c:5:3-11: error: Expected ';' at end of declaration (fix available) [expected_semi_declaration]`})
	sentBack := wrong[0]
	sentBack.Ref = nil
	fixes, err := p.Fixes(long(t), p.doc("main.c"), sentBack)
	if err != nil || len(fixes) != 1 {
		t.Fatalf("fixes: %+v, %v", fixes, err)
	}
	edits, err := p.Resolve(long(t), fixes[0])
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the fix changes", p.apply(edits), []string{"main.c"})
	start = time.Now()
	same(t, "in the end", p.diagnose("main.c"), []string{})
	t.Logf("after a fix: %v", time.Since(start))
	p.write("cart.h", strings.Replace(p.doc("cart.h").Text, "cart_add", "cart_put", 1))
	p.FilesChanged([]string{p.path("cart.h")})
	if got := p.diagnose("main.c"); len(got) != 1 || !strings.Contains(got[0], "cart_add") {
		t.Errorf("after a change of a header: %q", got)
	}
}

func TestNavigator_Clangd(t *testing.T) {
	p := clangd(t)
	p.write("main.c", strings.Replace(p.doc("main.c").Text, "{0}", "{0};", 1))
	found, err := p.Definition(long(t), p.doc("main.c"), p.at("main.c", "|cart_add"))
	if err != nil || len(found) != 1 || !strings.HasPrefix(p.rel(found[0].Path), "cart.") {
		t.Errorf("definition: %+v, %v", found, err)
	}
	start := time.Now()
	edits, err := p.Rename(long(t), p.doc("main.c"), p.at("main.c", "|cart_add"), "cart_put")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("rename: %v", time.Since(start))
	same(t, "the rename changes", p.apply(edits), []string{"cart.c", "cart.h", "main.c"})
	same(t, "after the rename", p.diagnose("main.c", "cart.c"), []string{})
}

func TestFormat_Clangd(t *testing.T) {
	p := clangd(t)
	edits, err := p.Format(long(t), p.doc("ugly.c"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.apply([]adapter.FileEdit{{Path: p.path("ugly.c"), Edits: edits}})
	if got := p.doc("ugly.c").Text; got != "int ugly(void) { return 1; }\n" {
		t.Errorf("laid out: %s", got)
	}
}
