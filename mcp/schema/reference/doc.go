// Package reference judges values by every keyword of JSON Schema, with
// github.com/santhosh-tekuri/jsonschema.
//
// The checker of package schema compiles the keywords that schemas of tools are
// made of. A schema that says more needs this package:
//
//	schema.Compile(text, schema.Options{Reference: reference.Validator})
//
// It is a package of its own because importing it costs: the metaschemas of five
// dialects are compiled whenever a program starts, used or not, which takes some
// milliseconds.
package reference
