package headless_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

func formatting(t *testing.T, mode string, o headless.Options) *project {
	t.Helper()
	o.Servers = []headless.Server{}
	o.Env = append(os.Environ(), formatterVariable+"="+mode)
	if o.Formatters == nil {
		o.Formatters = []headless.Formatter{{Name: "shout", Languages: []string{"go"}, Command: testBinary(t)}}
	}
	return open(t, fakeProject, o)
}

func TestFormat_Program(t *testing.T) {
	p := formatting(t, "upper", headless.Options{})
	doc := p.doc("a.go")
	for name, tc := range map[string]struct {
		text string
		part *adapter.Range
		want string
	}{
		"all":           {"a\nB\nc\n", nil, "A\nB\nC\n"},
		"nothing":       {"A\n", nil, "A\n"},
		"an empty text": {"", nil, ""},
		"no line end":   {"a\nb", nil, "A\nB"},
		"other ends":    {"a\r\nb\r\n", nil, "A\r\nB\r\n"},
		"mixed ends":    {"a\r\nb\n", nil, "A\r\nB\n"},
		"Japanese":      {"日本 a\n", nil, "日本 A\n"},
		"a part": {"a\nB\nc\nD\ne\n", &adapter.Range{Start: adapter.Position{Line: 2, Column: 1}, End: adapter.Position{Line: 3, Column: 2}},
			"a\nB\nC\nD\ne\n"},
	} {
		t.Run(name, func(t *testing.T) {
			doc.Text = tc.text
			edits, err := p.Format(long(t), doc, tc.part)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := adapter.Apply(tc.text, edits); got != tc.want || err != nil {
				t.Errorf("%q, %v, want %q", got, err, tc.want)
			}
		})
	}
}

func TestFormat_ProgramFails(t *testing.T) {
	for mode, want := range map[string]string{"fail": "FORMATTER_FAILED", "empty": "FORMATTER_FAILED", "binary": "FORMATTER_FAILED", "flood": "FORMATTER_FAILED", "hang": "TIMEOUT"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := headless.Options{MaxFile: 1 << 20}
			if mode == "hang" {
				o.RequestTimeout = 200 * time.Millisecond
			}
			p := formatting(t, mode, o)
			_, err := p.Format(long(t), p.doc("a.go"), nil)
			if code(err) != want || mode == "fail" && !strings.Contains(err.Error(), "line 1: no") {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

func TestFormat_ProjectProgramNotRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is made executable as on Unix")
	}
	outside := t.TempDir()
	o := headless.Options{Formatters: []headless.Formatter{{Name: "evil", Languages: []string{"go"}, Command: "evil"}}}
	for name, place := range map[string]func(p *project) string{
		"a directory of the project": func(p *project) string { return p.path("bin") },
		"a link to it": func(p *project) string {
			link := filepath.Join(outside, "bin")
			if err := os.Symlink(p.path("bin"), link); err != nil {
				t.Fatal(err)
			}
			return link
		},
		"a link to the program": func(p *project) string {
			if err := os.Symlink(p.path("bin/evil"), filepath.Join(outside, "evil")); err != nil {
				t.Fatal(err)
			}
			return outside
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := formatting(t, "upper", o)
			p.write("bin/evil", "#!/bin/sh\ncat\n")
			if err := os.Chmod(p.path("bin/evil"), 0o755); err != nil {
				t.Fatal(err)
			}
			o := o
			o.Servers = []headless.Server{}
			o.Search = []string{place(p)}
			h := headless.New(p.root, o)
			defer h.Close(long(t))
			if _, err := h.Format(long(t), p.doc("a.go"), nil); !errors.Is(err, adapter.ErrUnsupported) {
				t.Errorf("it was run: %v", err)
			}
			named := o
			named.Formatters = []headless.Formatter{{Name: "evil", Languages: []string{"go"}, Command: p.path("bin/evil")}}
			h = headless.New(p.root, named)
			defer h.Close(long(t))
			if _, err := h.Format(long(t), p.doc("a.go"), nil); err != nil {
				t.Errorf("it was not run although it was named: %v", err)
			}
		})
	}
}

// Applying the difference of two texts to the first yields the second.
func TestDifference_Apply(t *testing.T) {
	text := rapid.StringMatching(`([ab😀]{0,2}(\n|\r\n|\r)?){0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		edits := headless.Difference(old, new)
		if got, err := adapter.Apply(old, edits); got != new || err != nil {
			t.Fatalf("%+v make %q of %q, %v; want %q", edits, got, old, err, new)
		}
	})
}

func TestFormat_Environment(t *testing.T) {
	t.Setenv(formatterVariable, "env")
	t.Setenv("DOUGU_TOKEN", "secret")
	p := formatting(t, "", headless.Options{})
	p.write("bin/x", "")
	outside := t.TempDir()
	t.Setenv("PATH", strings.Join([]string{p.path("bin"), outside, "relative"}, string(filepath.ListSeparator)))
	h := headless.New(p.root, headless.Options{Servers: []headless.Server{}, Formatters: []headless.Formatter{{Name: "env", Languages: []string{"go"}, Command: testBinary(t)}}})
	defer h.Close(long(t))
	edits, err := h.Format(long(t), p.doc("a.go"), nil)
	if err != nil || len(edits) != 1 || edits[0].NewText != "token= path="+outside+"\n" {
		t.Errorf("%+v, %v", edits, err)
	}
}
