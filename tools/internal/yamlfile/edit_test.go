package yamlfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

// str and the others make values.
func str(s string) config.Node { return config.Node{Kind: config.String, Text: s} }
func num(s string) config.Node { return config.Node{Kind: config.Number, Text: s} }
func yes() config.Node         { return config.Node{Kind: config.Bool, Text: "true"} }
func list(all ...config.Node) config.Node {
	return config.Node{Kind: config.List, Elements: all}
}
func object(members ...config.Member) config.Node {
	return config.Node{Kind: config.Object, Members: members}
}
func member(name string, v config.Node) config.Member { return config.Member{Name: name, Value: v} }

func path(s string) []string { return strings.Split(s, ".") }

func TestSet(t *testing.T) {
	for _, c := range []struct {
		name, before, path string
		value              config.Node
		after              string
	}{
		{"a plain scalar", "a: 1 # one\nb: 2\n", "a", num("3"), "a: 3 # one\nb: 2\n"},
		{"text", "m: old   # c\n", "m", str("new"), "m: new   # c\n"},
		{"text that needs quotes", "m: old # c\n", "m", str("a: b"), "m: \"a: b\" # c\n"},
		{"text that looks like a number", "m: old\n", "m", str("007"), "m: \"007\"\n"},
		{"text that looks like a switch", "m: old\n", "m", str("true"), "m: \"true\"\n"},
		{"quotes are kept", "a: \"x\" # c\nb: 'it''s'\n", "a", str("y"), "a: \"y\" # c\nb: 'it''s'\n"},
		{"single quotes are kept", "b: 'it''s' # c\n", "b", str("that's"), "b: 'that''s' # c\n"},
		{"plain text over several lines", "a: one\n  two\n\n  three # c\nb: 1\n", "a", str("x"), "a: x # c\nb: 1\n"},
		{"quoted text over several lines", "a: \"one\n  two\" # c\nb: 1\n", "a", str("x"), "a: \"x\" # c\nb: 1\n"},
		{"characters beyond ASCII before it", "日本: {語: 古い, 英: b}\n", "日本.英", str("新しい"), "日本: {語: 古い, 英: 新しい}\n"},
		{"one line becomes several", "a: x # c\nb: 1\n", "a", str("one\ntwo\n"), "a: | # c\n  one\n  two\nb: 1\n"},
		{"several lines stay several", "r:\n  - p: |  # c\n      one\n\n      two\n\n    # above b\n    b: 1\n", "r.0.p", str("三\n\nfour\n"), "r:\n  - p: |  # c\n      三\n\n      four\n\n    # above b\n    b: 1\n"},
		{"several lines become one", "p: |\n  one\n  two\nb: 1\n", "p", str("x\n"), "p: |\n  x\nb: 1\n"},
		{"lines without a last line feed", "p: |\n  one\n", "p", str("x\ny"), "p: |-\n  x\n  y\n"},
		{"folded lines", "p: >-\n  one\n  two\n# end\n", "p", str("x"), "p: |-\n  x\n# end\n"},
		{"lines of a stated indentation", "p: |2\n    one\n  two\nb: 1\n", "p", str("x\n"), "p: |\n  x\nb: 1\n"},
		{"lines with all their line feeds", "p: |+\n  one\n\n\nb: 1\n", "p", str("x\n"), "p: |\n  x\nb: 1\n"},
		{"text that lines cannot hold", "p: x\n", "p", str(" a\nb\r\n"), "p: \" a\\nb\\r\\n\"\n"},
		{"nothing", "a:\nb: 1\n", "a", str("x"), "a: x\nb: 1\n"},
		{"nothing with a comment", "a: # c\nb: 1\n", "a", str("x\ny\n"), "a: | # c\n  x\n  y\nb: 1\n"},
		{"nothing in brackets", "a: {b: , c}\n", "a.b", str("x"), "a: {b: x , c}\n"},
		{"a name alone in brackets", "a: {b: , c}\n", "a.c", str("x"), "a: {b: , c: x}\n"},
		{"nothing behind a dash", "a:\n  -\n  - 1\n", "a.0", str("x"), "a:\n  - x\n  - 1\n"},
		{"null", "a: ~ # c\n", "a", yes(), "a: true # c\n"},
		{"a new name", "a: 1\nb: 2 # c\n\n# end\n", "c", str("x"), "a: 1\nb: 2 # c\nc: x\n\n# end\n"},
		{"a new name in an element", "r:\n  - a: 1\n\n  - a: 2\n", "r.0.b", yes(), "r:\n  - a: 1\n    b: true\n\n  - a: 2\n"},
		{"a new name behind lines", "r:\n  - a: |\n      x\n\n  - a: 2\n", "r.0.b", yes(), "r:\n  - a: |\n      x\n    b: true\n\n  - a: 2\n"},
		{"a new name behind all line feeds", "a: |+\n  x\n\n", "b", yes(), "a: |+\n  x\n\nb: true\n"},
		{"a new name in brackets", "a: {b: 1}\n", "a.c", str("x, y"), "a: {b: 1, c: \"x, y\"}\n"},
		{"a new name in empty brackets", "{}\n", "c", str("x"), "{c: x}\n"},
		{"a new name without a last line end", "a: 1", "b", num("2"), "a: 1\nb: 2\n"},
		{"mappings that are not there", "a: 1\n", "b.c.d", num("2"), "a: 1\nb:\n  c:\n    d: 2\n"},
		{"a mapping of nothing", "b: # c\na: 1\n", "b.c", num("2"), "b: # c\n  c: 2\na: 1\n"},
		{"a mapping of null", "b: null # c\n", "b.c", num("2"), "b: # c\n  c: 2\n"},
		{"an empty mapping", "b: {} # c\n", "b.c", num("2"), "b: # c\n  c: 2\n"},
		{"an empty file", "", "a.b", num("2"), "a:\n  b: 2\n"},
		{"a file of comments", "# c", "a", num("2"), "# c\na: 2\n"},
		{"an alias", "a: &x 1\nb: *x # c\n", "b", num("2"), "a: &x 1\nb: 2 # c\n"},
		{"an anchor that nobody uses", "a: &x 1 # c\n", "a", num("2"), "a: &x 2 # c\n"},
		{"what a merge key brings", "a: &x {m: 1}\nb:\n  <<: *x\n  n: 2\n", "b.m", num("3"), "a: &x {m: 1}\nb:\n  <<: *x\n  n: 2\n  m: 3\n"},
		{"a list in brackets", "t: [a, b] # c\n", "t", list(str("Shell(git)"), str("x: y")), "t: [Shell(git), \"x: y\"] # c\n"},
		{"an empty list", "t: [] # c\nu: 1\n", "t", list(str("a")), "t: [a] # c\nu: 1\n"},
		{"an empty list gets mappings", "t: [] # c\nu: 1\n", "t", list(object(member("a", num("1")), member("b", str("x\ny\n")))), "t: # c\n  - a: 1\n    b: |\n      x\n      y\nu: 1\n"},
		{"a list in lines", "t: # c\n  - a # 1\n  - b # 2\n  # here\n  - c # 3\n", "t", list(str("a"), str("x"), str("c")), "t: # c\n  - a # 1\n  - x # 2\n  # here\n  - c # 3\n"},
		{"a list in lines becomes longer", "t:\n- a # 1\n- c # 3\n", "t", list(str("a"), str("b"), str("c"), str("d")), "t:\n- a # 1\n- b # 3\n- c\n- d\n"},
		{"a list in lines becomes shorter", "t:\n  - a # 1\n  - b # 2\nu: 1\n", "t", list(str("b")), "t:\n  - b # 2\nu: 1\n"},
		{"a list in lines becomes empty", "t: # c\n  - a\n  - b\nu: 1\n", "t", list(), "t: [] # c\nu: 1\n"},
		{"a list becomes text", "t:\n  - a\nu: 1\n", "t", str("x"), "t: x\nu: 1\n"},
		{"text becomes a list", "t: x # c\nu: 1\n", "t", list(list(num("1"))), "t: # c\n  - - 1\nu: 1\n"},
		{"a mapping", "m:\n  # over a\n  a: 1 # a\n  b: 2\n", "m", object(member("a", num("3")), member("c", num("4"))), "m:\n  # over a\n  a: 3 # a\n  c: 4\n"},
		{"CRLF", "a: 1 # c\r\nb: x\r\n", "b", str("one\ntwo\n"), "a: 1 # c\r\nb: |\r\n  one\r\n  two\r\n"},
		{"a byte-order mark", "\uFEFFa: 1\n", "a", num("2"), "\uFEFFa: 2\n"},
		{"other line breaks", "a: \"x\u2028 y\"\nb: 1\n", "b", num("2"), "a: \"x\u2028 y\"\nb: 2\n"},
		{"the same", "a:   0x10 # c\n", "a", num("16"), "a:   0x10 # c\n"},
		{"a document with marks", "%YAML 1.1\n--- # c\na: 1\n...\n", "a", num("2"), "%YAML 1.1\n--- # c\na: 2\n...\n"},
		{"what nobody can see", "a: x\n", "a", str("\x00\u0085\u2028\uFEFF\"\\\t😀"), "a: \"\\x00\\x85\\u2028\\uFEFF\\\"\\\\\\t😀\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := yamlfile.Parse([]byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			changed, err := d.Set(c.value, path(c.path)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(changed.Text()); got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
			if string(d.Text()) != c.before {
				t.Error("the document itself has changed")
			}
		})
	}
}

func TestInsert(t *testing.T) {
	role := object(member("id", str("x")), member("p", str("one\ntwo\n")), member("t", list()))
	for _, c := range []struct {
		name, before, path string
		value              config.Node
		after              string
	}{
		{"at the end", "r:\n  - id: a\n\n  # b\n  - id: b # c\n\n# end\nl: 1\n", "r.2", role, "r:\n  - id: a\n\n  # b\n  - id: b # c\n\n  - id: x\n    p: |\n      one\n      two\n    t: []\n\n# end\nl: 1\n"},
		{"at the beginning", "r:\n  # a\n  - a\n  - b\n", "r.0", str("x"), "r:\n  # a\n  - x\n  - a\n  - b\n"},
		{"between", "r:\n- a # a\n- b\n", "r.1", str("x"), "r:\n- a # a\n- x\n- b\n"},
		{"behind a single mapping", "r:\n- id: a\n", "r.1", role, "r:\n- id: a\n\n- id: x\n  p: |\n    one\n    two\n  t: []\n"},
		{"behind lines", "r:\n  - p: |\n      a\n", "r.1", str("x"), "r:\n  - p: |\n      a\n  - x\n"},
		{"behind all line feeds", "r:\n  - p: |+\n      a\n\n", "r.1", str("x"), "r:\n  - p: |+\n      a\n\n  - x\n"},
		{"in brackets", "r: [a, b, ] # c\n", "r.2", str("x"), "r: [a, b, x, ] # c\n"},
		{"first in brackets", "r: [a]\n", "r.0", str("x"), "r: [x, a]\n"},
		{"in an empty list", "r: [] # c\n", "r.0", role, "r: # c\n  - id: x\n    p: |\n      one\n      two\n    t: []\n"},
		{"in nothing", "r: # c\n", "r.0", str("x"), "r: # c\n  - x\n"},
		{"without a last line end", "r:\n  - a", "r.1", str("x"), "r:\n  - a\n  - x\n"},
		{"in a list that is not there", "a: 1\n", "r.0", str("x"), "a: 1\nr:\n  - x\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := yamlfile.Parse([]byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			changed, err := d.Insert(c.value, path(c.path)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(changed.Text()); got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	for _, c := range []struct{ name, before, path, after string }{
		{"the first", "r:\n  # a\n  - id: a # x\n    b: 1\n\n  # b\n  - id: b\n", "r.0", "r:\n  # a\n  # b\n  - id: b\n"},
		{"one between", "r:\n  - a\n  - b\n  - c\n", "r.1", "r:\n  - a\n  - c\n"},
		{"the last", "r:\n  - id: a\n\n  - id: b\n    p: |\n      x\n\n# end\nl: 1\n", "r.1", "r:\n  - id: a\n\n# end\nl: 1\n"},
		{"the only one", "r: # c\n  - id: a\n# end\n", "r.0", "r: [] # c\n# end\n"},
		{"a member", "a: 1\n# b\nb: 2 # x\nc: 3\n", "b", "a: 1\n# b\nc: 3\n"},
		{"a member with lines", "a: |\n  x\n\nb: 2\n", "a", "\nb: 2\n"},
		{"the first member of an element", "r:\n  - id: a # x\n    b: 1\n", "r.0.id", "r:\n  -\n    b: 1\n"},
		{"the only member", "a:\n  b: 1\nc: 2\n", "a.b", "a: {}\nc: 2\n"},
		{"in brackets", "a: [x, y, z]\n", "a.1", "a: [x, z]\n"},
		{"the last in brackets", "a: {x: 1, y: 2 } # c\n", "a.y", "a: {x: 1 } # c\n"},
		{"the last, without a line end", "r:\n  - a\n  - b", "r.1", "r:\n  - a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := yamlfile.Parse([]byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			changed, err := d.Remove(path(c.path)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(changed.Text()); got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
		})
	}
}

// TestDocument_Set_Refused checks that an edit with another effect is refused with a position.
func TestDocument_Set_Refused(t *testing.T) {
	for _, c := range []struct {
		name, before string
		change       func(*yamlfile.Document) (*yamlfile.Document, error)
		want         error
		told         string
	}{
		{"an anchor that is used", "a: &x 1\nb: *x\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Set(num("2"), "a") }, yamlfile.ErrByHand, "changing a: "},
		{"behind an alias", "a: &x {b: 1}\nc: *x\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Set(num("2"), "c", "b") }, yamlfile.ErrByHand, "under the anchor &x"},
		{"a name that is there twice", "a: 1\na: 2\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Set(num("2"), "a") }, yamlfile.ErrByHand, "line 2: \"a\""},
		{"a member of a scalar", "a: 1\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Set(num("2"), "a", "b") }, yamlfile.ErrNoPlace, "a.b"},
		{"an index too large", "a: [1]\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Set(num("2"), "a", "1", "c") }, yamlfile.ErrNoPlace, "a.1"},
		{"no path", "a: [1]\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Set(num("2")) }, yamlfile.ErrNoPlace, ""},
		{"an element past the end", "a: [1]\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Insert(num("2"), "a", "2") }, yamlfile.ErrNoPlace, "a.2"},
		{"an element of a scalar", "a: 1\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Insert(num("2"), "a", "0") }, yamlfile.ErrNoPlace, "a.0"},
		{"what is not there", "a: 1\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Remove("b") }, yamlfile.ErrNoPlace, "b"},
		{"what an alias needs", "a: &x 1\nb: *x\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Remove("a") }, yamlfile.ErrByHand, "changing a"},
		{"an explicit name", "? a\n: 1\n", func(d *yamlfile.Document) (*yamlfile.Document, error) { return d.Remove("a") }, yamlfile.ErrByHand, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := yamlfile.Parse([]byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			changed, err := c.change(d)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.told) {
				t.Errorf("got %v, %v; want %v", changed, err, c.want)
			}
		})
	}
}
