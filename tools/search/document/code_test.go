package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/search/index"
)

const stack = `// Copyright 2026 Jane. All rights reserved.

// Package stack has a stack.
package stack

import "errors"

// Errors of a Stack.
var (
	ErrEmpty = errors.New("empty")
	ErrFull  = errors.New("full") // never seen

	zero int
)

// Stack holds items.
type Stack struct {
	// items are on the stack.
	items []int
}

type (
	// ID names an item.
	ID int
	Item interface{ ID() ID }
)

const Max, Min = 10, 1

//go:noinline
func (s *Stack) Push(i int) {
	grow := func() {}
	grow()
}

// Pop takes the topmost item.
func (s *Stack) Pop() (int, error) {
	check := func() error {
		if len(s.items) == 0 {
			return ErrEmpty
		}
		if len(s.items) > Max {
			return ErrFull
		}
		last := len(s.items) - 1
		s.items = s.items[:last]
		return nil
	}
	return 0, check()
}
`

func TestCut_Code(t *testing.T) {
	for _, tc := range []struct{ path, content, want string }{
		{"stack.go", stack, `file stack
variable ErrEmpty, ErrFull, zero
struct Stack
typeAlias ID
interface Item
constant Max, Min
method [Stack] Push
method [Stack] Pop
lambda [Stack.Pop] check
`},
		{"a.ts", `/** Reads settings. */
import { x } from 'y';
const a = 1;
let b = 2;
export const read = (path: string) => { return path; };
/** Keeps settings. */
export class Settings extends Base {
  private path = '';
  get name() { return this.path; }
  @log save(): void { write(this.path); }
}
describe('settings', () => {
  it('reads', () => { expect(read('a')).toBe('a'); });
});
`, `file
constant a, b
lambda read
class Settings
method [Settings] save
`},
		{"a.c", `#define A 1
#define B(x) (x)
int prototype(int a);
/* says more */
int documented(int a);
static int f(int a) { return a; }
struct s { int a; };
`, `macro A, B, prototype
function documented
function f
struct s
`},
		{"a.py", `"""Reads things."""
import os

LIMIT = 10
def read(path):
    """Reads one."""
    return open(path)

class Reader:
    size = 1
    def read(self):
        return 1
`, `file
constant LIMIT
function read
class Reader
method [Reader] read
`},
		{"empty.go", "", ""},
		{"only.go", "package only\n", "file\n"},
		{"broken.go", "package broken\n\nfunc f( {\n", "file\nfunction f\n"},
		{"a.vue", "<template>\n  <p>Hello</p>\n</template>\n<script setup lang=\"ts\">\nfunction greet(name: string) { return name }\n</script>\n", "file\nfunction greet\n"},
	} {
		if diff := cmp.Diff(tc.want, table(cut(t, tc.path, tc.content))); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.path, diff)
		}
	}
}

// named returns the piece with a name.
func named(t *testing.T, f index.File, name string) index.Piece {
	t.Helper()
	for _, p := range f.Pieces {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no piece %q in\n%s", name, table(f))
	panic("unreachable")
}

// parts returns the texts of spans.
func parts(f index.File, spans ...index.Span) string {
	var all []string
	for _, s := range spans {
		all = append(all, string(f.Text[s.Start:s.End]))
	}
	return strings.Join(all, "|")
}

// TestCut_CodePieces checks the documentation, own text and leading comments of pieces.
func TestCut_CodePieces(t *testing.T) {
	f := cut(t, "stack.go", stack)
	for _, tc := range []struct{ name, doc, signature, own string }{
		{"stack", "// Package stack has a stack.", "package stack", "// Copyright 2026 Jane. All rights reserved.\n\n// Package stack has a stack.\npackage stack\n\nimport \"errors\""},
		{"ErrEmpty, ErrFull, zero", "// Errors of a Stack.", `ErrEmpty = errors.New("empty"); ErrFull = errors.New("full"); zero int`,
			"// Errors of a Stack.\nvar (\n\tErrEmpty = errors.New(\"empty\")\n\tErrFull  = errors.New(\"full\") // never seen\n\n\tzero int"},
		{"ID", "// ID names an item.", "ID int", "type (\n\t// ID names an item.\n\tID int"},
		{"Push", "//go:noinline", "func (s *Stack) Push(i int)", "//go:noinline\nfunc (s *Stack) Push(i int) {\n\tgrow := func() {}\n\tgrow()\n}"},
		{"Pop", "// Pop takes the topmost item.", "func (s *Stack) Pop() (int, error)", "// Pop takes the topmost item.\nfunc (s *Stack) Pop() (int, error) {|\treturn 0, check()\n}"},
	} {
		p := named(t, f, tc.name)
		if got := parts(f, p.Doc); got != tc.doc {
			t.Errorf("%s: doc %q, want %q", tc.name, got, tc.doc)
		}
		if p.Signature != tc.signature {
			t.Errorf("%s: signature %q, want %q", tc.name, p.Signature, tc.signature)
		}
		if got := parts(f, p.Own...); got != tc.own {
			t.Errorf("%s: own %q, want %q", tc.name, got, tc.own)
		}
	}
}

// TestCut_Names checks the names of functions in tables, Python docstrings, and groups around documented declarations.
func TestCut_Names(t *testing.T) {
	for _, tc := range []struct{ path, content, want string }{
		{"a.js", "export default {\n  // @数\n  '倍': { // 倍を求める\n    type: 'func',\n    fn: function (a) {\n      return a\n    }\n  },\n  \"two\": {\n    a: function () {},\n    b: function () {}\n  },\n  c: {\n    run() {\n    },\n    last: 1\n  }\n}\n",
			"file(): \nlambda 倍(倍: fn: function (a)): // 倍を求める\nlambda a(a: function ()): \nlambda b(b: function ()): \nmethod c(c: run()): \n"},
		{"a.py", "def f():\n    \"\"\"Says it.\"\"\"\n    return 1\n\nclass A:\n    'no'\n    def g(self):\n        r\"\"\"In lines,\n        two.\"\"\"\n",
			"function f(def f():): \"\"\"Says it.\"\"\"\nclass A(class A:): \nmethod g(def g(self):): r\"\"\"In lines,\n        two.\"\"\"\n"},
		{"a.ts", "// One.\nconst a = 1\n\n// Two.\nconst b = 2\nconst c = 3\n\nconst d = 4\n",
			"constant a(const a = 1): // One.\nconstant b, c, d(const b = 2; const c = 3; const d = 4): // Two.\n"},
	} {
		f := cut(t, tc.path, tc.content)
		var b strings.Builder
		for _, p := range f.Pieces {
			signature := p.Signature
			if p.Kind == "file" {
				signature = ""
			}
			fmt.Fprintf(&b, "%s(%s): %s\n", strings.TrimSpace(p.Kind+" "+p.Name), signature, parts(f, p.Doc))
		}
		if diff := cmp.Diff(tc.want, b.String()); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.path, diff)
		}
	}
}

// TestCut_FileDoc checks that the first comment other than a license documents the file.
func TestCut_FileDoc(t *testing.T) {
	for path, content := range map[string]string{
		"a.ts": "#!/usr/bin/env node\n/* Copyright X */\n\n// Reads all.\n// Twice.\n\nimport 'x';\n",
		"a.py": "#!/usr/bin/python3\n# SPDX-License-Identifier: MIT\n\n\"\"\"Reads all.\nTwice.\"\"\"\nimport x\n",
		"a.c":  "/*\n * Reads all.\n * Twice.\n */\n#include <a.h>\n",
	} {
		f := cut(t, path, content)
		if doc := parts(f, f.Pieces[0].Doc); !strings.Contains(doc, "Reads all.") || !strings.Contains(doc, "Twice.") || strings.Contains(doc, "opyright") || strings.Contains(doc, "import") {
			t.Errorf("%s: %q", path, doc)
		}
	}
}

// TestCut_AllTextInPieces checks that all words of a file are in some piece, and that long pieces are split.
func TestCut_AllTextInPieces(t *testing.T) {
	var b strings.Builder
	b.WriteString("package long\n\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "// comment %d\n\n", i)
	}
	b.WriteString("func long() {\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "\tcall%d()\n", i)
		if i%50 == 49 {
			b.WriteString("\n")
		}
	}
	b.WriteString("}\n")
	f := cut(t, "long.go", b.String())
	var all strings.Builder
	for _, p := range f.Pieces {
		own := parts(f, p.Own...)
		if lines := strings.Count(own, "\n"); lines > 200 || len(own) > 16<<10 {
			t.Errorf("%s %q has %d lines and %d bytes", p.Kind, p.Name, lines, len(own))
		}
		if p.Kind == "function" && (p.Name != "long" || p.Signature != "func long()") {
			t.Errorf("a part is called %q, %q", p.Name, p.Signature)
		}
		all.WriteString(own + "\n")
	}
	for i := range 3000 {
		if !strings.Contains(all.String(), fmt.Sprintf("comment %d\n", i)) {
			t.Fatalf("comment %d is lost", i)
		}
	}
	for i := range 1000 {
		if !strings.Contains(all.String(), fmt.Sprintf("call%d()", i)) {
			t.Fatalf("call %d is lost", i)
		}
	}
}
