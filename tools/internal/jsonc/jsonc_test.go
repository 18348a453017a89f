package jsonc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/jsonc"
)

func TestParse_Depth(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		shut := map[string]string{"[": "]", `{"a":`: "}"}[open]
		nested := func(depth int) []byte {
			return []byte("// [[[[\n" + strings.Repeat(open, depth) + `"[\"["` + strings.Repeat(shut, depth) + " /* [ */")
		}
		if _, err := jsonc.Parse(nested(jsonc.MaxDepth)); err != nil {
			t.Errorf("the greatest depth of %s: %v", open, err)
		}
		if _, err := jsonc.Standardize(nested(jsonc.MaxDepth)); err != nil {
			t.Errorf("the greatest depth of %s: %v", open, err)
		}
		_, err := jsonc.Parse(nested(jsonc.MaxDepth + 1))
		deep, ok := errors.AsType[*jsonc.DepthError](err)
		if want := len("// [[[[\n") + jsonc.MaxDepth*len(open); !ok || deep.Offset != want {
			t.Errorf("one level more of %s: %v", open, err)
		}
		if _, err := jsonc.Standardize([]byte(strings.Repeat(open, 10<<20))); !errors.As(err, &deep) {
			t.Errorf("ten million levels of %s: %v", open, err)
		}
	}
}

func TestStandardize(t *testing.T) {
	got, err := jsonc.Standardize([]byte("{\"a\": [1, 2,], // two\n} // end"))
	if want := "{\"a\": [1, 2 ]        \n}       \n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := jsonc.Standardize([]byte("{]")); err == nil {
		t.Error("invalid text was read")
	}
	// A text after a closing bracket too many is never read.
	if _, err := jsonc.Parse([]byte(strings.Repeat("]", 1000) + strings.Repeat("[", 1000))); err == nil {
		t.Error("invalid text was read")
	}
}

func TestScan(t *testing.T) {
	var seen []byte
	const text = "{ \"a\\\"b\": 1, /* } */ \"c\": 2 // }\n} /"
	jsonc.Scan([]byte(text), func(at int) bool {
		seen = append(seen, text[at])
		return true
	})
	if string(seen) != `{":1,/":2/}/` {
		t.Errorf("%q", seen)
	}
	seen = nil
	jsonc.Scan([]byte(text), func(at int) bool {
		seen = append(seen, text[at])
		return len(seen) < 2
	})
	if string(seen) != `{"` {
		t.Errorf("%q", seen)
	}
}

func TestCommentLength(t *testing.T) {
	for text, want := range map[string]int{"// a\r\nb": 4, "// a": 4, "/* a */ b": 7, "/* a": 4, "/": 0, "a": 0, "": 0} {
		if got := jsonc.CommentLength([]byte(text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}
