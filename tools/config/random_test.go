package config_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/config"
)

// anything is a JSON value of any kind.
func anything() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64().Draw(t, "number")
		case 3:
			return rapid.Int64().Draw(t, "whole")
		case 4:
			return rapid.SliceOfN(rapid.SampledFrom([]any{1, "cat", "ada", nil, true, "\x00"}), 0, 4).Draw(t, "list")
		case 5:
			return map[string]any{rapid.String().Draw(t, "name"): 1}
		case 6:
			return rapid.SampledFrom([]string{"red", "cat", "", "true", "12", "ada,bob", "["}).Draw(t, "word")
		}
		return rapid.String().Draw(t, "text")
	})
}

// allowed decides independently of the table which values a file may contain.
var allowed = map[string]func(v any) bool{
	"name": func(v any) bool { s, ok := v.(string); return ok && isText(s, 10) },
	"inside.roomCount": func(v any) bool {
		f, ok := v.(float64)
		return ok && f == float64(int64(f)) && f >= 1 && f <= 100
	},
	"outside.colour":      func(v any) bool { return v == "red" || v == "green" },
	"inside.lights.areOn": func(v any) bool { _, ok := v.(bool); return ok },
	"inside.guests":       func(v any) bool { return isList(v, 3, func(s string) bool { return isText(s, 5) }) },
	"inside.pets": func(v any) bool {
		return isList(v, 2, func(s string) bool { return s == "cat" || s == "dog" || s == "bird" })
	},
}

func isText(s string, most int) bool {
	n := len([]rune(s))
	return n > 0 && n <= most && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
}

func isList(v any, most int, element func(string) bool) bool {
	elements, ok := v.([]any)
	seen := map[any]bool{}
	for _, e := range elements {
		s, text := e.(string)
		if !text || !element(s) || seen[s] {
			return false
		}
		seen[s] = true
	}
	return ok && len(elements) <= most
}

// For random files, every invalid value is reported, no valid value is, and the configuration is possible for the file.
func TestLoad_AllProblemsReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := map[string]any{}
		bad := map[string]bool{}
		for _, path := range slices.Sorted(maps.Keys(allowed)) {
			if !rapid.Bool().Draw(t, "there is "+path) {
				continue
			}
			value := anything().Draw(t, path)
			section, names := file, strings.Split(path, ".")
			for _, name := range names[:len(names)-1] {
				if section[name] == nil {
					section[name] = map[string]any{}
				}
				section = section[name].(map[string]any)
			}
			section[names[len(names)-1]] = value
			var read any
			encoded, err := json.Marshal(value)
			if err != nil || json.Unmarshal(encoded, &read) != nil {
				t.Fatal(err)
			}
			if !allowed[path](read) {
				bad[path] = true
			}
		}
		if unknown := rapid.SampledFrom([]string{"", "nme", "inSide", "x"}).Draw(t, "unknown"); unknown != "" {
			file[unknown] = 1
			bad[unknown] = true
		}
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		houses, _ := table()
		l := houses.Load(houses.File("f", text, nil, config.JSON))
		named := map[string]bool{}
		for _, p := range l.Problems() {
			key, _, _ := strings.Cut(p.Key, "[")
			named[key] = true
			if p.Position.Line != 1 || p.Position.Column < 1 || p.Message == "" || p.Consequence == "" || len(p.Error()) > 500 {
				t.Errorf("a poor problem: %#v", p)
			}
		}
		if !maps.Equal(named, bad) {
			t.Errorf("%s: named are %v, want %v", text, named, bad)
		}
		checkHouse(t, l.Config)
	})
}

// checkHouse holds a configuration against the rules of its keys.
func checkHouse(t *rapid.T, h house) {
	list := func(values []string) (all []any) {
		for _, v := range values {
			all = append(all, v)
		}
		return all
	}
	for path, value := range map[string]any{
		"name": h.name, "inside.roomCount": float64(h.rooms), "outside.colour": h.colour, "inside.lights.areOn": h.lit,
		"inside.guests": list(h.guests), "inside.pets": list(h.pets),
	} {
		if !allowed[path](value) {
			t.Errorf("%s is %v", path, value)
		}
	}
}

// Random sources cause no panic, and the configuration is valid.
func TestLoad_RandomSources(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		houses, _ := table()
		file := rapid.OneOf(
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.StringMatching(`[{}\[\]":,a-z0-9.\\ ]{0,60}`),
		).Draw(t, "file")
		var env []string
		for _, k := range houses.Keys() {
			if value := rapid.String().Draw(t, k.Path()); rapid.Bool().Draw(t, "set") {
				env = append(env, houses.Variable(k)+"="+value)
			}
		}
		l := houses.Load(houses.File("f", []byte(file), nil, config.JSON), houses.Environment(env))
		checkHouse(t, l.Config)
		_ = told(l)
	})
}
