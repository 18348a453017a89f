package reference_test

import (
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp/schema"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// A schema with a keyword that the checker does not compile.
func Example() {
	text := []byte(`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`)
	_, err := schema.Compile(text, schema.Options{})
	fmt.Println(err != nil)
	s, err := schema.Compile(text, schema.Options{Reference: reference.Validator})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Check([]byte(`{"a":1}`)))
	fmt.Println(s.Check([]byte(`{"b":1}`)))
	// Output:
	// true
	// <nil>
	// b: is not allowed
}
