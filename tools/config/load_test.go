package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/tools/config"
)

var empty = house{name: "home", rooms: 4, size: 1 << 40, colour: "red", guests: []string{"ada", "bob"}, pets: []string{}}

// with is the default house, changed.
func with(change func(*house)) house {
	h := empty
	change(&h)
	return h
}

func TestLoad_LaterSourceWins(t *testing.T) {
	const file = `{"$schema":"x","name":"file","inside":{"roomCount":5,"guests":["cid"],"lights":{"areOn":true}}}`
	for name, tc := range map[string]struct {
		given
		want house
	}{
		"nothing":                 {given{}, empty},
		"an empty file":           {given{file: `{}`}, empty},
		"a file":                  {given{file: file}, with(func(h *house) { h.name, h.rooms, h.guests, h.lit = "file", 5, []string{"cid"}, true })},
		"the environment":         {given{file: file, env: []string{"HOUSE_NAME=env", "OTHER=x", "HOUSE_INSIDE_LIGHTS_ARE_ON=0"}}, with(func(h *house) { h.name, h.rooms, h.guests = "env", 5, []string{"cid"} })},
		"a variable of another":   {given{env: []string{"HOUSE_OF_ANOTHER=x"}}, empty},
		"a synonym":               {given{file: file, env: []string{"HOUSE_CALLED=env"}}, with(func(h *house) { h.name, h.rooms, h.guests, h.lit = "env", 5, []string{"cid"}, true })},
		"a synonym beside it":     {given{file: file, env: []string{"HOUSE_CALLED=other", "HOUSE_NAME=env"}}, with(func(h *house) { h.name, h.rooms, h.guests, h.lit = "env", 5, []string{"cid"}, true })},
		"an empty variable":       {given{file: file, env: []string{"HOUSE_NAME="}}, with(func(h *house) { h.name, h.rooms, h.guests, h.lit = "file", 5, []string{"cid"}, true })},
		"a flag":                  {given{file: file, env: []string{"HOUSE_NAME=env"}, flags: []string{"-name", "flag"}}, with(func(h *house) { h.name, h.rooms, h.guests, h.lit = "flag", 5, []string{"cid"}, true })},
		"another name of a flag":  {given{flags: []string{"-inside-room-count", "7", "-rooms=8"}}, with(func(h *house) { h.rooms = 8 })},
		"a switch":                {given{flags: []string{"-inside-lights-are-on"}}, with(func(h *house) { h.lit = true })},
		"a switch, turned off":    {given{file: file, flags: []string{"-inside-lights-are-on=false"}}, with(func(h *house) { h.name, h.rooms, h.guests = "file", 5, []string{"cid"} })},
		"words between commas":    {given{env: []string{"HOUSE_INSIDE_GUESTS= x, y ,,z"}}, with(func(h *house) { h.guests = []string{"x", "y", "z"} })},
		"a list in JSON":          {given{env: []string{`HOUSE_INSIDE_GUESTS=["a,b"]`}}, with(func(h *house) { h.guests = []string{"a,b"} })},
		"an empty list":           {given{env: []string{"HOUSE_INSIDE_GUESTS=[]"}}, with(func(h *house) { h.guests = []string{} })},
		"an empty list as a flag": {given{flags: []string{"-inside-guests="}}, with(func(h *house) { h.guests = []string{} })},
		"a list, flag by flag":    {given{flags: []string{"-inside-guests", "a", "-inside-guests", "b,c"}}, with(func(h *house) { h.guests = []string{"a", "b", "c"} })},
		"numbers in many forms":   {given{file: `{"inside":{"roomCount":1.2e1,"size":562949953421311}}`}, with(func(h *house) { h.rooms, h.size = 12, 562949953421311 })},
		"a number with space":     {given{env: []string{"HOUSE_INSIDE_ROOM_COUNT= 12 "}}, with(func(h *house) { h.rooms = 12 })},
		"text of many characters": {given{file: `{"name":"日本語の家、美しい"}`}, with(func(h *house) { h.name = "日本語の家、美しい" })},
		"text that looks like 12": {given{env: []string{"HOUSE_NAME=12"}}, with(func(h *house) { h.name = "12" })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := load(t, tc.given)
			if fmt.Sprintf("%+v", l.Config) != fmt.Sprintf("%+v", tc.want) || told(l) != "" {
				t.Errorf("got %+v\nwant %+v\nproblems:\n%s", l.Config, tc.want, told(l))
			}
		})
	}
}

func TestProblems(t *testing.T) {
	const unused = "; nothing in the file is used"
	for name, tc := range map[string]struct {
		given
		want []string // the problems
		then house
	}{
		"every kind at once": {
			given{file: "{\n  \"name\": 12,\n  \"inside\": {\"roomCount\": 0, \"gests\": [], \"guests\": [\"x\", 7, \"x\"]},\n  \"colour\": \"red\"\n}",
				env: []string{"HOUSE_INSIDE_SIZE=big", "HOUSE_INSIDE_GESTS=a"}, flags: []string{"-outside-colour=grean"}},
			[]string{
				`house.json:2:11: name: received 12: allowed is text of 1 to 10 characters, without control characters; the default "home" is used`,
				`house.json:3:27: inside.roomCount: received 0: allowed is a whole number from 1 to 100; the default 4 is used`,
				`house.json:3:30: inside.gests: there is no such setting; did you mean "inside.guests"?; it is left out`,
				`house.json:3:59: inside.guests[1]: received 7: allowed is text of 1 to 5 characters, without control characters; it is left out`,
				`house.json:3:62: inside.guests[2]: received "x": allowed is every element once; it is left out`,
				`house.json:4:3: colour: there is no such setting; did you mean "outside.colour"?; it is left out`,
				`environment variable HOUSE_INSIDE_GESTS: there is no such setting; did you mean HOUSE_INSIDE_GUESTS?; it is left out`,
				`environment variable HOUSE_INSIDE_SIZE: inside.size: received "big": allowed is a whole number from 0 to 1125899906842624; the default 1099511627776 is used`,
				`flag -outside-colour: outside.colour: received "grean": allowed is one of red, green; did you mean "green"?; the default "red" is used`,
			}, with(func(h *house) { h.guests = []string{"x"} }),
		},
		"a bad value before a good one": {given{file: `{"name":1}`, env: []string{"HOUSE_NAME=env"}},
			[]string{`house.json:1:9: name: received 1: allowed is text of 1 to 10 characters, without control characters; another source decides`},
			with(func(h *house) { h.name = "env" })},
		"a bad value after a good one": {given{file: `{"name":"file"}`, flags: []string{"-name", "much too long"}},
			[]string{`flag -name: name: received "much too long": allowed is text of 1 to 10 characters, without control characters; the default "home" is used`}, empty},
		"a bad synonym":           {given{env: []string{"HOUSE_CALLED=a much too long name"}}, []string{`environment variable HOUSE_CALLED: name: received "a much too long name": allowed is text of 1 to 10 characters, without control characters; the default "home" is used`}, empty},
		"an unknown secret":       {given{env: []string{"HOUSE_PASSWORD=hunter2"}}, []string{"environment variable HOUSE_PASSWORD: there is no such setting; it is left out"}, empty},
		"a secret in a value":     {given{file: `{"name":"hunter2hunter2"}`}, []string{`house.json:1:9: name: received "[redacted][redacted]": allowed is text of 1 to 10 characters, without control characters; the default "home" is used`}, empty},
		"a long value":            {given{file: `{"name":"` + strings.Repeat("界", 100) + `"}`}, []string{`house.json:1:9: name: received "` + strings.Repeat("界", 26) + `…: allowed is text of 1 to 10 characters, without control characters; the default "home" is used`}, empty},
		"control characters":      {given{file: `{"name":"a\nb"}`}, []string{`house.json:1:9: name: received "a\nb": allowed is text of 1 to 10 characters, without control characters; the default "home" is used`}, empty},
		"an object for a value":   {given{file: `{"name":{"a":1}}`}, []string{`house.json:1:9: name: received an object: allowed is text of 1 to 10 characters, without control characters; the default "home" is used`}, empty},
		"a value for an object":   {given{file: `{"inside":[1,2]}`}, []string{`house.json:1:11: inside: [1, 2]: allowed is an object; nothing in it is used`}, empty},
		"another type at the top": {given{file: `["name"]`}, []string{`house.json:1:1: ["name"]: allowed is an object; nothing in it is used`}, empty},
		"null":                    {given{file: `{"name":null,"inside":null}`}, []string{`house.json:1:9: name: received null: allowed is text of 1 to 10 characters, without control characters; the default "home" is used`, `house.json:1:23: inside: null: allowed is an object; nothing in it is used`}, empty},
		"a fraction":              {given{file: `{"inside":{"roomCount":1.5}}`}, []string{`house.json:1:24: inside.roomCount: received 1.5: allowed is a whole number from 1 to 100; the default 4 is used`}, empty},
		"a number without bounds": {given{file: `{"inside":{"roomCount":1e999,"size":-1}}`}, []string{`house.json:1:24: inside.roomCount: received 1e999: allowed is a whole number from 1 to 100; the default 4 is used`, `house.json:1:37: inside.size: received -1: allowed is a whole number from 0 to 1125899906842624; the default 1099511627776 is used`}, empty},
		"too long a list":         {given{flags: []string{"-inside-guests=a,b,c,d"}}, []string{`flag -inside-guests: inside.guests: received ["a", "b", "c", "d"]: allowed is a list of up to 3 elements, each text of 1 to 5 characters, without control characters; the default ["ada", "bob"] is used`}, empty},
		"a list that is no JSON":  {given{flags: []string{"-inside-guests", "x", "-inside-guests", `["a"`}}, []string{`flag -inside-guests: inside.guests: received "[\"a\"": allowed is a list in JSON or between commas; as JSON it is wrong at 1:5: expected ',' or ']' in an array; the default ["ada", "bob"] is used`}, empty},
		"a list of other things":  {given{env: []string{`HOUSE_INSIDE_PETS=["cow",1,"cat"]`}}, []string{`environment variable HOUSE_INSIDE_PETS: inside.pets: received ["cow", 1, "cat"]: allowed is a list of up to 2 elements, each one of cat, dog, bird; the default [] is used`}, empty},
		"a switch that is none":   {given{flags: []string{"-inside-lights-are-on=maybe"}}, []string{`flag -inside-lights-are-on: inside.lights.areOn: received "maybe": allowed is true or false; the default false is used`}, empty},
		"bytes in a variable":     {given{env: []string{"HOUSE_NAME=a\xff"}}, []string{`environment variable HOUSE_NAME: name: received "a` + "\uFFFD" + `": allowed is UTF-8; the default "home" is used`}, empty},
		"a name twice":            {given{file: `{"name":"a","name":"b"}`}, []string{`house.json:1:9: name: received "a": it is there more than once; the default "home" is used`, `house.json:1:20: name: received "b": it is there more than once; the default "home" is used`}, empty},
		"a section twice":         {given{file: `{"outside":{"colour":"green"},"name":"a","outside":{}}`}, []string{`house.json:1:22: outside.colour: received "green": it is there more than once; the default "red" is used`, `house.json:1:42: outside: the name occurs again here; nothing in it is used`}, with(func(h *house) { h.name = "a" })},
		"no JSON":                 {given{file: "{\n\t\"name\": \"a\",\n}"}, []string{`house.json:3:1: expected a string` + unused}, empty},
		"a comment":               {given{file: "{ // mine\n}"}, []string{`house.json:1:3: a comment, which JSON does not have` + unused}, empty},
		"nothing at all":          {given{file: " "}, []string{`house.json:1:2: unexpected end of input` + unused}, empty},
		"two values":              {given{file: "{}{}"}, []string{`house.json:1:3: more input after the value` + unused}, empty},
		"deep nesting":            {given{file: strings.Repeat("[", 1000000)}, []string{`house.json:1:129: nested deeper than 128 levels` + unused}, empty},
		"half a surrogate pair":   {given{file: `{"name":"\ud800"}`}, []string{`house.json:1:9: a string with half of a surrogate pair` + unused}, empty},
		"bytes that are no UTF-8": {given{file: "{\n\"name\": \"日\xff\"}"}, []string{"house.json:2:11: the file is not UTF-8 from here on" + unused}, empty},
		"UTF-16":                  {given{file: "\xff\xfe{\x00}\x00"}, []string{"house.json:1:1: the file is UTF-16; save it as UTF-8" + unused}, empty},
		"a byte-order mark":       {given{file: "\ufeff{\"name\":\"bom\"}"}, []string{"house.json:1:1: the file begins with a byte-order mark, which does not belong there; it is skipped"}, with(func(h *house) { h.name = "bom" })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := load(t, tc.given)
			if got, want := told(l), strings.Join(tc.want, "\n"); got != want {
				t.Errorf("problems:\n%s\nwant:\n%s", got, want)
			}
			if fmt.Sprintf("%+v", l.Config) != fmt.Sprintf("%+v", tc.then) {
				t.Errorf("then the house is %+v, want %+v", l.Config, tc.then)
			}
		})
	}
}

func TestLoad_UnreadableFile(t *testing.T) {
	houses, _ := table()
	l := houses.Load(houses.File("house.json", nil, errors.New("it is on fire"), config.JSON))
	if got := told(l); got != "house.json: it cannot be read: it is on fire; nothing in the file is used" {
		t.Errorf("told %q", got)
	}
}

// A hostile file must not fill the log.
func TestLoad_ProblemLimit(t *testing.T) {
	var file strings.Builder
	file.WriteString(`{"a":1`)
	for i := range 10_000 {
		fmt.Fprintf(&file, `,"nme%d":1`, i)
	}
	l := load(t, given{file: file.String() + "}"})
	problems := l.Problems()
	if len(problems) != 101 || problems[100].Error() != "house.json: 9901 further problems are not named" {
		t.Errorf("%d problems, the last: %v", len(problems), problems[len(problems)-1])
	}
}

func TestLoad_ErrJoinsProblems(t *testing.T) {
	l := load(t, given{file: `{"name":1}`, flags: []string{"-rooms=x"}})
	all, ok := errors.AsType[*multierror.Error](l.Err())
	if !ok || len(all.Errors) != 2 {
		t.Fatalf("the error is %#v", l.Err())
	}
	first, ok := errors.AsType[*config.Problem](all.Errors[0])
	if !ok || first.Key != "name" || first.Position != (config.Position{Line: 1, Column: 9}) || first.Source != "house.json" || first.Received != "received 1" {
		t.Errorf("the first is %+v", first)
	}
}

func TestLoad_RefusedValues(t *testing.T) {
	houses, keys := table()
	noCastle := func(h *house, _ int) error {
		if strings.HasPrefix(h.name, "castle") {
			return errors.New("a smaller house")
		}
		return nil
	}
	noDog := func(pet string, layer int) error {
		if pet == "dog" {
			return fmt.Errorf("an animal that does not bark in %d", layer)
		}
		return nil
	}
	const file = `{"name":"castle","inside":{"lights":{"areOn":true},"pets":["cat","dog"]}}`
	const nameProblem, petProblem = `house.json:1:9: name: received "castle": allowed is a smaller house; `, `house.json:1:66: inside.pets[1]: received "dog": allowed is an animal that does not bark in 0; it is left out`
	for name, tc := range map[string]struct {
		given
		problems   []string
		name, pets string
		replaced   bool
	}{
		"what decides":          {given{file: file}, []string{nameProblem + `the default "home" is used`, petProblem}, "home", "[cat]", true},
		"what does not decide":  {given{file: file, env: []string{"HOUSE_NAME=hut", "HOUSE_INSIDE_PETS=bird"}}, []string{nameProblem + "another source decides", petProblem}, "hut", "[bird]", false},
		"after what is allowed": {given{file: `{"name":"hut"}`, env: []string{"HOUSE_NAME=castle 2"}}, []string{`environment variable HOUSE_NAME: name: received "castle 2": allowed is a smaller house; the default "home" is used`}, "home", "[]", true},
		"before what is wrong":  {given{file: `{"name":"castle"}`, flags: []string{"-name="}}, []string{`flag -name: name: received "": allowed is text of 1 to 10 characters, without control characters; the default "home" is used`, nameProblem + "another source decides"}, "home", "[]", true},
		"nothing":               {given{}, nil, "home", "[]", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := loadFrom(t, houses, tc.given)
			l.Check(keys.name, noCastle)
			l.Keep(keys.pets, noDog)
			if got, want := told(l), strings.Join(tc.problems, "\n"); got != want {
				t.Errorf("problems:\n%s\nwant:\n%s", got, want)
			}
			if l.Config.name != tc.name || fmt.Sprint(l.Config.pets) != tc.pets || l.Origin(keys.name).Replaced != tc.replaced {
				t.Errorf("the house is %+v, its name from %v", l.Config, l.Origin(keys.name))
			}
		})
	}
	l := loadFrom(t, houses, given{file: file})
	if o := l.Origin(keys.lit); o.String() != "house.json:1:46" || o.Layer != 0 {
		t.Errorf("the light comes from %v", o)
	}
}

func TestLoaded_Refusal(t *testing.T) {
	l := load(t, given{file: `{"name": 12, "inside": {"gests": [], "guests": ["x", 7]}}`, flags: []string{"-name", "much too long"}})
	err := l.Refusal()
	if err == nil || l.Err() == nil {
		t.Fatalf("%v, %v", err, l.Err())
	}
	for _, promise := range []string{"is used", "left out", "another source"} {
		if strings.Contains(err.Error(), promise) {
			t.Errorf("%q is in\n%v", promise, err)
		}
	}
	if got, want := strings.Count(err.Error(), "\n"), strings.Count(l.Err().Error(), "\n"); got != want || !strings.Contains(err.Error(), "flag -name: name: received") {
		t.Errorf("%d lines, want %d:\n%v", got+1, want+1, err)
	}
	if err := load(t, given{file: `{}`}).Refusal(); err != nil {
		t.Error(err)
	}
}
