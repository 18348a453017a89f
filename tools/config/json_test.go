package config_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/config"
)

func TestJSON_Positions(t *testing.T) {
	n, err := config.JSON([]byte("\n { \"a\" :\n  [ 1, \"日本\", true ],\t\"b\\u0063\": {} }\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, bc := n.Members[0], n.Members[1]
	for what, got := range map[string][2]config.Position{
		"the whole":          {n.Position, {Line: 2, Column: 2}},
		"the name a":         {a.Position, {Line: 2, Column: 4}},
		"its list":           {a.Value.Position, {Line: 3, Column: 3}},
		"its second element": {a.Value.Elements[1].Position, {Line: 3, Column: 8}},
		"its third element":  {a.Value.Elements[2].Position, {Line: 3, Column: 14}},
		"the name bc":        {bc.Position, {Line: 3, Column: 22}},
		"its object":         {bc.Value.Position, {Line: 3, Column: 33}},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is at %v, want %v", what, got[0], got[1])
		}
	}
	if bc.Name != "bc" || a.Value.Elements[1].Text != "日本" {
		t.Errorf("read %+v", n)
	}
}

// FuzzJSON holds the decoder against the standard library's, and a node against
// its own JSON.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"x",true,null,{}],"b":{"c":"\u00e9\ud83d\ude00"}}`, `[]`, `"`, "{\"a\":1,}", "\ufeff{}", `"\ud800"`, strings.Repeat("[", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := config.JSON([]byte(text))
		if err != nil {
			syntax, ok := errors.AsType[*config.SyntaxError](err)
			if !ok || syntax.Position.Line < 1 || syntax.Position.Column < 1 || !strings.Contains(err.Error(), syntax.Message) {
				t.Errorf("%q: the error has no place: %#v", text, err)
			}
			return
		}
		var want, got, indented any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			return // numbers that a float64 does not hold
		}
		if err := errors.Join(json.Unmarshal([]byte(n.JSON()), &got), json.Unmarshal([]byte(n.Indented()), &indented)); err != nil {
			t.Fatalf("%q is written as %q: %v", text, n.JSON(), err)
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(got, indented) {
			t.Errorf("%q is written as %q", text, n.JSON())
		}
	})
}

type file struct {
	io.Reader
	closed *bool
}

func (f file) Close() error {
	*f.closed = true
	return nil
}

func TestJSON_SizeLimit(t *testing.T) {
	for name, tc := range map[string]struct {
		content io.Reader
		opening error
		size    int
		want    string
	}{
		"a file":           {content: strings.NewReader("{}"), size: 2},
		"the largest file": {content: strings.NewReader(strings.Repeat(" ", config.MaxFile)), size: config.MaxFile},
		"a larger file":    {content: strings.NewReader(strings.Repeat(" ", config.MaxFile+1)), want: "larger than 1048576 bytes"},
		"an endless file":  {content: endless{}, want: "larger than"},
		"no file":          {opening: fs.ErrNotExist, want: "not exist"},
	} {
		closed := tc.opening != nil
		data, err := config.Read(func() (io.ReadCloser, error) { return file{tc.content, &closed}, tc.opening })
		if len(data) != tc.size || tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		if !closed {
			t.Errorf("%s is left open", name)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
