// Package testdiff shows how two values of a test differ.
package testdiff

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Diff returns "" if two values are deeply equal, as package reflect defines it, else both as text. Values of types with other ideas
// of equality, for example [time.Time], are compared by the test itself.
func Diff(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return fmt.Sprintf("want %s\n got %s", text(want), text(got))
}

// text returns a value as JSON, or in the syntax of Go if its JSON would not show everything.
func text(v any) string {
	wire, err := json.MarshalIndent(v, "", "  ")
	if err != nil || string(wire) == "{}" {
		return fmt.Sprintf("%#v", v)
	}
	return fmt.Sprintf("%T %s", v, wire)
}
