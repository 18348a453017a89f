package jsonx_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
)

var documents = []string{
	`null`, `true`, `false`, `0`, `-0`, `12`, `-1.5e+10`, `1E5`, `""`, `"a"`, `[]`, `{}`, ` [ 1 , 2 ] `, `{"a":{"b":[1,"x",null]}}`,
	`"\u0041\n\\\/"`, `"\ud83d\ude00"`, `"\ud800"`, `"日本語テキスト 12345678"`, `{"long":"0123456789abcdef0123456789abcdef"}`, "\"\xff\"",
	``, ` `, `nul`, `tru`, `01`, `-`, `1.`, `1e`, `.5`, `+1`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `"abc`, `"\x"`, `"\u12"`,
	"\"a\nb\"", `"a" "b"`, `{} x`, `[`, `{`, `]`, `NaN`, `'a'`, "\"\x00\"", `{"a":1 "b":2}`, `[1}`, "\ufeff{}",
}

func TestValid_MatchesStandardLibrary(t *testing.T) {
	for _, doc := range documents {
		if got, want := jsonx.Valid([]byte(doc)) == nil, json.Valid([]byte(doc)); got != want {
			t.Errorf("Valid(%q) = %v, encoding/json says %v", doc, got, want)
		}
	}
}

func TestValid_DepthLimit(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if err := jsonx.Valid(nested(jsonx.MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", jsonx.MaxDepth, err)
	}
	var syntax *jsonx.SyntaxError
	if err := jsonx.Valid(nested(jsonx.MaxDepth + 1)); !errors.As(err, &syntax) || syntax.Offset != jsonx.MaxDepth {
		t.Errorf("%d levels: got %v, want an error at byte %d", jsonx.MaxDepth+1, err, jsonx.MaxDepth)
	}
	deep := []byte(strings.Repeat(`{"a":`, 1_000_000))
	if err := jsonx.Valid(deep); err == nil {
		t.Error("a million levels were accepted")
	}
}

func TestString_InvalidText(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want jsonx.Flags
	}{
		{`"plain ASCII text, longer than a word"`, 0},
		{`"日本語"`, 0},
		{`"tab\t"`, jsonx.Escaped},
		{`"\ud83d\ude00"`, jsonx.Escaped},
		{`"\ud83d"`, jsonx.Escaped | jsonx.LoneSurrogate},
		{`"\ude00\ud83d"`, jsonx.Escaped | jsonx.LoneSurrogate},
		{`"\ud83d\u0041"`, jsonx.Escaped | jsonx.LoneSurrogate},
		{"\"\xff\"", jsonx.InvalidUTF8},
		{"\"0123456789\xe3\x81\"", jsonx.InvalidUTF8},
	} {
		end, got, err := jsonx.String([]byte(tc.in), 0)
		if err != nil || got != tc.want || end != len(tc.in) {
			t.Errorf("String(%q) = %d, %b, %v; want %d, %b, nil", tc.in, end, got, err, len(tc.in), tc.want)
		}
	}
}

func TestNumber_Integers(t *testing.T) {
	for in, want := range map[string]bool{"0": true, "-7": true, "9007199254740993": true, "1.0": false, "1e3": false, "12345678901234567890123": true} {
		end, integer, err := jsonx.Number([]byte(in), 0)
		if err != nil || integer != want || end != len(in) {
			t.Errorf("Number(%q) = %d, %v, %v", in, end, integer, err)
		}
	}
}

func TestMembers(t *testing.T) {
	var got []string
	members := jsonx.Object([]byte(` { "id" : 12 , "para\u006ds" : {"a":[1,{}]} ,"s":"x,}" }  tail`))
	for members.Next() {
		got = append(got, members.Name()+"="+string(members.Value()))
	}
	if err := members.Err(); err != nil {
		t.Fatal(err)
	}
	if want := `[id=12 params={"a":[1,{}]} s="x,}"]`; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if members.Flags() != jsonx.Escaped {
		t.Errorf("flags = %b, want Escaped", members.Flags())
	}
	for _, bad := range []string{``, `[`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1;`, `{1:2}`, `{"a":tru}`} {
		members := jsonx.Object([]byte(bad))
		for members.Next() {
		}
		if members.Err() == nil {
			t.Errorf("Object(%q) ended without an error", bad)
		}
	}
}

func TestElements(t *testing.T) {
	var got []string
	elements := jsonx.Array([]byte(`[ 1, "two" ,[3] , {"4":5}] tail`))
	for elements.Next() {
		got = append(got, string(elements.Value()))
	}
	if want := `[1 "two" [3] {"4":5}]`; elements.Err() != nil || fmt.Sprint(got) != want || elements.Flags() != 0 {
		t.Errorf("got %v, %v; want %v", got, elements.Err(), want)
	}
	if elements.End() != len(`[ 1, "two" ,[3] , {"4":5}]`) {
		t.Errorf("End = %d", elements.End())
	}
	for _, bad := range []string{``, `{`, `[`, `[1`, `[1,`, `[1 2]`, `[,]`} {
		elements := jsonx.Array([]byte(bad))
		for elements.Next() {
		}
		if elements.Err() == nil {
			t.Errorf("Array(%q) ended without an error", bad)
		}
	}
}

func TestScan_NoAllocations(t *testing.T) {
	doc := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"World","tags":["a","b"]}}}`)
	allocs := testing.AllocsPerRun(100, func() {
		members := jsonx.Object(doc)
		for members.Next() {
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

func TestQuoting(t *testing.T) {
	for _, s := range []string{"", "plain", "quote \" and slash \\", "\n\r\t\b\f\x01", "日本語", "<&>\u2028", "12345678\"", strings.Repeat("x", 100) + "\x1f"} {
		quoted := jsonx.AppendQuoted(nil, s)
		if again := jsonx.AppendQuoted(nil, []byte(s)); string(again) != string(quoted) {
			t.Errorf("bytes and string differ: %q, %q", again, quoted)
		}
		var decoded string
		if err := json.Unmarshal(quoted, &decoded); err != nil || decoded != s {
			t.Errorf("AppendQuoted(%q) = %s, read back as %q, %v", s, quoted, decoded, err)
		}
		if back, err := jsonx.Unquote(quoted); err != nil || back != s {
			t.Errorf("Unquote(%s) = %q, %v", quoted, back, err)
		}
	}
	type name string
	if got := jsonx.AppendQuoted(nil, name("n")); string(got) != `"n"` {
		t.Errorf("a named string type gave %s", got)
	}
	if got := jsonx.AppendQuoted(nil, "a\xffb"); string(got) != "\"a\uFFFDb\"" {
		t.Errorf("invalid UTF-8 gave %q", got)
	}
}

func TestUnquote_MatchesStandardLibrary(t *testing.T) {
	for _, raw := range []string{`"\u0041\b\f\n\r\t\/\\\""`, `"\ud83d\ude00!"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ude00"`, "\"a\xff\\n\"", `"é\u00e9"`} {
		var want string
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := jsonx.Unquote([]byte(raw)); err != nil || got != want {
			t.Errorf("Unquote(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, bad := range []string{``, `"`, `"a`, `"a"b`, `12`} {
		if _, err := jsonx.Unquote([]byte(bad)); err == nil {
			t.Errorf("Unquote(%q) succeeded", bad)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := jsonx.Valid(data)
		if want := json.Valid(data); err == nil && !want {
			t.Fatalf("accepted what encoding/json refuses: %q", data)
		} else if err != nil && want && !strings.Contains(err.Error(), "nested deeper") {
			t.Fatalf("refused what encoding/json accepts: %q: %v", data, err)
		}
		if err == nil && !utf8.Valid(data) {
			if _, flags, _ := jsonx.Skip(data, 0); flags&jsonx.InvalidUTF8 == 0 {
				t.Fatalf("invalid UTF-8 went unnoticed: %q", data)
			}
		}
		var want, got string
		if json.Unmarshal(data, &want) == nil && err == nil && data[jsonx.Space(data, 0)] == '"' {
			start := jsonx.Space(data, 0)
			end, _, _ := jsonx.String(data, start)
			if got, err = jsonx.Unquote(data[start:end]); err != nil || got != want {
				t.Fatalf("Unquote(%q) = %q, %v; want %q", data, got, err, want)
			}
		}
	})
}

func BenchmarkObject(b *testing.B) {
	doc := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"World","tags":["a","b"]}}}`)
	b.ReportAllocs()
	for b.Loop() {
		members := jsonx.Object(doc)
		for members.Next() {
		}
	}
}

func BenchmarkLongString(b *testing.B) {
	doc := []byte(`"` + strings.Repeat("all work and no play ", 50_000) + `"`)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, _, err := jsonx.String(doc, 0); err != nil {
			b.Fatal(err)
		}
	}
}
