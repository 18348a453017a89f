package pull_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/tools/agents/executor/internal/pull"
)

// value reads any value into the types of encoding/json, with numbers as json.Number.
func value(s *pull.Scanner) any {
	switch s.Peek() {
	case '{':
		all := map[string]any{}
		s.Object(func(key []byte) {
			name := ""
			if json.Unmarshal([]byte(`"`+string(key)+`"`), &name) != nil {
				name = "?"
			}
			all[name] = value(s)
		})
		return all
	case '[':
		all := []any{}
		s.Array(func() { all = append(all, value(s)) })
		return all
	case '"':
		return s.Text()
	case 't', 'f':
		return s.Bool()
	case 'n':
		s.Skip()
		return nil
	}
	return json.Number(s.Raw())
}

func FuzzScanner(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00",true,null,{}],"b":{}}`, `{"a":}`, `[1,]`, `[`, ``, `{"a" 1}`, `"\ud800"`, `{"a":1}x`, strings.Repeat("[", 200)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := pull.New(data)
		got := value(s)
		err := s.End()
		if (err == nil) != (jsonx.Valid(data) == nil) {
			t.Fatalf("%q: %v, but jsonx says %v", data, err, jsonx.Valid(data))
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err == nil && d.Decode(&want) == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q was read as %#v, want %#v", data, got, want)
		}
	})
}

func TestScanner_OtherKind(t *testing.T) {
	s := pull.New([]byte(`["text", 12, 1.5, true, {"a":1}, [2], null, 7]`))
	var read []any
	s.Array(func() {
		switch len(read) {
		case 0:
			read = append(read, s.Int())
		case 1:
			read = append(read, s.Text())
		case 2:
			read = append(read, s.Int())
		case 3:
			read = append(read, s.Float())
		case 4:
			s.Array(func() { t.Error("an object was read as an array") })
			read = append(read, "object")
		case 5:
			s.Object(func([]byte) { t.Error("an array was read as an object") })
			read = append(read, "array")
		case 6:
			read = append(read, s.Bool())
		default:
			read = append(read, s.Int())
		}
	})
	want := []any{int64(0), "", int64(0), 0.0, "object", "array", false, int64(7)}
	if !reflect.DeepEqual(read, want) || s.End() != nil {
		t.Errorf("read %v, want %v: %v", read, want, s.End())
	}
}

func TestScanner_DepthLimit(t *testing.T) {
	s := pull.New([]byte(strings.Repeat("[", 100_000)))
	value(s)
	var syntax *jsonx.SyntaxError
	if !errors.As(s.End(), &syntax) {
		t.Errorf("nested too deeply: %v", s.End())
	}
}

func TestIsName(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "Az09": true, "a_b-c": true, "": false, "a.b": false, "a b": false, "é": false, "a\xff": false, "a\n": false,
		strings.Repeat("x", 8): true, strings.Repeat("x", 9): false,
	} {
		if got := pull.IsName(text, 8, "_-"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
