package reference

import (
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Bounds of one validation: subschemas applied to values, and time, since a
// recursive schema with several branches may take exponential time; and how many
// of them may be at work at once, since each takes some 7 KB of the stack, whose
// end is the end of the process.
const (
	maxSteps  = 1 << 20
	maxTime   = 500 * time.Millisecond
	maxFrames = 30_000
)

// depth is how many values are inside one another, v included.
func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	case []any:
		for _, inner := range v {
			deepest = max(deepest, depth(inner))
		}
	}
	return deepest + 1
}

// errSteps interrupts a validation.
var errSteps = errors.New("too many steps")

// bounds is the extension that keeps a validation short. It is run once for
// every subschema that is applied, and counts.
type bounds validator

// Compile makes the bounds part of every subschema.
func (b *bounds) Compile(_ jsonschema.CompilerContext, keywords map[string]any) (jsonschema.ExtSchema, error) {
	if keywords[uniqueItems] == true {
		return (*distinct)(b), nil
	}
	return b, nil
}

// Validate counts one step.
func (b *bounds) Validate(jsonschema.ValidationContext, any) error {
	b.step()
	return nil
}

func (b *bounds) step() {
	if b.steps++; b.steps > maxSteps || time.Since(b.started) > maxTime {
		panic(errSteps)
	}
}

// distinct is bounds for a subschema with uniqueItems, whose own check can be
// made to compare every item with every other.
type distinct bounds

// Validate counts one step for each item, and tells the items apart.
func (d *distinct) Validate(ctx jsonschema.ValidationContext, v any) error {
	items, _ := v.([]any)
	seen := make(map[string]int, len(items))
	for k, item := range items {
		(*bounds)(d).step()
		key := string(appendKey(nil, item))
		if twin, ok := seen[key]; ok {
			return ctx.Error("uniqueItems", "items %d and %d are equal, they must differ", twin, k)
		}
		seen[key] = k
	}
	(*bounds)(d).step()
	return nil
}

// appendKey appends a text that equal values, and only they, have in common.
func appendKey(dst []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = append(strconv.AppendQuote(dst, name), ':')
			dst = append(appendKey(dst, v[name]), ',')
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = append(appendKey(dst, item), ',')
		}
		return append(dst, ']')
	case string:
		return strconv.AppendQuote(dst, v)
	case json.Number:
		if exact, ok := new(big.Rat).SetString(v.String()); ok {
			return append(dst, exact.RatString()...)
		}
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}
