package script_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/script"
)

func scan(t *testing.T, src string, lang source.Language) *source.File {
	t.Helper()
	f, err := script.Parse(context.Background(), []byte(src), lang, source.Options{Calls: true})
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	return f
}

func TestCalls(t *testing.T) {
	f := scan(t, `import x from "x";
start(1)?.then(() => { a.b?.push<number>(2) });
class Stack extends base(A) {
  items = create();
  @log() push = (x) => this.#grow(x);
  pop() { super.pop(); super(); return new ns.Node<T>(this.items[0](f)).value() as any }
}
const local = function () { const o = { k: call1(), m() { call2() } }; tag`+"`${call3()}`"+`; (0, called)(); };
`, source.TypeScript)
	var got []string
	for _, c := range f.Calls {
		in := ""
		if c.Chunk >= 0 {
			in = f.Chunks[c.Chunk].Path()
		}
		got = append(got, fmt.Sprintf("%d %s in %s", c.Line, c.Name, in))
	}
	want := []string{
		"2 start in ", "2 then in ", "2 push in ", "3 base in ", "4 create in ", "5 log in ", "5 #grow in Stack.push",
		"6 pop in Stack.pop", "6 Node in Stack.pop", "6 value in Stack.pop",
		"8 call1 in local", "8 call2 in local.m", "8 call3 in local",
	}
	if !slices.Equal(got, want) {
		t.Errorf("calls\n%q, want\n%q", got, want)
	}
}

// A name that is bound to a call with a function is a function, if the call returns it in another form.
func TestWrappedFunctions(t *testing.T) {
	f := scan(t, `export const Card = memo(() => 1);
const Field: FC<P> = React.memo(React.forwardRef<A, B>(function Field(props, ref) { return a(2); }));
export const $Error = core.$constructor("$Error", (inst, def) => { const local = debounce(() => 1, 10); });
const onClick = useCallback(async (e) => { await e; }, []), typed = wrap(function () {}) as T;
class C { save = debounce(() => { this.x() }, 100); size = count(() => 1) + 1; old = a = memo(() => 1) }
const total = items.reduce((a, b) => a + b, 0), timer = setTimeout(() => {}), value = useMemo(() => 1, []);
const made = new Promise((resolve) => resolve()), got = await act(() => 1), sum = f(1, () => 2), third = f("a", 1, () => 2);
const piped = pipe(a, map(x => x)), called = memo(() => 1)(), member = memo(() => 1).current, both = memo(() => 1) || b;
`, source.TypeScript)
	var functions, values []string
	for i := range f.Chunks {
		if c := &f.Chunks[i]; c.Kind == source.Lambda {
			functions = append(functions, c.Path())
		} else if c.Kind.IsCallable() {
			t.Errorf("a function of its own: %s", c.Path())
		} else if c.Kind.IsValue() {
			values = append(values, c.Path())
		}
	}
	if want := []string{"Card", "Field", "$Error", "$Error.local", "onClick", "typed", "C.save", "sum"}; !slices.Equal(functions, want) {
		t.Errorf("functions %q, want %q", functions, want)
	}
	want := []string{"C.size", "C.old", "total", "timer", "value", "made", "got", "third", "piped", "called", "member", "both"}
	if !slices.Equal(values, want) {
		t.Errorf("values %q, want %q", values, want)
	}
}

// The signatures of an object type are members of the property that has the type.
func TestNestedSignatures(t *testing.T) {
	f := scan(t, "declare module \"m\" {\n  interface A { b: { c(d: { no(): void }): void; e: { readonly f: 1 } | { g(): void } }; h: () => { no: 1 }; i: { no(): void }[]; }\n  class C { j: { no(): void } }\n}\n", source.TypeScript)
	var got []string
	for i := range f.Chunks {
		got = append(got, f.Chunks[i].Path())
	}
	want := []string{"m", "m.A", "m.A.b", "m.A.b.c", "m.A.b.e", "m.A.b.e.f", "m.A.b.e.g", "m.A.h", "m.A.i", "m.C", "m.C.j"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A declaration after an assignment without a function keeps its own end.
func TestAssignment_BeforeObject(t *testing.T) {
	f := scan(t, "this.a = 1, this.h = {\n  first() {},\n  second() {}\n};\nfunction f() { b = 1, { third() {}, fourth: () => 1 } }\n", source.JavaScript)
	var got []string
	for i := range f.Chunks {
		got = append(got, fmt.Sprintf("%s %d-%d", f.Chunks[i].Path(), f.Chunks[i].Line, f.Chunks[i].EndLine))
	}
	if want := []string{"first 2-2", "second 3-3", "f 5-5", "f.third 5-5", "f.fourth 5-5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The text of a chunk is that of the file, with its documentation and
// decorators; the signature is without them.
func TestText(t *testing.T) {
	const src = `/** not this one */

/**
 * Adds.
 */
// And more.
@dec({ a: 1 })
@other
export   default class Sum {
  /** of two */ @inline() public static
    add(a: number,
        b = "{") /* result */ : number { return a }; // after
}
const a = 1 /* no */; /* nor this */ let b = () => 2, c
type D = { /* in d */ e: 1 }
`
	f := scan(t, src, source.TypeScript)
	var got []string
	for _, c := range f.Chunks {
		got = append(got, fmt.Sprintf("%s %d-%d|%.12q|%.12q|%s", c.Path(), c.StartLine, c.EndLine, src[c.Start:c.End], src[c.Doc:c.DocEnd], c.Signature))
	}
	want := []string{
		`Sum 3-13|"/**\n * Adds."|"/**\n * Adds."|export default class Sum`,
		`Sum.add 10-12|"/** of two *"|"/** of two *"|public static add(a: number, b = "{") : number`,
		`a 14-14|"const a = 1 "|""|const a = 1 ;`,
		`b 14-14|"let b = () ="|""|let b = ()`,
		`c 14-14|"c"|""|c`,
		`D 15-15|"type D = { /"|""|type D = { e: 1 }`,
		`D.e 15-15|"e: 1"|""|e: 1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// Of a text that breaks off or is in another language a guess is made, and it is
// said to be one.
func TestUnsure(t *testing.T) {
	for src, want := range map[string][]string{
		"function f() {\n  g(":                   {"f"},
		"class A { b() {} c( }\nfunction d() {}": {"A", "A.b", "A.c", "d"},
		"const a = `${b":                         nil,
		"let a = 'b\nfunction c() {}":            {"a", "c"},
		"/* open":                                nil,
		"}":                                      nil,
		"function f(x: string*) {}\nfunction g() {}":        {"f", "g"},
		"const a = (b: any)":                                {"a"},
		"export type A = {| b: string |};\nfunction c() {}": {"A", "A.b", "c"},
		"if (a) else b":                                     nil,
		"a b c":                                             nil,
		"const a = <b>\n<c></b>":                            {"a"},
		"a ? b":                                             nil,
		"for (a) {}":                                        nil,
		"import a 1":                                        nil,
		"#!/bin/sh\necho $(ls)":                             nil,
		"def f(x):\n  return x":                             nil,
		"x = /a":                                            nil,
	} {
		f, err := script.Parse(context.Background(), []byte(src), source.JavaScript, source.Options{})
		var unsure *source.UnsureError
		if !errors.As(err, &unsure) || f == nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		var got []string
		for i := range f.Chunks {
			got = append(got, f.Chunks[i].Path())
		}
		if want != nil && !slices.Equal(got, want) {
			t.Errorf("%q: guessed %q, want %q", src, got, want)
		}
	}
}
