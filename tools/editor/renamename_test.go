package editor_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// renameWords makes a server rename each occurrence of a word in a file, as servers do that do not check names.
func renameWords(p project, server *fakeServer, path, content, word string) {
	server.rename = func(_ adapter.Document, _ adapter.Position, name string) ([]adapter.FileEdit, error) {
		edit := adapter.FileEdit{Path: p.path(path)}
		for n, line := range strings.Split(content, "\n") {
			for at := 0; ; {
				i := strings.Index(line[at:], word)
				if i < 0 {
					break
				}
				at += i + len(word)
				edit.Edits = append(edit.Edits, adapter.TextEdit{Range: span(n+1, at-len(word)+1, at+1), NewText: name})
			}
		}
		return []adapter.FileEdit{edit}, nil
	}
}

func TestRename_NewName(t *testing.T) {
	const script = "class Shape {\n  size = 1\n  area() { return this.size }\n  area2() {}\n}\nfunction other() {}\ninterface Both {}\nlet word = { 'old': 1 }\n"
	const java = "class A { void one() {} void two(int n) {} int three; int four; }\n"
	for _, test := range []struct {
		name, path, content, old, new string
		code, text                    string // an error code with a part of its message, or a part of the result
	}{
		{"NotAName", "a.ts", script, "Shape", "a-b", "INVALID_PARAMS", `"a-b" is no name in typescript`},
		{"Digit", "a.ts", script, "Shape", "1x", "INVALID_PARAMS", "no name"},
		{"Empty", "a.ts", script, "Shape", "", "INVALID_PARAMS", "no name"},
		{"Reserved", "a.ts", script, "Shape", "class", "INVALID_PARAMS", "reserved word in typescript, and \"Shape\" is no member"},
		{"ReservedMember", "a.ts", script, "area", "delete", "", "area to delete at"},
		{"ReservedVariable", "a.ts", script, "word", "delete", "INVALID_PARAMS", "reserved word"},
		{"QuotedProperty", "a.ts", script, "old", "a-b", "", "old to a-b"},
		{"TakenType", "a.ts", script, "Shape", "other", "NAME_TAKEN", `"other" is declared in the same scope already, at a.ts:6`},
		{"TakenMember", "a.ts", script, "size", "area2", "NAME_TAKEN", "at a.ts:4"},
		{"OtherScope", "a.ts", script, "Shape", "size", "", "[size occurs in changed files already (a.ts:2, a.ts:3): check that it means nothing else there]"},
		{"TypeAndValue", "a.ts", script, "other", "Both", "", "[Both occurs in changed files already"},
		{"Unused", "a.ts", script, "Shape", "Form", "", "Shape to Form at 1 place"},
		{"Vue", "a.vue", "let word = 1\n", "word", "a-b", "INVALID_PARAMS", "no name in typescript"},
		{"Python", "a.py", "def one(): pass\ndef two(): pass\n", "one", "lambda", "INVALID_PARAMS", "reserved word in python"},
		{"PythonTaken", "a.py", "def one(): pass\ndef two(): pass\n", "one", "two", "NAME_TAKEN", "a.py:2"},
		{"Go", "a.go", "package a\n\nvar one, two int\n", "one", "two", "NAME_TAKEN", "a.go:3"},
		{"Overload", "A.java", java, "one", "two", "", "[two occurs in changed files already (A.java:1)"},
		{"JavaField", "A.java", java, "three", "four", "NAME_TAKEN", "A.java:1"},
		{"OtherLanguage", "a.lisp", "(defun one ())\n", "one", "a-b", "", "one to a-b"},
		{"SameName", "a.ts", script, "Shape", "Shape", "", "Shape to Shape"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newFakeServer()
			p := newProject(t, withSymbols(t, server), map[string]string{test.path: test.content})
			renameWords(p, server, test.path, test.content, test.old)
			line := strings.Count(test.content[:strings.Index(test.content, test.old)], "\n") + 1
			r, err := p.Rename(t.Context(), editor.RenameArgs{Target: editor.Target{Path: test.path, Line: line, Symbol: test.old}, NewName: test.new})
			if test.code != "" {
				toolsettest.WantError(t, err, test.code, test.text)
				return
			}
			if err != nil || !strings.Contains(r.TextContent(), test.text) {
				t.Errorf("the result is\n%s\n%v", r.TextContent(), err)
			}
			if strings.Contains(r.TextContent(), "already") != strings.Contains(test.text, "already") {
				t.Errorf("the result has a wrong note:\n%s", r.TextContent())
			}
		})
	}
}
