package uses_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

const goMod = "module example.com/shop\n\ngo 1.26\n"

func TestFind_GoMethod(t *testing.T) {
	checkUses(t, "Add", texts{
		"go.mod": goMod,
		"cart/cart.go": `package cart

type Cart struct {
	items []*Item
	byName map[string]*Item
	Log
}
func New() (*Cart, error) { return &Cart{}, nil }
func (c *Cart) Add(name string) *Cart { return c } //T
type Item struct{ owner *Cart }
func (i *Item) Owner() *Cart { return i.owner }
type Log struct{}
func (l Log) Add(name string) {}
func (l Log) Write() { l.Add("x") }
`,
		"main.go": `package main

import (
	"net/http"
	"slices"
	basket "example.com/shop/cart"
)

type shop struct {
	*basket.Cart
	carts map[string][]*basket.Cart
	handle func() *basket.Cart
}

func run(given basket.Cart, s shop, l basket.Log, r *http.Request) {
	given.Add("parameter") //R
	l.Add("another type")
	r.Form.Add("external", "type")
	c, err := basket.New()
	_ = err
	c.Add("result") //R
	s.Add("embedded") //R
	s.Log.Add("field of an embedded type")
	for _, list := range s.carts {
		list[0].Add("range") //R
		for _, c := range slices.Backward(list) {
			c.Add("generic function of the standard library") //R
		}
	}
	s.handle().Add("field with a function") //R
	var any any = c
	switch c := any.(type) {
	case *basket.Cart:
		c.Add("type switch") //R
	case basket.Log:
		c.Add("type switch")
	}
	if c, ok := any.(*basket.Item); ok {
		c.Owner().Add("chain") //R
		c.Owner().Add("chain").Add("again") //R
	}
	f := c.Add //R
	f("value")
	func(c basket.Log) { c.Add("shadow") }(l)
	(&basket.Cart{}).Add("literal") //R
	(*basket.Cart).Add(c, "method expression") //R
	map[string]*basket.Cart{"a": c}["a"].Add("map") //R
	unknown().Add("unknown") //U
}
`,
	})
}

func TestFind_GoFunction(t *testing.T) {
	checkUses(t, "Open", texts{
		"go.mod":              goMod,
		"store/store_unix.go": "package store\n\nfunc Open() {} //T\n\nfunc init() { Open() } //R\n",
		"store/store_test.go": "package store_test\n\nimport . \"example.com/shop/store\"\n\nfunc use() { Open() } //R\n",
		"store/windows.go":    "package store\n\nfunc again() { Open := func() {}; Open() }\n",
		"other/other.go":      "package other\n\nfunc Open() {}\n\nfunc use() { Open() }\n",
		"main.go":             "package main\n\nimport (\n\"os\"\n\"example.com/shop/store\"\n\"example.com/shop/other\"\n)\n\nfunc main() {\n\tstore.Open() //R\n\tother.Open()\n\tos.Open(\"\")\n}\n",
		"fork/go.mod":         "module example.com/fork\n",
		"fork/fork.go":        "package fork\n\nimport \"example.com/shop/store\"\n\nvar open = store.Open //R\n",
	})
}

func TestFind_GoInterface(t *testing.T) {
	files := func(target string) texts {
		text := `package shop

type Closer interface {
	Close() error //interface
}
type both interface {
	Closer
	Name() string
}
type File struct{}
func (f *File) Close() error { return nil } //method
type Other struct{}
func (o Other) Close(hard bool) error { return nil }

func use(c Closer, b both, f *File, o Other) {
	c.Close() //a
	b.Close() //b
	f.Close() //c
	o.Close(true)
}
func generic[C Closer](c C) { c.Close() } //a
`
		for from, to := range map[string]map[string]string{
			"interface": {"//interface": "//T", "//a": "//R", "//b": "//R"},
			"method":    {"//method": "//T", "//a": "//P", "//c": "//R"},
		}[target] {
			text = strings.ReplaceAll(text, from, to)
		}
		return texts{"shop.go": text}
	}
	for _, target := range []string{"interface", "method"} {
		t.Run(target, func(t *testing.T) { checkUses(t, "Close", files(target)) })
	}
}

func TestFind_GoGenerics(t *testing.T) {
	checkUses(t, "Get", texts{"a.go": `package a

import (
	"iter"
	"sync/atomic"
)

type Item struct{ next atomic.Pointer[Item] }
func (i *Item) Get() int { return 0 } //T
type Other struct{}
func (Other) Get() int { return 0 }
type List[T any] struct{ items []T; first T }
func (l *List[T]) First() T { return l.first }
func (l *List[T]) All() iter.Seq2[int, T] { return nil }
type Pair[A, B any] struct { a A; b B }
func Map[A, B any](list []A, f func(A) B) []B { return nil }
func Zip[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{a, b} }
type Alias = List[*Item]

func use(l List[*Item], o *List[Other], a Alias, names []string) {
	l.First().Get() //R
	o.First().Get()
	a.First().Get() //R
	for _, i := range l.All() {
		i.Get() //R
	}
	for _, i := range o.All() {
		i.Get()
	}
	Map(names, func(string) *Item { return nil })[0].Get() //R
	Zip(1, l.First()).b.Get() //R
	Zip(1, Other{}).b.Get()
	l.First().next.Load().Get() //R
	new(Item).Get() //R
	append(l.items, nil)[0].Get() //R
}
`})
}

// Without a go.mod, the end of an import path selects the directory.
func TestFind_GoWithoutModule(t *testing.T) {
	checkUses(t, "Open", texts{
		"store/store.go": "package store\n\nfunc Open() {} //T\n",
		"main.go":        "package main\n\nimport \"example.com/x/store\"\n\nfunc main() { store.Open() } //R\n",
		"json/json.go":   "package json\n\nfunc Open() {}\n",
	})
}

func TestFind_Errors(t *testing.T) {
	files := texts{"a.go": "package a\n\nfunc f() {}\n", "b.go": "package a\n\nfunc g() { f() }\n"}
	finder := uses.NewFinder(files)
	if _, err := finder.Find(t.Context(), uses.Declaration{Path: "a.cob", Language: "cobol"}); !errors.Is(err, uses.ErrLanguage) {
		t.Errorf("an unknown language gives %v", err)
	}
	if _, err := finder.Find(t.Context(), uses.Declaration{Path: "gone.go", Name: "f", Language: source.Go}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	d := uses.Declaration{Path: "a.go", Name: "f", Offset: strings.Index(files["a.go"], "f()"), Language: source.Go}
	wrong := d
	wrong.Offset++
	if _, err := finder.Find(t.Context(), wrong); !errors.Is(err, uses.ErrDeclaration) {
		t.Errorf("another offset gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := finder.Find(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gives %v", err)
	}
	finder.Forget()
	if r, err := finder.Find(t.Context(), d); err != nil || len(r.Uses) != 1 || r.Uses[0].Line != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	delete(files, "b.go")
	if r, err := uses.NewFinder(listed{files, []string{"a.go", "b.go"}}).Find(t.Context(), d); err != nil || len(r.Unread) != 1 || r.Unread[0] != "b.go" {
		t.Errorf("an unreadable file: %+v, %v", r, err)
	}
}

// listed is a Project with names of missing files.
type listed struct {
	texts
	names []string
}

func (l listed) Files(...source.Language) []string { return l.names }

// Searches in hostile texts end.
func TestFind_GoHostile(t *testing.T) {
	tower := "package a\n\nfunc F() {}\n\nfunc pair[T any](t T) struct{ a, b T } { return struct{ a, b T }{t, t} }\n\nfunc g() {\n\tx0 := pair(1)\n"
	for i := range 200 {
		tower += fmt.Sprintf("\tx%d := pair(x%d)\n", i+1, i)
	}
	tower += "\tx200.a.b.F()\n}\n"
	aliases := "package a\n\nfunc F() {}\n\ntype A0 = struct{ a, b int }\n"
	for i := range 200 {
		aliases += fmt.Sprintf("type A%d = struct{ a, b A%d }\n", i+1, i)
	}
	aliases += "func g(a A200) { a.a.b.F() }\n"
	for name, text := range map[string]string{
		"type of itself":        "package a\n\nfunc F() {}\n\ntype T T\ntype U = U\ntype I interface{ I }\ntype S struct{ S; *S }\nfunc g(t T, u U, i I, s S) { t.F(); u.F(); i.F(); s.F() }\n",
		"value of itself":       "package a\n\nfunc F() {}\n\nvar x = y\nvar y = x\nfunc g() { x.F(); z := z; z.F() }\n",
		"growing types":         "package a\n\nfunc F() {}\n\ntype L[T any] struct{ L[L[T]] }\nfunc r[T any](t T) T { return r(L[T]{}) }\nfunc g(l L[int]) { l.F(); r(1).F() }\n",
		"tower of types":        tower,
		"tower of aliases":      aliases,
		"deep expression":       "package a\n\nfunc F() {}\n\nvar x = " + strings.Repeat("(", 100_000) + "F" + strings.Repeat(")", 100_000) + "\n",
		"long chain":            "package a\n\nfunc F() {}\n\nvar x = y" + strings.Repeat(".F()", 5_000) + "\n",
		"broken":                "package a\n\nfunc F() {}\n\nfunc (a, b) F( { F(\n",
		"not UTF-8":             "package a\n\nfunc F() {} // \xff\xfe\n\nfunc g() { F() }\n",
		"constraint of its own": "package a\n\nfunc F() {}\n\nfunc g[T T](t T) { t.F() }\nfunc h[A B, B A](a A) { a.F() }\n",
	} {
		t.Run(name, func(t *testing.T) {
			files := texts{"a.go": text}
			_, err := uses.NewFinder(files).Find(t.Context(), uses.Declaration{Path: "a.go", Name: "F", Offset: strings.Index(text, "F()"), Language: source.Go})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFind_GoExpressions(t *testing.T) {
	checkUses(t, "Run", texts{"go.mod": goMod, "a.go": `package a

import (
	"context"
	"sort"
	"example.com/other/generic"
	"example.com/other/v2"
	yaml "example.com/other/go-yaml"
)

type Job struct {
	next  chan *Job
	table map[string]Job
	fn    func() (*Job, error)
	array *[3]*Job
}

func (j *Job) Run() {} //T

type Jobs []*Job

func (j Jobs) Len() int { return len(j) }

type Alias = *Job
type Runner interface{ Run(); Stop(x, y int, m map[string]*Job, c context.Context) }
type Closer struct{ *Job; context.Context }

func (c *Closer) Stop(x, y int, m map[string]*Job, d context.Context) {}

const text = "x" + "y"

var global, other = &Job{}, Jobs{}

func pair() (*Job, bool) { return nil, true }

func use(ctx context.Context, r Runner, a Alias, c Closer, list Jobs, box generic.Box[*Job]) {
	global.Run() //R
	other[0].Run() //R
	a.Run() //R
	c.Run() //R
	c.Job.Run() //R
	list[1:][0].Run() //R
	(<-global.next).Run() //R
	job := global.table["x"]
	job.Run() //R
	if j, err := global.fn(); err == nil {
		j.Run() //R
	}
	global.array[0].Run() //R
	(*global.array)[1].Run() //R
	var v, ok = pair()
	_ = ok
	v.Run() //R
	for range 3 {
	}
	for i, j := range list {
		_ = i
		j.Run() //R
	}
	for j := range global.next {
		j.Run() //R
	}
	switch x := any(a).(type) {
	case *Job, nil:
		_ = x
	}
	select {
	case j := <-global.next:
		j.Run() //R
	}
	max(a, a).Run() //R
	make(Jobs, 1)[0].Run() //R
	ctx.Value(1).(*Job).Run() //R
	box.Get().Run() //U
	yaml.Run()
	v2.Run() //U
	other2 := generic.Map(list, func(j *Job) *Job { j.Run(); return j }) //R
	other2[0].Run() //U
	sort.Sort(list)
	r.Run()
	m := map[string]func(){"Run": v.Run} //R
	_ = m
	type local struct{ Run int }
	_ = local{Run: 1}
label:
	for {
		break label
	}
	go func(j Job) { defer j.Run() }(*global) //R
	_ = -1 << 2
	_ = !ok && text == "z"
}
`})
}

// Bodies that do not contain the name are not parsed. Their signatures, and braces in
// comments, strings and types, do not hide other declarations.
func TestFind_GoBlankBodies(t *testing.T) {
	checkUses(t, "Run", texts{
		"go.mod": goMod,
		"job.go": "package shop\n\ntype Job struct{}\n\nfunc (Job) Run() {} //T\n",
		"a.go": `package shop

func fields() struct{ job Job } { return struct{ job Job }{} }
func iface(x interface{ Other() }) interface{ Run() } { return Job{} }
func generic[T interface{ ~[]E }, E any](list T) map[string]struct{} {
	s := "}" + ` + "`}\nfunc x() {`" + ` // }
	_ = '}' /* } */
	return nil
}
func assembly() (j Job)
func make() (j Job) {
	for { break }
	return
}
func use() {
	fields().job.Run() //R
	iface(nil).Run() //P
	make().Run() //R
	assembly().Run() //R
}
`,
		"broken.go": "package shop\n\nfunc broken() Job {\n\tif true {\n\treturn Job{}\n}\n\nfunc later() Job { return Job{} }\n",
		"other.go":  "package shop\n\nfunc call() { later().Run() } //U\n",
	})
}

// A file that does not import the package of a function has no use of it.
func TestFind_GoWithoutImport(t *testing.T) {
	checkUses(t, "Open", texts{
		"go.mod":  goMod,
		"a/a.go":  "package a\n\nfunc Open() {} //T\n",
		"b/b.go":  "package b\n\nimport \"os\"\n\ntype file struct{ Open func() }\n\nfunc f(x file, y any) {\n\tx.Open()\n\tos.Open(\"\")\n\tOpen()\n\t_ = file{Open: nil}\n}\n\nfunc Open() {}\n",
		"c/c.go":  "package c\n\nimport `example.com/shop/a`\n\nfunc f() { a.Open() } //R\n",
		"d/d.go":  "package d\n\nimport . \"example.com/shop/a\"\n\nfunc f() { Open() } //R\n",
		"main.go": "package main\n\nimport x \"example.com/shop/a\"\n\nfunc main() { x.Open() } //R\n",
	})
}
