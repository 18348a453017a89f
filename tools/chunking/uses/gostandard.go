package uses

// goStandard describes generic functions of the standard library whose results have types
// of their arguments, by import path.
var goStandard = map[string]string{
	"iter": `package iter
type Seq[V any] func(yield func(V) bool)
type Seq2[K, V any] func(yield func(K, V) bool)
func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func())
func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func())
`,
	"slices": `package slices
import "iter"
func All[S ~[]E, E any](s S) iter.Seq2[int, E]
func Backward[S ~[]E, E any](s S) iter.Seq2[int, E]
func Values[S ~[]E, E any](s S) iter.Seq[E]
func Chunk[S ~[]E, E any](s S, n int) iter.Seq[S]
func AppendSeq[S ~[]E, E any](s S, seq iter.Seq[E]) S
func Collect[E any](seq iter.Seq[E]) []E
func Sorted[E any](seq iter.Seq[E]) []E
func SortedFunc[E any](seq iter.Seq[E], cmp func(E, E) int) []E
func SortedStableFunc[E any](seq iter.Seq[E], cmp func(E, E) int) []E
func Clip[S ~[]E, E any](s S) S
func Clone[S ~[]E, E any](s S) S
func Compact[S ~[]E, E any](s S) S
func CompactFunc[S ~[]E, E any](s S, eq func(E, E) bool) S
func Concat[S ~[]E, E any](s ...S) S
func Delete[S ~[]E, E any](s S, i, j int) S
func DeleteFunc[S ~[]E, E any](s S, del func(E) bool) S
func Grow[S ~[]E, E any](s S, n int) S
func Insert[S ~[]E, E any](s S, i int, v ...E) S
func Max[S ~[]E, E any](s S) E
func MaxFunc[S ~[]E, E any](s S, cmp func(a, b E) int) E
func Min[S ~[]E, E any](s S) E
func MinFunc[S ~[]E, E any](s S, cmp func(a, b E) int) E
func Repeat[S ~[]E, E any](s S, n int) S
func Replace[S ~[]E, E any](s S, i, j int, v ...E) S
`,
	"maps": `package maps
import "iter"
func All[M ~map[K]V, K comparable, V any](m M) iter.Seq2[K, V]
func Keys[M ~map[K]V, K comparable, V any](m M) iter.Seq[K]
func Values[M ~map[K]V, K comparable, V any](m M) iter.Seq[V]
func Clone[M ~map[K]V, K comparable, V any](m M) M
func Collect[K comparable, V any](seq iter.Seq2[K, V]) map[K]V
`,
	"sync/atomic": `package atomic
type Pointer[T any] struct{}
func (p *Pointer[T]) Load() *T
func (p *Pointer[T]) Swap(v *T) *T
func (p *Pointer[T]) Store(v *T)
func (p *Pointer[T]) CompareAndSwap(old, v *T) bool
`,
	"sync": `package sync
func OnceValue[T any](f func() T) func() T
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2)
`,
	"errors": `package errors
func AsType[E error](err error) (E, bool)
`,
	"cmp": `package cmp
func Or[T comparable](vals ...T) T
`,
}

// goStandardRoots are the first parts of the import paths of the standard library.
var goStandardRoots = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "cmp": true, "compress": true, "container": true, "context": true, "crypto": true, "database": true,
	"debug": true, "embed": true, "encoding": true, "errors": true, "expvar": true, "flag": true, "fmt": true, "go": true, "hash": true, "html": true,
	"image": true, "index": true, "io": true, "iter": true, "log": true, "maps": true, "math": true, "mime": true, "net": true, "os": true, "path": true,
	"plugin": true, "reflect": true, "regexp": true, "runtime": true, "slices": true, "sort": true, "strconv": true, "strings": true, "structs": true,
	"sync": true, "syscall": true, "testing": true, "text": true, "time": true, "unicode": true, "unique": true, "unsafe": true, "weak": true,
}
