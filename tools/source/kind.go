package source

import "fmt"

// Kind says what a chunk declares.
type Kind uint8

// The kinds. Languages use the one that is nearest: a Kotlin or Scala object is
// Object, a Rust trait and a Swift protocol are Interface, a Rust impl block and
// a Swift extension are Extension.
const (
	Invalid Kind = iota

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
	kinds
)

var kindNames = [kinds]string{
	"invalid", "function", "method", "initializer", "deinitializer", "subscript", "operator", "accessor", "lambda",
	"class", "struct", "enum", "interface", "extension", "object", "actor", "typeAlias", "macro",
	"property", "variable", "constant", "enumCase", "module",
}

// String is the kind's name as answers spell it: "function", "enumCase".
func (k Kind) String() string {
	if k >= kinds {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// KindNamed is the kind that String spells like this.
func KindNamed(name string) (Kind, bool) {
	for k := Function; k < kinds; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return Invalid, false
}

// MarshalText spells the kind as String does.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *Kind) UnmarshalText(text []byte) error {
	named, ok := KindNamed(string(text))
	if !ok {
		return fmt.Errorf("%q is no kind of chunk", text)
	}
	*k = named
	return nil
}

// Callable says that such a chunk has code that is called: what the tools call a
// function.
func (k Kind) Callable() bool { return Function <= k && k <= Lambda }

// Type says that such a chunk is a type or an addition to one.
func (k Kind) Type() bool { return Class <= k && k <= TypeAlias }

// Value says that such a chunk is a property, variable, constant or case.
func (k Kind) Value() bool { return Property <= k && k <= EnumCase }
