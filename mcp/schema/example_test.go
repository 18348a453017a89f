package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"github.com/dougu-go/dougu/mcp/schema"
)

type GreetArgs struct {
	Name  string `json:"name" jsonschema:"minLength=1,description=Who to greet, by first name"`
	Times int    `json:"times" jsonschema:"minimum=1,maximum=5,default=1"`
}

func Example() {
	s, err := schema.InputFor[GreetArgs]()
	if err != nil {
		panic(err)
	}
	args, err := s.Prepare([]byte(`{"name":"Ada"}`))
	if err != nil {
		panic(err)
	}
	var in GreetArgs
	if err := json.Unmarshal(args, &in); err != nil {
		panic(err) // cannot happen after Prepare
	}
	fmt.Printf("%s\n%+v\n", args, in)

	_, err = s.Prepare([]byte(`{"nme":"Ada","times":"ten"}`))
	fmt.Println(err)
	// Output:
	// {"name":"Ada","times":1}
	// {Name:Ada Times:1}
	// unknown argument "nme" (did you mean "name"?)
	// times: must be an integer, got "ten"
	// name: required
}

func ExampleInputFor() {
	s, err := schema.InputFor[GreetArgs]()
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(s.JSON())
	// Output:
	// {"type":"object","properties":{"name":{"type":"string","description":"Who to greet, by first name","minLength":1},"times":{"type":"integer","maximum":5,"minimum":1,"default":1}},"required":["name"],"additionalProperties":false}
}

func ExampleInput() {
	s, err := schema.Input(reflect.TypeFor[GreetArgs](), schema.Options{
		Defaults: map[string]any{"times": 3},
		Enums:    map[string][]any{"name": {"Ada", "Grace"}},
	})
	if err != nil {
		panic(err)
	}
	args, err := s.Prepare([]byte(`{"name":"Grace"}`))
	fmt.Println(string(args), err)
	_, err = s.Prepare([]byte(`{"name":"Alan"}`))
	fmt.Println(err)
	// Output:
	// {"name":"Grace","times":3} <nil>
	// name: must be one of "Ada", "Grace", got "Alan"
}

func ExampleCompile() {
	s, err := schema.Compile([]byte(`{
		"type": "object",
		"properties": {"path": {"type": "string"}, "url": {"type": "string", "format": "uri"}},
		"oneOf": [{"required": ["path"]}, {"required": ["url"]}]
	}`), schema.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Check([]byte(`{"path":"a.txt"}`)))
	fmt.Println(s.Check([]byte(`{}`)))
	// Output:
	// <nil>
	// must match one of the allowed forms: (path: required) or (url: required)
}

func ExampleEncoder() {
	type found struct {
		Files []string `json:"files"`
		Next  *string  `json:"next"`
	}
	e, err := schema.NewEncoder(reflect.TypeFor[found]())
	if err != nil {
		panic(err)
	}
	out, err := e.Append(nil, found{})
	fmt.Println(string(out), err)
	// Output: {"files":[],"next":null} <nil>
}
