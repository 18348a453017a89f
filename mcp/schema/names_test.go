package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type namedEdit struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
}

type namedArgs struct {
	FilePath   string      `json:"filePath" jsonschema:"description=File"`
	MaxResults int         `json:"maxResults,omitempty" jsonschema:"minimum=1,default=50"`
	Edits      []namedEdit `json:"edits,omitempty"`
	Kind       string      `json:"kind,omitempty"`
	Old        *string     `json:"old,omitempty"`
}

func namedOptions() Options {
	return Options{
		Names:    map[string]string{"filePath": "path", "maxResults": "limit"},
		Unlisted: []string{"old"},
		Synonyms: func(properties []string) map[string]string {
			if slices.Contains(properties, "path") {
				return map[string]string{"file_path": "path", "file": "path", "kind": "path", "absent": "none"}
			}
			return map[string]string{"old_string": "oldText", "new_string": "newText"}
		},
	}
}

func TestNames_List(t *testing.T) {
	t.Parallel()
	s, err := Input(reflect.TypeFor[namedArgs](), namedOptions())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"path":{"type":"string","description":"File"},"limit":{"type":"integer","minimum":1,"default":50},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},` +
		`"required":["oldText","newText"],"additionalProperties":false}},"kind":{"type":"string"}},"required":["path"],"additionalProperties":false}`
	if got := string(s.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNames_Prepare(t *testing.T) {
	t.Parallel()
	generated, err := Input(reflect.TypeFor[namedArgs](), namedOptions())
	if err != nil {
		t.Fatal(err)
	}
	own, err := Input(reflect.TypeFor[namedArgs](), Options{})
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := Compile(own.JSON(), namedOptions())
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"path":"a"}`:                           `{"filePath":"a","maxResults":50}`,
		`{"filePath":"a","limit":3}`:             `{"filePath":"a","maxResults":3}`,
		`{"filePath":"a","maxResults":3}`:        `{"filePath":"a","maxResults":3}`,
		`{ "file_path" : "a" , "limit" : null }`: `{ "filePath" : "a" , "maxResults" : 50 }`,
		`{"limit":null,"file":"a"}`:              `{"maxResults":50,"filePath":"a"}`,
		`{"p\u0061th":"a","limit":2.0}`:          `{"filePath":"a","maxResults":2}`,
		`{"f\u0069le":"a","limit":2}`:            `{"filePath":"a","maxResults":2}`,
		`{"path":"a","limit":1,"edits":[{"old_string":"x","newText":"y"},{"new_string":"z","oldText":"w"}]}`: `{"filePath":"a","maxResults":1,"edits":[{"oldText":"x","newText":"y"},{"newText":"z","oldText":"w"}]}`,
		`{"path":"a","limit":1,"old":"b"}`:          `{"filePath":"a","maxResults":1,"old":"b"}`,
		`{"kind":null,"path":"a","limit":1}`:        `{"filePath":"a","maxResults":1}`,
		`{}`:                                        `path: required`,
		`{"path":1}`:                                `path: must be a string, got 1`,
		`{"path":"a","limit":0}`:                    `limit: must be at least 1, got 0`,
		`{"maxResults":0,"path":"a"}`:               `maxResults: must be at least 1, got 0`,
		`{"path":"a","filePath":"b"}`:               `argument "path" is given twice: "filePath" is another name of it`,
		`{"file":"a","path":"b"}`:                   `argument "path" is given twice`,
		`{"pth":"a"}`:                               "unknown argument \"pth\" (did you mean \"path\"?)\npath: required",
		`{"path":"a","old_string":"b"}`:             `unknown argument "old_string" (did you mean "edits[].oldText"?)`,
		`{"path":"a","edits":[{"new_string":"z"}]}`: `edits[0].oldText: required`,
	} {
		for name, s := range map[string]*Schema{"generated": generated, "compiled": compiled} {
			got, err := s.Prepare([]byte(in))
			if err != nil {
				got = []byte(err.Error())
			}
			if string(got) != want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", name, in, got, want)
			}
		}
	}
}

func TestNames_PrepareOwnNamesWithoutCopy(t *testing.T) {
	t.Parallel()
	s, err := Input(reflect.TypeFor[namedArgs](), namedOptions())
	if err != nil {
		t.Fatal(err)
	}
	in := []byte(`{"filePath":"a","maxResults":3,"edits":[{"oldText":"a","newText":"b"}]}`)
	out, err := s.Prepare(in)
	if err != nil || &out[0] != &in[0] {
		t.Errorf("own names are copied: %s %v", out, err)
	}
}

func TestNames_Refusals(t *testing.T) {
	t.Parallel()
	type open struct {
		Path string         `json:"path"`
		More map[string]int `json:"more"`
	}
	for want, make := range map[string]func() error{
		`there is no "none"`: func() error { return namesError[namedArgs](Options{Names: map[string]string{"none": "path"}}) },
		`"kind" is already a name of "kind"`: func() error {
			return namesError[namedArgs](Options{Names: map[string]string{"filePath": "kind"}})
		},
		`"path" is already a name of`: func() error {
			return namesError[namedArgs](Options{Names: map[string]string{"filePath": "path", "kind": "path"}})
		},
		`filePath is required, and must be listed`: func() error { return namesError[namedArgs](Options{Unlisted: []string{"filePath"}}) },
		`only a property has one`:                  func() error { return namesError[namedArgs](Options{Names: map[string]string{"edits[]": "x"}}) },
		`more.*: only a property has one`:          func() error { return namesError[open](Options{Names: map[string]string{"more.*": "x"}}) },
		`takes any name`: func() error {
			_, err := Compile([]byte(`{"type":"object","properties":{"a":{}}}`), Options{Names: map[string]string{"a": "b"}})
			return err
		},
		`with combinations`: func() error {
			_, err := Compile([]byte(`{"type":"object","properties":{"a":{},"c":{}},"additionalProperties":false,"anyOf":[{"required":["a"]},{"required":["c"]}]}`), Options{Names: map[string]string{"a": "b"}})
			return err
		},
	} {
		if err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func namesError[T any](o Options) error {
	_, err := Input(reflect.TypeFor[T](), o)
	return err
}

type namedTree struct {
	ParentName string      `json:"parentName"`
	Children   []namedTree `json:"children,omitempty"`
}

func TestNames_RecursiveType(t *testing.T) {
	t.Parallel()
	s, err := Input(reflect.TypeFor[namedTree](), Options{Names: map[string]string{"parentName": "name", "children[].parentName": "name"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Prepare([]byte(`{"name":"a","children":[{"name":"b","children":[{"parentName":"c"}]}]}`))
	if want := `{"parentName":"a","children":[{"parentName":"b","children":[{"parentName":"c"}]}]}`; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	var refused *ValidationError
	if _, err := s.Prepare([]byte(`{"children":[{}]}`)); !errors.As(err, &refused) || len(refused.Violations) != 2 {
		t.Errorf("got %v", err)
	}
}

func TestNames_SynonymsInNullableObjectsAndTuples(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object","properties":{"oldText":{"type":"string"}},"additionalProperties":false}`
	s, err := Compile([]byte(`{"type":"object","properties":{"edit":{"anyOf":[{"type":"null"},`+object+`]},"pair":{"type":"array","prefixItems":[`+object+`]}},"additionalProperties":false}`),
		Options{Synonyms: func([]string) map[string]string { return map[string]string{"old_string": "oldText"} }})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Prepare([]byte(`{"edit":{"old_string":"a"},"pair":[{"old_string":"b"}]}`))
	if want := `{"edit":{"oldText":"a"},"pair":[{"oldText":"b"}]}`; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
	if got, err := s.Prepare([]byte(`{"edit":null}`)); err != nil || string(got) != `{"edit":null}` {
		t.Errorf("null: %s %v", got, err)
	}
}

// FuzzNames checks that arguments under other names are prepared as under their own names.
func FuzzNames(f *testing.F) {
	f.Add([]byte(`{"filePath":"a","maxResults":3,"edits":[{"oldText":"x","newText":"y"}],"kind":"k","old":null}`), uint64(0b10110))
	f.Add([]byte(`{"edits":[{"newText":"","oldText":"\u00e9"},{"oldText":"1","newText":"2"}],"filePath":"b","maxResults":null}`), uint64(0xffff))
	aliases := map[string][]string{"filePath": {"path", "file_path", "file"}, "maxResults": {"limit"}, "oldText": {"old_string"}, "newText": {"new_string"}}
	s, err := Input(reflect.TypeFor[namedArgs](), namedOptions())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args []byte, choices uint64) {
		want, err := s.Prepare(args)
		var given any
		exact := json.NewDecoder(bytes.NewReader(args))
		exact.UseNumber()
		if err != nil || exact.Decode(&given) != nil {
			return
		}
		var rename func(v any) any
		rename = func(v any) any {
			switch v := v.(type) {
			case []any:
				for i := range v {
					v[i] = rename(v[i])
				}
			case map[string]any:
				renamed := map[string]any{}
				for _, name := range slices.Sorted(maps.Keys(v)) {
					to := name
					if names := aliases[name]; names != nil && choices&1 == 1 {
						to = names[(choices>>1)%uint64(len(names))]
					}
					choices = choices>>1 | choices<<63
					renamed[to] = rename(v[name])
				}
				return renamed
			}
			return v
		}
		other, err := json.Marshal(rename(given))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Prepare(other)
		var a, b any
		if err != nil || json.Unmarshal(got, &a) != nil || json.Unmarshal(want, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s as %s: got %s %v, want %s", args, other, got, err, want)
		}
	})
}
