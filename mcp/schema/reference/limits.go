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

// Limits of one validation. maxSteps limits the subschemas that are applied, maxTime the duration:
// recursive schemas may need exponential time. maxFrames limits the nesting, because each level
// needs about 7 KB of stack.
const (
	maxSteps  = 1 << 20
	maxTime   = 500 * time.Millisecond
	maxFrames = 30_000
)

// depth returns the nesting depth of v, at least 1.
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

// errSteps aborts a validation by a panic.
var errSteps = errors.New("too many steps")

// limits is an extension of the library that limits a validation. The library calls it for every
// subschema.
type limits validator

// Compile adds the limits to every subschema.
func (b *limits) Compile(_ jsonschema.CompilerContext, keywords map[string]any) (jsonschema.ExtSchema, error) {
	if keywords[uniqueItems] == true {
		return (*uniqueCheck)(b), nil
	}
	return b, nil
}

// Validate counts one step.
func (b *limits) Validate(jsonschema.ValidationContext, any) error {
	b.step()
	return nil
}

// step counts one step and panics at a limit.
func (b *limits) step() {
	if b.steps++; b.steps > maxSteps || time.Since(b.started) > maxTime {
		panic(errSteps)
	}
}

// uniqueCheck implements uniqueItems, because the library may compare every item with every other.
type uniqueCheck limits

// Validate counts one step for each item, and reports equal items.
func (d *uniqueCheck) Validate(ctx jsonschema.ValidationContext, v any) error {
	items, _ := v.([]any)
	seen := make(map[string]int, len(items))
	for k, item := range items {
		(*limits)(d).step()
		key := string(appendKey(nil, item))
		if twin, ok := seen[key]; ok {
			return ctx.Error("uniqueItems", "items %d and %d are equal, they must differ", twin, k)
		}
		seen[key] = k
	}
	(*limits)(d).step()
	return nil
}

// appendKey appends a text that is the same for equal values only.
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
