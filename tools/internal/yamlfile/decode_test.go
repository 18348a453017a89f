package yamlfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, text, json string }{
		{"nothing", "", `{}`},
		{"comments", "# a\n", `{}`},
		{"a mark alone", "---\n", `{}`},
		{"scalars", "a: x\nb: 'y'\nc: \"z\"\nd: 1\ne: true\nf: ~\ng:\n", `{"a": "x", "b": "y", "c": "z", "d": 1, "e": true, "f": null, "g": null}`},
		{"numbers", "[0x1F, 0o17, 1_000, -2.50, 1e3, +5, .5, 99999999999999999999]", `[31, 15, 1000, -2.50, 1e3, 5, 0.5, 99999999999999999999]`},
		{"what is no number in JSON", "[.inf, .nan, 2026-01-02, 1:30, yes, on]", `[".inf", ".nan", "2026-01-02", "1:30", "yes", "on"]`},
		{"switches", "[True, FALSE]", `[true, false]`},
		{"text in lines", "a: |\n  one\n   two\n\nb: >-\n  one\n  two\n", `{"a": "one\n two\n", "b": "one two"}`},
		{"aliases", "a: &x {b: 1}\nc: [*x, *x]\n", `{"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}`},
		{"merge keys", "a: &x {b: 1, c: 2}\nd: &y {b: 3, e: 4}\nf:\n  <<: [*x, *y]\n  c: 5\n", `{"a": {"b": 1, "c": 2}, "d": {"b": 3, "e": 4}, "f": {"c": 5, "b": 1, "e": 4}}`},
		{"a merge key in quotes is a name", "\"<<\": 1\n", `{"<<": 1}`},
		{"names that are no text", "1: a\ntrue: b\n", `{"1": "a", "true": "b"}`},
		{"a name twice", "a: 1\na: 2\n", `{"a": 1, "a": 2}`},
		{"an alias as a name", "a: &x b\n*x : c\n", `{"a": "b", "b": "c"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := yamlfile.Decode([]byte(c.text))
			if err != nil || n.JSON() != c.json {
				t.Errorf("got %s, %v; want %s", n.JSON(), err, c.json)
			}
		})
	}
}

func TestDecode_Positions(t *testing.T) {
	n, err := yamlfile.Decode([]byte("# c\n日本: &x\n  - a: 1\nb: *x\n"))
	if err != nil {
		t.Fatal(err)
	}
	element := n.Members[0].Value.Elements[0]
	for _, c := range []struct {
		what string
		got  config.Position
		want config.Position
	}{
		{"name", n.Members[0].Position, config.Position{Line: 2, Column: 1}},
		{"value in a list", element.Members[0].Value.Position, config.Position{Line: 3, Column: 8}},
		{"alias", n.Members[1].Value.Position, config.Position{Line: 4, Column: 4}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestDecode_Errors(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c [%s]\n", c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10))
	}
	for _, c := range []struct {
		name, text, message string
		line                int
	}{
		{"a tag", "a: 1\nb: !!str 5\n", "a tag", 2},
		{"a tag of a program", "a: !ruby/object {}\n", "a tag", 1},
		{"a second document", "a: 1\n---\nb: 2\n", "a second document", 2},
		{"a tab", "a:\n\tb: 1\n", "cannot start", 2},
		{"not closed", "a: 1\nb: [\n", "did not find", 2},
		{"an unknown alias", "a: *x\n", "unknown anchor", 1},
		{"a name that is a list", "a: 1\n? [b]\n: 2\n", "a name", 2},
		{"a merge key with a scalar", "a: 1\n<<: 1\n", "a merge key", 2},
		{"a merge key with a list of scalars", "a: 1\n<<: [1]\n", "a merge key", 2},
		{"an alias of itself", "a: &x [*x]\n", "nested more than", 1},
		{"depth", strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested more than", 1},
		{"depth that the parser refuses", strings.Repeat("[", 100_000), "exceeded", 1},
		{"aliases that grow", bomb, "values", 1},
		{"size", "a: " + strings.Repeat("x", config.MaxFile), "larger than", 1},
		{"control characters", "a: \x01\n", "control characters", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := yamlfile.Decode([]byte(c.text))
			syntax, ok := errors.AsType[*config.SyntaxError](err)
			if !ok || !strings.Contains(syntax.Message, c.message) || syntax.Position.Line != c.line || syntax.Position.Column < 1 {
				t.Errorf("got %v, want line %d: %s", err, c.line, c.message)
			}
			if _, err := yamlfile.Parse([]byte(c.text)); err == nil {
				t.Error("it can be parsed as a document")
			}
		})
	}
	if _, err := yamlfile.Parse([]byte("a: \xff")); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("got %v", err)
	}
}

// With the table of settings, a file in YAML is as good as one in JSON.
func TestSettings(t *testing.T) {
	type settings struct {
		port  int
		level string
	}
	table := config.NewTable(config.Options{Prefix: "X_", Title: "x"},
		config.NewKey("dashboard.port", func(s *settings) *int { return &s.port }, 9696, config.Whole(0, 65535), "port"),
		config.NewKey("log.level", func(s *settings) *string { return &s.level }, "info", config.OneOf("debug", "info"), "level"),
	)
	l := table.Load(table.File("x.yaml", []byte("dashboard:\n  port: 8080 # c\n  port: 1\nlog:\n  level: inof\n"), nil, yamlfile.Decode))
	if l.Config.port != 9696 || l.Config.level != "info" {
		t.Errorf("got %+v", l.Config)
	}
	for _, want := range []string{`x.yaml:2:9: dashboard.port`, `more than once`, `x.yaml:5:10: log.level: received "inof"`, `did you mean "info"?`} {
		if !strings.Contains(l.Err().Error(), want) {
			t.Errorf("%q is not in %v", want, l.Err())
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, text := range []string{"a: 1\nb:\n  - x: |\n      y\n\n  - - z # c\n", "{a: [b, c: d, {}], 'e': \"f\", ? g}", "a: &x !!str b\nc: *x\n<<: {d: e}", "- >+2\n   a\n\n", "\uFEFFa:\r\n  b: c\u2028"} {
		f.Add([]byte(text), uint16(1), "new: text\n")
	}
	f.Fuzz(func(t *testing.T, data []byte, place uint16, text string) {
		d, err := yamlfile.Parse(data)
		if err != nil {
			return
		}
		if string(d.Text()) != string(data) {
			t.Fatal("the text has changed")
		}
		var paths [][]string
		places(d.Node(), nil, func(path []string, _ config.Node) { paths = append(paths, path) })
		if len(paths) == 0 {
			return
		}
		path := paths[int(place)%len(paths)]
		if changed, err := d.Set(str(text), path...); err == nil && !strings.Contains(changed.Node().JSON(), str(text).JSON()) {
			t.Fatalf("%q did not get %q: %s", path, text, changed.Node().JSON())
		}
		if _, err := d.Remove(path...); err != nil && !errors.Is(err, yamlfile.ErrByHand) && !errors.Is(err, yamlfile.ErrNoPlace) {
			t.Fatal(err)
		}
		if _, err := d.Insert(str(text), append(path, "0")...); err != nil && !errors.Is(err, yamlfile.ErrByHand) && !errors.Is(err, yamlfile.ErrNoPlace) {
			t.Fatal(err)
		}
	})
}
