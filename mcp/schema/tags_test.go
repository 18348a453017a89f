package schema_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/schema"
)

func TestTags(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		field any // a struct with one field f
		want  string
	}{
		{struct {
			F string `json:"f" jsonschema:"a plain sentence, with commas"`
		}{}, `{"type":"string","description":"a plain sentence, with commas"}`},
		{struct {
			F string `json:"f" jsonschema:"Name"`
		}{}, `{"type":"string","description":"Name"}`},
		{struct {
			F string `json:"f" jsonschema:"title=T,description=Whether a, b, or c,minLength=1"`
		}{}, `{"type":"string","title":"T","description":"Whether a, b, or c","minLength":1}`},
		{struct {
			F string `json:"f" jsonschema:"description=Nearly\\,minLength=1,maxLength=2"`
		}{}, `{"type":"string","description":"Nearly,minLength=1","maxLength":2}`},
		{struct {
			F string `json:"f" jsonschema:"pattern=^[a-z]{1,3}$,example=abc"`
		}{}, `{"type":"string","pattern":"^[a-z]{1,3}$","examples":["abc"]}`},
		{struct {
			F string `json:"f" jsonschema:"enum=a\\,b,enum=c=d"`
		}{}, `{"type":"string","enum":["a,b","c=d"]}`},
		{struct {
			F string `json:"f" jsonschema_description:"Just, so" jsonschema:"format=email"`
		}{}, `{"type":"string","description":"Just, so","format":"email"}`},
		{struct {
			F string `json:"f" jsonschema:"const=x,deprecated,x-mcp-header=Region"`
		}{}, `{"type":"string","const":"x","deprecated":true,"x-mcp-header":"Region"}`},
		{struct {
			F int `json:"f" jsonschema:"minimum=-1,maximum=1e16,multipleOf=2,default=4,enum=4,enum=9007199254740992"`
		}{}, `{"type":"integer","enum":[4,9007199254740992],"multipleOf":2,"maximum":1e16,"minimum":-1,"default":4}`},
		{struct {
			F float64 `json:"f" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1.5,example=0.5"`
		}{}, `{"type":"number","exclusiveMaximum":1.5,"exclusiveMinimum":0,"examples":[0.5]}`},
		{struct {
			F bool `json:"f" jsonschema:"default=true"`
		}{}, `{"type":"boolean","default":true}`},
		{struct {
			F []string `json:"f" jsonschema:"minItems=1,maxItems=3,uniqueItems,pattern=^x,default=x1,default=x2"`
		}{}, `{"type":"array","items":{"type":"string","pattern":"^x"},"maxItems":3,"minItems":1,"uniqueItems":true,"default":["x1","x2"]}`},
		{struct {
			F []int `json:"f" jsonschema:"minimum=1,default=[],uniqueItems=false"`
		}{}, `{"type":"array","items":{"type":"integer","minimum":1},"default":[]}`},
		{struct {
			F map[string]int `json:"f" jsonschema:"minProperties=1,maxProperties=2,default={\"a\":1}"`
		}{}, `{"type":"object","additionalProperties":{"type":"integer"},"maxProperties":2,"minProperties":1,"default":{"a":1}}`},
		{struct {
			F any `json:"f" jsonschema:"description=Anything,default=[1\\,2]"`
		}{}, `{"description":"Anything","default":[1,2]}`},
		{struct {
			F time.Duration `json:"f" jsonschema:"default=1m30s"`
		}{}, `{"type":"string","pattern":"^-?([0-9.]+(ns|us|ms|s|m|h))+$","default":"1m30s"}`},
		{struct {
			F *string `json:"f" jsonschema:"required"`
		}{}, `{"type":"string"}`},
	} {
		got := properties(inputJSON(t, tc.field))
		if want := `{"f":` + tc.want + `}`; got != want {
			t.Errorf("%v:\ngot  %s\nwant %s", reflect.TypeOf(tc.field), got, want)
		}
	}
}

func TestTags_Required(t *testing.T) {
	t.Parallel()
	got := inputJSON(t, struct {
		A string
		B string    `json:",omitempty"`
		C time.Time `json:",omitzero"`
		D *string
		E *string `jsonschema:"required"`
		F string  `jsonschema:"required" json:",omitempty"`
		G string  `jsonschema:"default=x"`
		H string  `jsonschema:"-"`
		*Base
	}{})
	_, got, _ = strings.Cut(got, `"required":`)
	if want := `["A","E","F"],"additionalProperties":false}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTags_Invalid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		field any
		want  string
	}{
		{struct {
			F int `jsonschema:"minimum=abc"`
		}{}, "F: minimum=abc: must be a number"},
		{struct {
			F int `jsonschema:"maximum=1e999"`
		}{}, "F: maximum=1e999: must be a number within bounds"},
		{struct {
			F int `jsonschema:"default=ten"`
		}{}, "F: default=ten: must be of type integer"},
		{struct {
			F int `jsonschema:"enum=1.5"`
		}{}, "F: enum=1.5: must be of type integer"},
		{struct {
			F bool `jsonschema:"default=yes"`
		}{}, "F: default=yes: must be true or false"},
		{struct {
			F int `jsonschema:"minimum=5,default=3"`
		}{}, "F: default 3: must be at least 5, got 3"},
		{struct {
			F string `jsonschema:"enum=a,enum=b,default=c"`
		}{}, `F: default "c": must be one of "a", "b", got "c"`},
		{struct {
			F string `jsonschema:"maxLength=1,enum=ab"`
		}{}, `F: enum value "ab": must have at most 1 character, got 2`},
		{struct {
			F string `jsonschema:"pattern=a("`
		}{}, `F: pattern "a(": error parsing regexp`},
		{struct {
			F string `jsonschema:"minLength=-1"`
		}{}, "F: minLength=-1: must be a whole number, 0 or more"},
		{struct {
			F string `jsonschema:"minLenght=1"`
		}{}, `F: unknown keyword "minLenght" in the jsonschema tag (did you mean "minLength"?)`},
		{struct {
			F string `jsonschema:"requird"`
		}{}, `F: unknown keyword "requird" in the jsonschema tag (did you mean "required"?)`},
		{struct {
			F string `jsonschema:"who to greet, minLength=1, required,required"`
		}{}, `F: unknown keyword "who to greet" in the jsonschema tag; put description= before a sentence`},
		{struct {
			F string `jsonschema:"enum=a,b"`
		}{}, `give each value its own enum=, and write \\, for a comma inside one`},
		{struct {
			F int `jsonschema:"required,minimum"`
		}{}, `F: keyword "minimum" in the jsonschema tag needs a value`},
		{struct {
			F int `jsonschema:"uniqueItems=maybe"`
		}{}, "F: uniqueItems does not apply to a value of type integer"},
		{struct {
			F []int `jsonschema:"uniqueItems=maybe"`
		}{}, "F: uniqueItems=maybe: must be true or false"},
		{struct {
			F int `jsonschema:"minLength=1"`
		}{}, "F: minLength does not apply to a value of type integer"},
		{struct {
			F any `jsonschema:"minimum=1"`
		}{}, "F: minimum does not apply to a value of any type"},
		{struct {
			F any `jsonschema:"default=x"`
		}{}, "F: default=x: must be JSON"},
		{struct {
			F *tree `jsonschema:"minProperties=1"`
		}{}, "F: minProperties does not apply to a recursive type"},
		{struct {
			F [][]int `jsonschema:"minimum=1"`
		}{}, "F: minimum does not apply to items that are no scalars"},
		{struct {
			F []int `jsonschema:"default=a"`
		}{}, "F: default=a: must be of type integer"},
		{struct {
			F string `jsonschema:"required,default=x"`
		}{}, "F: a required property cannot have a default"},
		{struct {
			F int `jsonschema:"multipleOf=0"`
		}{}, "F: multipleOf must be more than 0"},
		{struct {
			F uint8 `jsonschema:"default=300"`
		}{}, "F: default 300: does not fit uint8, got 300"},
		{struct {
			In struct {
				F time.Duration `jsonschema:"default=soon"`
			}
		}{}, `In.F: default "soon"`},
	} {
		_, err := schema.Input(reflect.TypeOf(tc.field), schema.Options{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v:\ngot  %v\nwant %s", reflect.TypeOf(tc.field), err, tc.want)
		}
	}
}

// A tag with a misspelled keyword, a keyword with a space, or a value that contradicts another
// is an error; no part of it becomes a description.
func TestTags_Typos(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		`description=How many,min=1`:             `unknown keyword "min" in the jsonschema tag (did you mean "minimum", "minLength", "minItems" or "minProperties"?)`,
		`description=How many, min=1`:            `unknown keyword "min"`,
		`description=How many,minLenght=3`:       `unknown keyword "minLenght" in the jsonschema tag (did you mean "minLength"?)`,
		`description=How many, minLength=3`:      `keyword "minLength" in the jsonschema tag has a space beside it`,
		`description=How many,minLength =3`:      `keyword "minLength" in the jsonschema tag has a space beside it`,
		`description=How many, required`:         `keyword "required" in the jsonschema tag has a space beside it`,
		`description=How many,requird`:           `unknown keyword "requird" in the jsonschema tag (did you mean "required"?)`,
		`description=How many,foo=bar`:           `unknown keyword "foo" in the jsonschema tag; write \\, for a comma inside a text`,
		`How many,minLength=3`:                   `unknown keyword "How many" in the jsonschema tag; put description= before a sentence`,
		`How many,minLenght=3`:                   `unknown keyword "minLenght" in the jsonschema tag (did you mean "minLength"?)`,
		`How many, required`:                     `keyword "required" in the jsonschema tag has a space beside it`,
		`How many, min=1`:                        `unknown keyword "min"`,
		` minLength=3`:                           `keyword "minLength" in the jsonschema tag has a space beside it`,
		`minLength =3`:                           `keyword "minLength" in the jsonschema tag has a space beside it`,
		`minLength=3, maxLength=5`:               `keyword "maxLength" in the jsonschema tag has a space beside it`,
		`required, minLength=3`:                  `keyword "minLength" in the jsonschema tag has a space beside it`,
		`minLength= 3`:                           `minLength= 3: must be a whole number`,
		`MinLength=3`:                            `unknown keyword "MinLength" in the jsonschema tag (did you mean "minLength"?)`,
		`description=How many,Required`:          `unknown keyword "Required" in the jsonschema tag (did you mean "required"?)`,
		`format=emial`:                           `format=emial: unknown format (did you mean "email"?)`,
		`format=zzz`:                             `format=zzz: unknown format`,
		`minLength=5,maxLength=3`:                `minLength 5 is more than maxLength 3`,
		`enum=a,enum=a`:                          `enum=a: occurs twice`,
		`pattern=^a+$,maxlen=3`:                  `unknown keyword "maxlen"`,
		`minLength=1,minLength=2`:                `minLength occurs twice`,
		`description=a,description=b`:            `description occurs twice`,
		`description=How many,minLength=3,min=1`: `unknown keyword "min"`,
		`title=How many,deprecated=maybe`:        `deprecated=maybe: must be true or false`,
		`required=yes`:                           `required=yes: must be true`,
	} {
		typ := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[string](), Tag: reflect.StructTag("jsonschema:" + strconv.Quote(tag))}})
		_, err := schema.Input(typ, schema.Options{})
		if err == nil || !strings.Contains(err.Error(), "F: "+want) || !strings.Contains(err.Error(), strconv.Quote(tag)) {
			t.Errorf("%s:\ngot  %v\nwant F: %s", tag, err, want)
		}
	}
}

// The error of a tag names the type, the field, the tag and the nearest keyword.
func TestTags_ErrorNamesPlace(t *testing.T) {
	t.Parallel()
	type Inner struct {
		Depth int `json:"depth" jsonschema:"description=Levels,minimun=1"`
	}
	type PlaceArgs struct {
		Inner Inner `json:"inner"`
	}
	_, err := schema.InputFor[PlaceArgs]()
	want := `schema of schema_test.PlaceArgs: Inner.Depth: unknown keyword "minimun" in the jsonschema tag (did you mean "minimum"?); the tag of field Depth of schema_test.Inner is json:"depth" jsonschema:"description=Levels,minimun=1"`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestTags_Bounds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		field any
		want  string
	}{
		{struct {
			F int `jsonschema:"minimum=2,maximum=1"`
		}{}, "F: minimum 2 is more than maximum 1"},
		{struct {
			F float64 `jsonschema:"minimum=1e2,exclusiveMaximum=100"`
		}{}, "F: minimum 1e2 leaves no value below exclusiveMaximum 100"},
		{struct {
			F float64 `jsonschema:"exclusiveMinimum=1,maximum=1"`
		}{}, "F: exclusiveMinimum 1 leaves no value up to maximum 1"},
		{struct {
			F float64 `jsonschema:"exclusiveMinimum=1,exclusiveMaximum=1.0"`
		}{}, "F: exclusiveMinimum 1 leaves no value below exclusiveMaximum 1.0"},
		{struct {
			F []int `jsonschema:"minItems=2,maxItems=1"`
		}{}, "F: minItems 2 is more than maxItems 1"},
		{struct {
			F []int `jsonschema:"minimum=2,maximum=1"`
		}{}, "F: minimum 2 is more than maximum 1"},
		{struct {
			F [3]int `jsonschema:"minItems=4"`
		}{}, "F: minItems 4 is more than maxItems 3"},
		{struct {
			F map[string]int `jsonschema:"minProperties=2,maxProperties=1"`
		}{}, "F: minProperties 2 is more than maxProperties 1"},
		{struct {
			F uint8 `jsonschema:"enum=300"`
		}{}, "F: enum value 300"},
	} {
		for name, generate := range map[string]func(reflect.Type, schema.Options) (*schema.Schema, error){"input": schema.Input, "output": schema.Output} {
			if _, ok := reflect.TypeOf(tc.field).Field(0).Tag.Lookup("jsonschema"); !ok || name == "output" && strings.Contains(tc.want, "enum") {
				continue // results are not decoded, so that an enumeration fits
			}
			if _, err := generate(reflect.TypeOf(tc.field), schema.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s of %v:\ngot  %v\nwant %s", name, reflect.TypeOf(tc.field), err, tc.want)
			}
		}
	}
}

// Other keys of struct tags that begin with jsonschema have no effect, so they are errors.
func TestTags_UnknownTagKey(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		field any
		want  string
	}{
		{struct {
			F string `jsonschema_extras:"a=b"`
		}{}, `F: unknown struct tag "jsonschema_extras"`},
		{struct {
			F string `jsonshcema:"minLength=1"`
		}{}, `F: unknown struct tag "jsonshcema" (did you mean "jsonschema"?)`},
		{struct {
			F string `jsonschema_descripton:"Text"`
		}{}, `F: unknown struct tag "jsonschema_descripton" (did you mean "jsonschema_description"?)`},
	} {
		if _, err := schema.Input(reflect.TypeOf(tc.field), schema.Options{}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v:\ngot  %v\nwant %s", reflect.TypeOf(tc.field), err, tc.want)
		}
	}
}

// A description may contain commas and equals signs: after \\, or in a tag of its own.
func TestTags_DescriptionWithCommas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		field any
		want  string
	}{
		{struct {
			F string `json:"f" jsonschema:"description=Lines\\, min=1 for all\\, required,minLength=1"`
		}{}, `{"type":"string","description":"Lines, min=1 for all, required","minLength":1}`},
		{struct {
			F string `json:"f" jsonschema:"description=Pairs of the form name=value, separated by blanks, or none"`
		}{}, `{"type":"string","description":"Pairs of the form name=value, separated by blanks, or none"}`},
		{struct {
			F string `json:"f" jsonschema:"description=A rule, for example the rule a=b, minimum and maximum"`
		}{}, `{"type":"string","description":"A rule, for example the rule a=b, minimum and maximum"}`},
		{struct {
			F string `json:"f" jsonschema_description:"Lines, min=1, required" jsonschema:"minLength=1"`
		}{}, `{"type":"string","description":"Lines, min=1, required","minLength":1}`},
		{struct {
			F string `json:"f" jsonschema:"How many\\, min=1"`
		}{}, `{"type":"string","description":"How many, min=1"}`},
	} {
		if got, want := properties(inputJSON(t, tc.field)), `{"f":`+tc.want+`}`; got != want {
			t.Errorf("%v:\ngot  %s\nwant %s", reflect.TypeOf(tc.field), got, want)
		}
	}
}
