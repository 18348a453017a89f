package yamlfile_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

// author writes random files as people do: comments everywhere, all styles, all indentations.
type author struct {
	t        *rapid.T
	comments int
}

func (a *author) chance(label string) bool { return rapid.IntRange(0, 3).Draw(a.t, label) == 0 }

func (a *author) pick(label string, all ...string) string {
	return rapid.SampledFrom(all).Draw(a.t, label)
}

func (a *author) comment() string {
	a.comments++
	return fmt.Sprintf("# c%d.", a.comments)
}

// behind returns a random comment or blanks for the end of a line.
func (a *author) behind() string {
	if a.chance("comment behind") {
		return " " + a.comment()
	}
	return ""
}

// between are lines between others.
func (a *author) between(indent string) (all []string) {
	for a.chance("between") {
		if a.chance("blank") {
			all = append(all, "")
			continue
		}
		all = append(all, indent+a.comment())
	}
	return all
}

func (a *author) value(indent string, depth int) (inline string, below []string) {
	kinds := []string{"plain", "plain", "quoted", "folded plain", "literal", "flow", "empty", "number", "null"}
	if depth < 3 {
		kinds = append(kinds, "mapping", "list", "mapping", "list")
	}
	inner := indent + strings.Repeat(" ", rapid.IntRange(1, 4).Draw(a.t, "step"))
	switch a.pick("kind", kinds...) {
	case "quoted":
		return " " + a.pick("quoted", `"a: #b \" c"`, `'it''s # x'`, `"語"`, `""`, `''`) + a.behind(), nil
	case "folded plain":
		return " one two", []string{inner + "three", "", inner + "four" + a.behind()}
	case "literal":
		lines := []string{inner + "first # no comment"}
		for range rapid.IntRange(0, 3).Draw(a.t, "lines") {
			lines = append(lines, a.pick("line", "", inner+"- x: y", inner+"  indented", inner+"日本語"))
		}
		return " " + a.pick("header", "|", ">", "|-", ">-", "|+") + a.behind(), lines
	case "flow":
		return " " + a.pick("flow", "[]", "{}", "[a, {b: c}, ]", "{x: [1, 2], y: , z: 'q'}", "[a: b, \"c\"]") + a.behind(), nil
	case "empty":
		return a.behind(), nil
	case "number":
		return " " + a.pick("number", "1", "0x1F", "-2.5", "true") + a.behind(), nil
	case "null":
		return " " + a.pick("null", "~", "null") + a.behind(), nil
	case "mapping":
		return a.behind(), a.mapping(inner, depth+1)
	case "list":
		if a.chance("at the same column") && depth > 0 {
			return a.behind(), a.list(indent, depth+1)
		}
		return a.behind(), a.list(inner, depth+1)
	}
	return " " + a.pick("plain", "word", "two words", "a:b", "-x", "日本語 です") + a.behind(), nil
}

func (a *author) mapping(indent string, depth int) (all []string) {
	names := []string{"a", "名前", "\"q: #\"", "long_name", "x-y"}
	for _, name := range names[:rapid.IntRange(1, len(names)).Draw(a.t, "members")] {
		all = append(all, a.between(indent)...)
		inline, below := a.value(indent, depth)
		all = append(append(all, indent+name+":"+inline), below...)
	}
	return all
}

func (a *author) list(indent string, depth int) (all []string) {
	for range rapid.IntRange(1, 3).Draw(a.t, "elements") {
		all = append(all, a.between(indent)...)
		if a.chance("compact") && depth < 3 {
			below := a.mapping(indent+"  ", depth+1)
			for len(below) > 0 && strings.HasPrefix(strings.TrimSpace(below[0])+"#", "#") {
				all, below = append(all, below[0]), below[1:]
			}
			below[0] = indent + "- " + below[0][len(indent)+2:]
			all = append(all, below...)
			continue
		}
		inline, below := a.value(indent, depth)
		all = append(append(all, indent+"-"+inline), below...)
	}
	return all
}

func (a *author) file() string {
	all := slices.Concat(a.between(""), a.mapping("", 0), a.between(""))
	newline := a.pick("line ends", "\n", "\n", "\r\n")
	return a.pick("mark", "", "", "\uFEFF") + strings.Join(all, newline) + a.pick("last line end", newline, newline, "")
}

// places are the paths of all values, and the values.
func places(n config.Node, at []string, visit func([]string, config.Node)) {
	for _, m := range n.Members {
		visit(append(slices.Clone(at), m.Name), m.Value)
		places(m.Value, append(slices.Clone(at), m.Name), visit)
	}
	for i, e := range n.Elements {
		visit(append(slices.Clone(at), strconv.Itoa(i)), e)
		places(e, append(slices.Clone(at), strconv.Itoa(i)), visit)
	}
}

var comment = regexp.MustCompile(`# c\d+\.`)

func newValue(t *rapid.T) config.Node {
	return rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"x", "", "a: b", "one\ntwo\n", "\n", " x\ny", "a\n\n\n", "- x", "# c", "true", "日本\n語", "x\n  y", "*a", "'", "{", "a\x00b", "|", "- - -", "..."}), str),
		rapid.Map(rapid.String(), str),
		rapid.Map(rapid.IntRange(-5, 5), func(i int) config.Node { return num(strconv.Itoa(i)) }),
		rapid.SampledFrom([]config.Node{{}, yes(), list(), object(), list(str("a"), str("b: c")), object(member("a", num("1")), member("n: m", str("x\ny\n"))), list(object(member("k", list(num("1")))), list(list()))}),
	).Draw(t, "new value")
}

// Whatever a file looks like: a change of a value changes that value, and loses no comment outside of it.
func TestDocument_Set_OtherTextUnchanged(t *testing.T) {
	refused, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := &author{t: t}
		text := a.file()
		d, err := yamlfile.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		var paths [][]string
		var values []config.Node
		places(d.Node(), nil, func(path []string, v config.Node) { paths, values = append(paths, path), append(values, v) })
		i := rapid.IntRange(0, len(paths)-1).Draw(t, "place")
		v := newValue(t)
		changed, err := d.Set(v, paths[i]...)
		if all++; err != nil {
			refused++
			t.Logf("%v for %q, new value %s in\n%s", err, paths[i], v.JSON(), text)
			if values[i].Kind != config.Object && values[i].Kind != config.List {
				t.Fatal("refused")
			}
			return
		}
		if changed.Node().JSON() == d.Node().JSON() && !yamlfile.Same(v, values[i]) {
			t.Fatalf("nothing has changed in\n%s", text)
		}
		if values[i].Kind == config.Object || values[i].Kind == config.List {
			return
		}
		within := comment.FindAllString(values[i].Text, -1)
		was, is := comment.FindAllString(text, -1), comment.FindAllString(string(changed.Text()), -1)
		was = slices.DeleteFunc(was, func(c string) bool { return slices.Contains(within, c) })
		if !slices.Equal(was, is) {
			t.Fatalf("comments were %v, are %v\n%s\nbecame\n%s", was, is, text, changed.Text())
		}
		if v.Kind == config.Number && values[i].Kind == config.Number {
			if n := differing(text, string(changed.Text())); n > 1 {
				t.Fatalf("%d lines differ\n%s\nbecame\n%s", n, text, changed.Text())
			}
		}
	})
	t.Logf("%d of %d changes were refused", refused, all)
}

// differing is how many lines differ; -1 if there are more or fewer.
func differing(a, b string) (n int) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(x) != len(y) {
		return -1
	}
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}

// TestDocument_InsertRemove checks that removal of an inserted element restores the file, except for the
// form of an empty list.
func TestDocument_InsertRemove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &author{t: t}
		text := a.file()
		if !strings.HasSuffix(text, "\n") {
			text += "\n" // without, text in lines that ends the file would be another with a line below it
		}
		d, err := yamlfile.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var paths [][]string
		places(d.Node(), nil, func(path []string, v config.Node) {
			if v.Kind == config.List {
				for i := range len(v.Elements) + 1 {
					paths = append(paths, append(slices.Clone(path), strconv.Itoa(i)))
				}
			}
		})
		if len(paths) == 0 {
			return
		}
		path := rapid.SampledFrom(paths).Draw(t, "place")
		inserted, err := d.Insert(newValue(t), path...)
		if err != nil {
			t.Fatalf("%v at %q in\n%s", err, path, text)
		}
		removed, err := inserted.Remove(path...)
		if err != nil {
			t.Fatalf("%v at %q in\n%s", err, path, inserted.Text())
		}
		if !yamlfile.Same(d.Node(), removed.Node()) {
			t.Fatalf("%s\nbecame\n%s\nand then\n%s", text, inserted.Text(), removed.Text())
		}
		was, is := comment.FindAllString(text, -1), comment.FindAllString(string(removed.Text()), -1)
		if !slices.Equal(was, is) {
			t.Fatalf("comments were %v, are %v\n%s\nbecame\n%s", was, is, text, removed.Text())
		}
	})
}
