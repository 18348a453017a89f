package editcorpus_test

import (
	"fmt"
	"log"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dougu-go/dougu/internal/editcorpus"
)

const sample = `# What comes before the first case is a note.

=== a title
# a note
-- before crlf --
one
two
-- old open nearLine=2 --
two
-- new quoted --
"\ttwo"
"!\n"
-- old replaceAll expectedCount=3 --
-- SQL --
-- new --
-- after encoding=shift-jis by=exact --
値

=== another title
-- before bom open --
-- old --
x
-- new --
y
-- error CODE OTHER_CODE --
says this

and this
`

func Example() {
	cases, err := editcorpus.Parse("sample", sample)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range cases {
		fmt.Printf("%s: %q, %q, %v\n", c.Name(), c.Before, c.After, c.Errors)
	}
	// Output:
	// sample/a title: "one\r\ntwo\r\n", "\x92l\n", []
	// sample/another title: "\ufeff", "", [CODE OTHER_CODE]
}

func TestParse(t *testing.T) {
	t.Parallel()
	cases, err := editcorpus.Parse("sample", sample)
	if err != nil {
		t.Fatal(err)
	}
	c := cases[0]
	want := []editcorpus.Edit{{Old: "two", New: "\ttwo!\n", NearLine: 2}, {Old: "-- SQL --\n", ReplaceAll: true, ExpectedCount: 3}}
	if len(c.Edits) != 2 || c.Edits[0] != want[0] || c.Edits[1] != want[1] || c.By != "exact" || c.Refused() {
		t.Errorf("read %+v", c)
	}
	if c := cases[1]; !c.Refused() || strings.Join(c.Says, "|") != "says this|and this" {
		t.Errorf("read %+v", c)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const edit = "-- old --\nx\n-- new --\ny\n"
	for name, text := range map[string]string{
		"text in no section":     "hello\n",
		"a section in no case":   "-- before --\n",
		"no outcome":             "=== a\n-- before --\n" + edit,
		"no outcome, then more":  "=== a\n-- before --\n" + edit + "=== b\n",
		"no edit":                "=== a\n-- before --\n-- after --\n",
		"old without new":        "=== a\n-- before --\n-- old --\n-- after --\n",
		"new without old":        "=== a\n-- before --\n-- new --\n",
		"before twice":           "=== a\n-- before --\n-- before --\n",
		"more behind the end":    "=== a\n-- before --\n" + edit + "-- after --\n" + edit,
		"no such attribute":      "=== a\n-- before upside-down --\n" + edit + "-- after --\n",
		"no such encoding":       "=== a\n-- before encoding=morse --\n" + edit + "-- after --\n",
		"a flag with a value":    "=== a\n-- before open=1 --\n" + edit + "-- after --\n",
		"no number":              "=== a\n-- before --\n-- old nearLine=x --\n-- new --\n-- after --\n",
		"not quoted":             "=== a\n-- before quoted --\nhello\n" + edit + "-- after --\n",
		"no code":                "=== a\n-- before --\n" + edit + "-- error --\n",
		"lacks in the encoding":  "=== a\n-- before encoding=shift-jis --\n🍣\n" + edit + "-- after --\n",
		"wrong in the last case": "=== a\n-- before --\n" + edit + "-- after quoted --\nx\n",
	} {
		if cases, err := editcorpus.Parse("x", text); err == nil {
			t.Errorf("%s: read as %+v", name, cases)
		}
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		"":                           "a\nb\nc\n",
		"open":                       "a\nb\nc",
		"crlf":                       "a\r\nb\r\nc\r\n",
		"crlf open":                  "a\r\nb\r\nc",
		"cr":                         "a\rb\rc\r",
		"mixed":                      "a\r\nb\nc\r\n",
		"bom":                        "\xef\xbb\xbfa\nb\nc\n",
		"bom encoding=utf-16le open": "\xff\xfea\x00\n\x00b\x00\n\x00c\x00",
		"encoding=utf-16be open":     "\x00a\x00\n\x00b\x00\n\x00c",
		"encoding=euc-jp":            "a\nb\nc\n",
		"encoding=iso-2022-jp":       "a\nb\nc\n",
		"encoding=windows-1252":      "a\nb\nc\n",
	} {
		cases, err := editcorpus.Parse("x", "=== t\n-- before "+attributes+" --\na\nb\nc\n-- old --\nx\n-- new --\ny\n-- error E --\n")
		if err != nil || string(cases[0].Before) != want {
			t.Errorf("%s: %+v, %v; want %q", attributes, cases, err, want)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	made := editcorpus.Case{Before: []byte("a"), After: []byte("b")}
	refused := editcorpus.Case{Before: []byte("a"), Errors: []string{"E"}}
	for _, tt := range []struct {
		c       editcorpus.Case
		after   string
		refused bool
		want    editcorpus.Verdict
	}{
		{made, "b", false, editcorpus.Right},
		{made, "b", true, editcorpus.Wrong},
		{made, "a", true, editcorpus.NotDone},
		{made, "a", false, editcorpus.NotDone},
		{made, "c", false, editcorpus.Wrong},
		{refused, "a", true, editcorpus.Right},
		{refused, "a", false, editcorpus.NotDone},
		{refused, "b", false, editcorpus.Wrong},
		{refused, "b", true, editcorpus.Wrong},
	} {
		if got := tt.c.Judge([]byte(tt.after), tt.refused); got != tt.want || got.String() == "" {
			t.Errorf("%+v, %q, %v: %v, want %v", tt.c, tt.after, tt.refused, got, tt.want)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	one := "=== t\n-- before --\n-- old --\nx\n-- new --\ny\n-- error E --\n"
	got, err := editcorpus.Read(fstest.MapFS{"b.txt": {Data: []byte(one)}, "a.txt": {Data: []byte(one)}, "README.md": {Data: []byte("x")}})
	if err != nil || len(got) != 2 || got[0].Name() != "a/t" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := editcorpus.Read(fstest.MapFS{"a.txt": {Data: []byte(one + one)}}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same title twice: %v", err)
	}
	if _, err := editcorpus.Read(fstest.MapFS{"a.txt": {Data: []byte("x")}}); err == nil || !strings.Contains(err.Error(), "a, line 1") {
		t.Errorf("a broken file: %v", err)
	}
}
