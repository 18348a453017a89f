package main

import (
	"context"
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// goModule returns the directory of a module in the module cache.
func goModule(name, version string) func(*bench, context.Context) (string, error) {
	return func(_ *bench, ctx context.Context) (string, error) {
		out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE").Output()
		if err != nil {
			return "", err
		}
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), filepath.FromSlash(name)+"@"+version))
		if err == nil && len(found) == 0 {
			err = errors.New("it is not in the module cache")
		}
		if err != nil {
			return "", err
		}
		return filepath.EvalSymlinks(found[len(found)-1])
	}
}

// goChecker type-checks the packages of a module.
type goChecker struct {
	dir, module string
	fset        *token.FileSet
	standard    types.Importer
	packages    map[string]*types.Package
	uses        map[token.Pos]types.Object
	receivers   map[token.Pos]types.Type // of the methods that are used
	declared    []*types.Func
	named       []*types.Named
	files       map[string]bool
}

// checkGo finds the uses of the functions of a module with go/types. Packages of other
// modules are not loaded.
func checkGo(_ *bench, _ context.Context, dir string) (truth, error) {
	c := &goChecker{
		dir: dir, fset: token.NewFileSet(), packages: map[string]*types.Package{}, uses: map[token.Pos]types.Object{},
		receivers: map[token.Pos]types.Type{}, files: map[string]bool{},
	}
	c.standard = importer.ForCompiler(c.fset, "source", nil)
	project, err := openFolder(dir)
	if err != nil {
		return truth{}, err
	}
	text, err := project.ReadFile(context.Background(), "go.mod")
	if err != nil {
		return truth{}, err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			c.module = strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	dirs := map[string]bool{}
	for _, name := range project.Files(source.Go) {
		dirs[path.Dir(name)] = true
	}
	for _, sub := range slices.Sorted(maps.Keys(dirs)) {
		if sub != "." && strings.Contains("/"+sub, "/testdata") {
			continue
		}
		c.check(sub)
		c.checkTests(sub)
	}
	return c.truth(), nil
}

// Import implements types.Importer.
func (c *goChecker) Import(name string) (*types.Package, error) {
	if rest, ok := strings.CutPrefix(name, c.module); ok && (rest == "" || rest[0] == '/') {
		if pkg := c.check(path.Join(".", rest)); pkg != nil {
			return pkg, nil
		}
		return nil, errors.New("no such package")
	}
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
		return nil, errors.New("another module")
	}
	return c.standard.Import(name)
}

// check checks the package of a directory, with the tests that belong to it.
func (c *goChecker) check(sub string) *types.Package {
	if pkg, ok := c.packages[sub]; ok {
		return pkg
	}
	c.packages[sub] = nil
	at := filepath.Join(c.dir, sub)
	p, err := build.ImportDir(at, 0)
	if err != nil {
		return nil
	}
	c.packages[sub] = c.checkFiles(path.Join(c.module, sub), sub, slices.Concat(p.GoFiles, p.TestGoFiles))
	return c.packages[sub]
}

func (c *goChecker) checkTests(sub string) {
	if p, err := build.ImportDir(filepath.Join(c.dir, sub), 0); err == nil && len(p.XTestGoFiles) > 0 {
		c.checkFiles(path.Join(c.module, sub)+"_test", sub, p.XTestGoFiles)
	}
}

func (c *goChecker) checkFiles(name, sub string, names []string) *types.Package {
	var files []*ast.File
	for _, file := range names {
		tree, err := parser.ParseFile(c.fset, filepath.Join(c.dir, sub, file), nil, parser.SkipObjectResolution)
		if err == nil {
			files = append(files, tree)
			c.files[path.Join(sub, file)] = true
		}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: c, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check(name, c.fset, files, &info)
	for id, o := range info.Uses {
		c.uses[id.Pos()] = o
	}
	for x, selection := range info.Selections {
		c.receivers[x.Sel.Pos()] = selection.Recv()
	}
	for _, o := range info.Defs {
		switch o := o.(type) {
		case *types.Func:
			if o.Name() != "_" && o.Name() != "init" && o.Name() != "main" {
				c.declared = append(c.declared, o)
			}
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok && !types.IsInterface(n) {
				c.named = append(c.named, n)
			}
		}
	}
	return pkg
}

func (c *goChecker) place(pos token.Pos) (place, int) {
	at := c.fset.PositionFor(pos, false) // without //line directives
	name, _ := filepath.Rel(c.dir, at.Filename)
	return place{filepath.ToSlash(name), int32(at.Line)}, at.Offset
}

// truth collects the uses.
func (c *goChecker) truth() truth {
	t := truth{resolved: map[uses.Declaration]map[place]bool{}, possible: map[uses.Declaration]map[place]bool{}, files: c.files}
	byName := map[string][]token.Pos{}
	for pos, o := range c.uses {
		if f, ok := o.(*types.Func); ok {
			c.uses[pos] = f.Origin()
			byName[f.Name()] = append(byName[f.Name()], pos)
		}
	}
	slices.SortFunc(c.declared, func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) })
	for _, f := range c.declared {
		at, offset := c.place(f.Pos())
		d := uses.Declaration{Path: at.path, Name: f.Name(), Offset: offset, Language: source.Go}
		direct, may := map[place]bool{}, map[place]bool{}
		for _, pos := range byName[f.Name()] {
			used := c.uses[pos].(*types.Func)
			at, _ := c.place(pos)
			switch {
			case used == f.Origin():
				direct[at] = true
			case c.implements(f, used, c.receivers[pos]):
				may[at] = true
			}
		}
		t.functions = append(t.functions, d)
		t.resolved[d], t.possible[d] = direct, may
	}
	return t
}

// implements reports whether a method implements a method of an interface of the module.
// static is the type of the expression whose method is used, or nil.
func (c *goChecker) implements(f, used *types.Func, static types.Type) bool {
	receiver := f.Signature().Recv()
	other := used.Signature().Recv()
	if receiver == nil || other == nil || used.Pkg() == nil || types.IsInterface(receiver.Type()) {
		return false
	}
	if used.Pkg().Path() != c.module && !strings.HasPrefix(used.Pkg().Path(), c.module+"/") {
		return false
	}
	i, ok := other.Type().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	if static != nil {
		if all, ok := static.Underlying().(*types.Interface); ok {
			i = all
		}
	}
	t := receiver.Type()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return types.Implements(types.NewPointer(t), i)
}
