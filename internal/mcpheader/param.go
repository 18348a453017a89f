package mcpheader

import (
	"fmt"
	"net/http"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Set sets the header of each parameter that has a value in the arguments. It removes the header
// of a parameter without a value: missing, null, an object or an array. Clients call Set. Header
// names are canonical (http.CanonicalHeaderKey).
func (p Params) Set(h http.Header, arguments []byte) error {
	for _, param := range p {
		text, ok, err := textOf(lookup(arguments, param.Path))
		if err != nil {
			return fmt.Errorf("the header %s cannot be made: %w", param.Header, err)
		}
		delete(h, param.Header)
		if ok {
			h[param.Header] = []string{Encode(text)}
		}
	}
	return nil
}

// Check compares the headers with the arguments. The error names the first header that differs from
// its argument: another value, a header without an argument, or the reverse. Numbers are equal
// in any notation, for example 1 and 1.0. Servers call Check.
func (p Params) Check(h http.Header, arguments []byte) error {
	for _, param := range p {
		if err := param.check(h, lookup(arguments, param.Path)); err != nil {
			return fmt.Errorf("the header %s %w", param.Header, err)
		}
	}
	return nil
}

func (p Param) check(h http.Header, value []byte) error {
	header, present, err := single(h, p.Header) // an error if the header occurs twice
	if err != nil {
		return err
	}
	want, ok, err := textOf(value)
	switch {
	case err != nil:
		return err
	case !ok && present:
		return fmt.Errorf("is present, but the arguments do not have this value")
	case !ok:
		return nil
	case !present:
		return fmt.Errorf("is missing; it repeats the argument %q", p.Path[len(p.Path)-1])
	}
	got, err := Decode(header)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if got == want || value[0] != '"' && sameNumber(got, value) {
		return nil
	}
	return fmt.Errorf("is %q and the argument is %q", got, want)
}

// lookup returns the value at a path of property names, nil if there is none.
func lookup(value []byte, path []string) []byte {
	for _, name := range path {
		if len(value) == 0 || value[0] != '{' {
			return nil
		}
		members := jsonx.Object(value)
		value = nil
		for members.Next() {
			if named(&members, name) {
				value = members.Value()
			}
		}
	}
	return value
}

// textOf returns the text of a value for a header. ok is false for null, for a missing value, and for values that a
// header cannot contain; the schema refuses the latter.
func textOf(value []byte) (text string, ok bool, err error) {
	if len(value) == 0 {
		return "", false, nil
	}
	switch value[0] {
	case '"':
		text, err = jsonx.Unquote(value)
		return text, err == nil, err
	case 't', 'f':
		return string(value), true, nil
	case '{', '[', 'n':
		return "", false, nil
	}
	n, err := readDecimal(value)
	if err != nil {
		return "", false, err
	}
	text, err = n.text(value)
	return text, err == nil, err
}
