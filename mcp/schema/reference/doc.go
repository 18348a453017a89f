// Package reference validates values against all keywords of JSON Schema, with
// github.com/santhosh-tekuri/jsonschema. Package schema compiles the common keywords itself. A
// schema with other keywords needs Validator of this package:
//
//	schema.Compile(text, schema.Options{Reference: reference.Validator})
//
// The package is separate because its import slows the start of a program by some milliseconds: the
// library compiles the metaschemas of five dialects.
package reference
