// Package schema turns Go types into JSON Schemas that models can read, and
// checks JSON against them without decoding it.
//
// [Input] generates the schema of a tool's arguments and [Output] the schema of
// its results from Go types. [Compile] compiles a schema that is given as JSON.
// All three return a [Schema], which is immutable and safe for concurrent use.
//
// [Schema.Prepare] is the hot path of a tool call. It checks the bytes of the
// arguments in one pass and does not allocate if they need no change.
// encoding/json decodes accepted arguments into the Go type without error.
// [Schema.Check] validates results. [Encoder] encodes results that conform to
// their schema. Keywords that the package does not compile need a reference
// validator; see [Options].
//
// # From types to schemas
//
// Generated schemas are for models and for simple hosts. Everything is inline; a
// $ref to #/$defs appears only for recursive types. No schema is a boolean,
// except in additionalProperties. No type in arguments is a union with null.
// Properties keep the order of declaration. Names, embedding, omission and the
// option ",string" follow encoding/json.
//
//   - A field is required unless it is a pointer, has omitempty or omitzero, is
//     reached through an embedded pointer, or has a default. In results every
//     field that is always written is required.
//   - Structs allow no other names. Maps allow any; integer keys are checked.
//   - []byte is base64 text, time.Time a date-time, json.Number a number,
//     big.Int an integer; a type with UnmarshalText (in results, MarshalText) is
//     a string, one with UnmarshalJSON anything.
//   - time.Duration is text, for example "1m30s", in arguments. Prepare rewrites it
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
// required, deprecated, and any name that starts with x-, for example x-mcp-header.
// For an array, keywords of scalars apply to its items. enum and example are
// given once for each value, and so is the default of an array, unless it is
// JSON such as []. Defaults of objects are JSON.
//
// In a title, description or pattern, a comma is part of the text unless a
// keyword, a name with an equals sign, or a word that resembles a keyword follows
// it. To write a comma there, or in any other value, write \\, in the tag. The tag
// jsonschema_description holds a description and nothing else:
//
//	Lines int `json:"lines" jsonschema:"description=Lines to read\\, min=1 for all,minimum=1"`
//	Lines int `json:"lines" jsonschema:"minimum=1" jsonschema_description:"Lines to read, min=1 for all"`
//
// Errors are: an unknown keyword or format, a space beside a keyword, a keyword
// that occurs twice or does not suit the type, a value that cannot be parsed, a
// lower bound over its upper bound, an enumerated value or a default that the
// rest of the schema or the Go type refuses, and a struct tag with a misspelled
// key, for example jsonshcema. The error names the type, the field, the tag and
// the most similar keyword.
//
// # Checks beyond the schema
//
// Prepare and Check reject duplicate names in an object, invalid Unicode (broken
// UTF-8, lone surrogates), numbers of more than 400 digits or with an exponent
// outside ±308, and more than 128 levels of nesting. Prepare also rejects names
// that differ from a declared name only by case, because encoding/json would
// match them. It rejects values that do not fit the Go type: 300 for a uint8,
// 1e39 for a float32, text that the type's UnmarshalText rejects. Numbers outside
// the schema must fit a float64.
//
// Limits are compared exactly, never as floating-point numbers. Formats are
// asserted. Lengths of strings are in code points.
package schema
