package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/tools/config"
)

func TestKey_Names(t *testing.T) {
	for path, want := range map[string]string{
		"name":                       "name NAME",
		"inside.roomCount":           "inside-room-count INSIDE_ROOM_COUNT",
		"server.requestTimeoutMs":    "server-request-timeout-ms SERVER_REQUEST_TIMEOUT_MS",
		"a.theURL":                   "a-the-url A_THE_URL",
		"tools.fileOperations.x2Max": "tools-file-operations-x2-max TOOLS_FILE_OPERATIONS_X2_MAX",
	} {
		k := config.NewSwitch(path, func(h *house) *bool { return &h.lit }, false, "")
		if got := k.Flag() + " " + k.Variable(); got != want || k.Path() != path {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestTemplate_Defaults(t *testing.T) {
	houses, _ := table()
	file := houses.Template().Indented()
	want := `{
  "name": "home",
  "inside": {
    "roomCount": 4,
    "lights": {
      "areOn": false
    },
    "guests": ["ada", "bob"],
    "pets": []
  },
  "outside": {
    "colour": "red"
  }
}
`
	if file != want {
		t.Errorf("the file is\n%s\nwant\n%s", file, want)
	}
	l := load(t, given{file: file})
	if fmt.Sprintf("%+v", l.Config) != fmt.Sprintf("%+v", houses.Defaults()) || told(l) != "" {
		t.Errorf("read again it is %+v\n%s", l.Config, told(l))
	}
}

// The schema accepts exactly the values that are read without a problem.
func TestSchema_MatchesTable(t *testing.T) {
	houses, _ := table()
	schema, err := jsonschema.CompileString("house.schema.json", houses.Schema().Indented())
	if err != nil {
		t.Fatal(err)
	}
	for file, valid := range map[string]bool{
		houses.Template().JSON():                       true,
		`{}`:                                           true,
		`{"$schema":"house.schema.json"}`:              true,
		`{"$schema":7}`:                                false,
		`{"name":""}`:                                  false,
		`{"name":"abcdefghijk"}`:                       false,
		`{"inside":{"roomCount":101}}`:                 false,
		`{"inside":{"roomCount":"4"}}`:                 false,
		`{"inside":{"lights":{"areOn":"yes"}}}`:        false,
		`{"inside":{"pets":["cat","cat"]}}`:            false,
		`{"inside":{"pets":["cow"]}}`:                  false,
		`{"inside":{"guests":["a","b","c","d"]}}`:      false,
		`{"outside":{"colour":"blue"}}`:                false,
		`{"outside":{"color":"red"}}`:                  false,
		`{"outside":null}`:                             false,
		`[]`:                                           false,
		`{"inside":{"guests":[],"size":7},"name":"a"}`: true,
	} {
		var value any
		if err := json.Unmarshal([]byte(file), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != valid {
			t.Errorf("%s: the schema says %v", file, err)
		}
		if problems := told(load(t, given{file: file})); (problems == "") != valid && !strings.Contains(file, "$schema") {
			t.Errorf("%s: the table says %q", file, problems)
		}
	}
}

func TestFlags_Help(t *testing.T) {
	houses, _ := table()
	set := flag.NewFlagSet("house", flag.ContinueOnError)
	var help bytes.Buffer
	set.SetOutput(&help)
	houses.Flags(set)
	set.PrintDefaults()
	for _, want := range []string{
		"-inside-room-count number\n    \tnumber of rooms (default 4)", "-rooms value\n    \tthe same as -inside-room-count (default 4)",
		"-inside-lights-are-on\n", "-inside-guests value\n    \twho is there (default ada,bob)", "-inside-pets animals",
	} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("the help lacks %q:\n%s", want, help.String())
		}
	}
}

func TestShow(t *testing.T) {
	var out strings.Builder
	l := load(t, given{file: `{"name":"a"}`, env: []string{"HOUSE_INSIDE_GUESTS=x,y"}, flags: []string{"-rooms=0"}})
	if err := l.Show(&out); err != nil {
		t.Fatal(err)
	}
	want := `KEY                  VALUE          FROM
name                 "a"            house.json:1:9
inside.roomCount     4              default, instead of the wrong value in flag -rooms
inside.size          1099511627776  default
outside.colour       "red"          default
inside.lights.areOn  false          default
inside.guests        ["x", "y"]     environment variable HOUSE_INSIDE_GUESTS
inside.pets          []             default
`
	if out.String() != want {
		t.Errorf("shown:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestDifferences(t *testing.T) {
	houses, _ := table()
	a := loadFrom(t, houses, given{file: `{"name":"a"}`})
	b := loadFrom(t, houses, given{file: a.Document().Indented(), env: []string{"HOUSE_INSIDE_GUESTS=bob,ada"}, flags: []string{"-rooms=5"}})
	if got := strings.Join(b.Differences(a), " "); got != "inside.roomCount inside.guests" || told(b) != "" {
		t.Errorf("they differ in %q; %s", got, told(b))
	}
	if got := a.Differences(a); got != nil {
		t.Errorf("one differs from itself in %q", got)
	}
}

func TestReference(t *testing.T) {
	houses, _ := table()
	var out strings.Builder
	if err := houses.Reference(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `inside.roomCount` | `4` | A whole number from 1 to 100 | `HOUSE_INSIDE_ROOM_COUNT` | `-inside-room-count`, `-rooms` | Number of rooms |\n",
		"| `inside.guests` | `[\"ada\", \"bob\"]` | A list of up to 3 elements",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the reference lacks %q:\n%s", want, out.String())
		}
	}
}

func TestNewTable_Invalid(t *testing.T) {
	key := func(path string) *config.Key[house] {
		return config.NewSwitch(path, func(h *house) *bool { return &h.lit }, false, "")
	}
	for name, keys := range map[string][]*config.Key[house]{
		"a key twice":          {key("a.b"), key("a.b")},
		"a key in a key":       {key("a"), key("a.b")},
		"a section that is":    {key("a.b"), key("a")},
		"one variable for two": {key("a.bC"), key("a.b.c")},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the table was made", name)
				}
			}()
			config.NewTable(config.Options{}, keys...)
		}()
	}
}
