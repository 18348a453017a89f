// Package schema turns Go types into JSON Schemas that models can read, and
// checks JSON against them without decoding it.
//
// [Input] makes the schema of a tool's arguments, [Output] that of its results,
// and [Compile] takes a schema that somebody else wrote. [Schema.Prepare] is the
// hot path of a tool call: one pass over the bytes of the arguments, with no
// allocation when they are accepted as they are. What it accepts, encoding/json
// decodes into the Go type without error. [Encoder] writes results so that they
// agree with their schema.
//
// # From types to schemas
//
// Schemas are made for models and for hosts that understand little: everything
// is inline, a $ref to #/$defs appears only for recursive types, no schema is a
// boolean (save additionalProperties), no type is a union with null in
// arguments, and properties keep the order of declaration. Names, embedding,
// omission and the option ",string" follow encoding/json.
//
//   - A field is required unless it is a pointer, has omitempty or omitzero, is
//     reached through an embedded pointer, or has a default. In results every
//     field that is always written is required.
//   - Structs allow no other names. Maps allow any; integer keys are checked.
//   - []byte is base64 text, time.Time a date-time, json.Number a number,
//     big.Int an integer; a type with UnmarshalText (in results, MarshalText) is
//     a string, one with UnmarshalJSON anything.
//   - time.Duration is text such as "1m30s" in arguments, which Prepare rewrites
//     to the nanoseconds that encoding/json wants; it also takes that integer,
//     since Go clients send it. In results it is the integer.
//   - The methods JSONSchema, JSONSchemaAlias and JSONSchemaExtend of
//     github.com/invopop/jsonschema are honoured.
//   - Channels, functions, complex numbers and the like are errors.
//
// # Tags
//
// The tag jsonschema holds keywords separated by commas:
//
//	Path  string   `json:"path" jsonschema:"minLength=1,description=The file, relative to the root"`
//	Mode  string   `json:"mode,omitempty" jsonschema:"enum=fast,enum=careful,default=fast"`
//	Names []string `json:"names" jsonschema:"maxItems=10,uniqueItems,pattern=^[a-z]{1,8}$"`
//	Query string   `json:"query" jsonschema:"A tag without any keyword is a description, as it stands."`
//
// They are title, description, default, example, enum, const, format, pattern,
// minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
// multipleOf, minItems, maxItems, uniqueItems, minProperties, maxProperties,
// required, deprecated, and any name that starts with x-, such as x-mcp-header.
// For an array, keywords of scalars apply to its items. enum and example are
// given once for each value, and so is the default of an array, unless it is
// JSON such as []. Defaults of objects are JSON.
//
// A comma in a title, description or pattern may be written as it is, unless a
// keyword would follow it; anywhere else, and then too, it is written \\, in the
// tag. The tag jsonschema_description holds a description and nothing else. A
// misspelt keyword or a value that does not suit the type is an error.
//
// # What is refused beyond the schema
//
// Prepare and Check refuse names given twice in an object, text that is not
// valid Unicode (broken UTF-8, lone surrogates), numbers of more than 400 digits
// or with an exponent beyond ±308, and nesting deeper than 128 levels. Prepare
// also refuses names that differ from a declared one only by case, which
// encoding/json would take for it, and what does not fit the Go type: 300 for a
// uint8, 1e39 for a float32, text that the type's own UnmarshalText does not
// take. Numbers that no schema describes must fit a float64.
//
// Limits are compared exactly, never as floating-point numbers. Formats are
// asserted. Lengths of strings are in code points.
package schema
