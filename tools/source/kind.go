package source

import "fmt"

// Kind is the kind of declaration that a chunk holds. The zero value is Invalid. Later versions may
// add kinds and renumber them; only the name that String returns is stable.
type Kind uint8

// The kinds of declarations. A language uses the nearest kind: a Kotlin or Scala object is Object,
// a Rust trait and a Swift protocol are Interface, a Rust impl block and a Swift extension are
// Extension.
const (
	Invalid Kind = iota // the zero value; no chunk of a valid File has it

	Function      // a function that belongs to no type, or a local one
	Method        // a function of a type
	Initializer   // a constructor, init
	Deinitializer // a destructor, deinit, finalizer
	Subscript     // subscript, indexer
	Operator      // operator function
	Accessor      // get, set, willSet … with a body of its own, or a computed property
	Lambda        // an anonymous function bound to a name

	Class
	Struct
	Enum
	Interface // interface, protocol, trait, annotation type
	Extension // extension, impl, category
	Object    // object, companion object
	Actor
	TypeAlias
	Macro

	Property // a field or stored property of a type
	Variable
	Constant
	EnumCase

	Module // package, namespace, module
	kinds  // the number of kinds
)

// kindNames holds the names of the kinds by number.
var kindNames = [kinds]string{
	"invalid", "function", "method", "initializer", "deinitializer", "subscript", "operator", "accessor", "lambda",
	"class", "struct", "enum", "interface", "extension", "object", "actor", "typeAlias", "macro",
	"property", "variable", "constant", "enumCase", "module",
}

// String returns the name of the kind as tools print it: "function", "enumCase". An unknown number
// gives "kind(99)".
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// KindNamed returns the kind whose String is name. ok is false for unknown names and for "invalid".
func KindNamed(name string) (Kind, bool) {
	for k := Function; k < kinds; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return Invalid, false
}

// MarshalText returns the name of the kind. It never fails.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText sets the kind by the name that MarshalText returns. Other names are an error.
func (k *Kind) UnmarshalText(text []byte) error {
	named, ok := KindNamed(string(text))
	if !ok {
		return fmt.Errorf("%q is no kind of chunk", text)
	}
	*k = named
	return nil
}

// IsCallable reports whether the kind is a function in the sense of the tools: Function, Method,
// Initializer, Deinitializer, Subscript, Operator, Accessor or Lambda.
func (k Kind) IsCallable() bool { return Function <= k && k <= Lambda }

// IsType reports whether the kind is a type or an extension of one: Class to TypeAlias.
func (k Kind) IsType() bool { return Class <= k && k <= TypeAlias }

// IsValue reports whether the kind is a property, a variable, a constant or an enum case.
func (k Kind) IsValue() bool { return Property <= k && k <= EnumCase }
