// Package geometry is an earlier version of a package.
package geometry

// Dimensions is an untyped constant.
const Dimensions = 2

// Size is a type with a constant.
type Size int

// Small is a Size.
const Small Size = 1

// Point is an alias of a type without a name.
type Point = struct{ X, Y float64 }

// Origin is a variable.
var Origin Point

// Shape is an interface.
type Shape interface{ Area() float64 }

// Sealed is an interface that no other package can implement.
type Sealed interface{ seal() }

// Pair has type parameters.
type Pair[K comparable, V any] struct {
	Key   K
	Value V
}

// Swapped has a function as a parameter.
func (p Pair[K, V]) Swapped(convert func(key K) V) (value V, err error) { return p.Value, nil }

// Box has an embedded type that importers cannot name.
type Box struct {
	Width, Height float64
	labeled
	area float64
}

type labeled struct{ Label string }

// SetLabel is promoted.
func (l *labeled) SetLabel(label string) { l.Label = label }

// Area makes Box a Shape.
func (b Box) Area() float64 { return b.Width * b.Height }

// Grow has a pointer as its receiver.
func (b *Box) Grow(factor float64) { b.Width *= factor }

// Area is a function.
func Area(shape Shape) float64 { return shape.Area() }

// Map has type parameters.
func Map[T, U any](list []T, convert func(element T) U) []U { return nil }
