package uses

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// goProject holds the packages of Go that a search has read.
type goProject struct {
	project  Project
	fset     *token.FileSet
	files    map[string][]string     // paths by directory
	dirs     map[string]string       // directory by import path; nil before the first search
	loose    map[string]bool         // directories without a go.mod above them
	packages map[string][]*goPackage // by directory
	names    map[string]bool         // cached results of hasName
	size     int                     // bytes of read texts
	unread   []string
	ctx      context.Context // of the running search
}

// goPackage is a package with its declarations, without the bodies of functions.
type goPackage struct {
	name     string
	files    []*goFile
	scope    map[string]*goObject
	methods  map[string]map[string]*goObject // by name of the receiver's type and of the method
	standard bool                            // a description of a package outside the project
}

// goFile is a file of a package.
type goFile struct {
	path    string
	pkg     *goPackage
	base    int               // the token.Pos of the first byte
	imports map[string]string // import paths by local name
	dots    []string          // import paths that are imported with a dot
	named   map[string]string // results of importNamed; "" for an unknown name
}

// goKind is the kind of a goObject.
type goKind uint8

const (
	goVar goKind = iota // variable, constant, parameter or field
	goFunc
	goType
	goParam           // type parameter
	goInterfaceMethod // method in an interface
)

// goObject is a declared name.
type goObject struct {
	kind    goKind
	name    string
	pos     token.Pos // of the name
	visible token.Pos // local names are visible from here
	env     goEnv
	next    *goObject // another declaration of the name, for another platform

	expr   ast.Expr      // declared type of a variable, or constraint of a type parameter
	value  ast.Expr      // initial value, if expr is nil
	index  int           // of the result of value
	origin goOrigin      // how value gives the type
	spec   *ast.TypeSpec // of a type
	fn     *ast.FuncDecl // of a function or method

	typ       goTyp // cached type of a variable
	typed     bool
	resolving bool
}

// goOrigin is the way in which the type of a variable results from its value.
type goOrigin uint8

const (
	fromValue goOrigin = iota
	fromRange          // variable of a range clause
)

// newGoProject lists the packages of a project.
func newGoProject(project Project) *goProject {
	p := &goProject{
		project: project, fset: token.NewFileSet(), files: map[string][]string{}, loose: map[string]bool{},
		packages: map[string][]*goPackage{}, names: map[string]bool{},
	}
	for _, name := range project.Files(source.Go) {
		dir := path.Dir(name)
		p.files[dir] = append(p.files[dir], name)
	}
	return p
}

// findModules reads the go.mod files, and sets the import path of each directory.
func (p *goProject) findModules(ctx context.Context) {
	p.dirs = map[string]string{}
	modules := map[string]string{} // module path by directory; "" without a go.mod
	dirs := make([]string, 0, len(p.files))
	for dir := range p.files {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int { return len(a) - len(b) })
	for _, dir := range dirs {
		for at := dir; ; at = path.Dir(at) {
			module, known := modules[at]
			if !known {
				if text, err := p.project.ReadFile(ctx, path.Join(at, "go.mod")); err == nil {
					module = modulePath(text)
				}
				modules[at] = module
			}
			if module != "" {
				p.addDir(module, strings.TrimPrefix(strings.TrimPrefix(dir, at), "/"), at == ".", dir)
				break
			}
			if at == "." || at == "/" {
				p.loose[dir] = true
				break
			}
		}
	}
}

// addDir sets the import path of a directory. rest is its path below the module.
func (p *goProject) addDir(module, rest string, top bool, dir string) {
	if top {
		rest = strings.TrimPrefix(dir, ".")
		rest = strings.TrimPrefix(rest, "/")
	}
	if at := strings.LastIndex("/"+rest, "/vendor/"); at >= 0 {
		module, rest = "", rest[at+len("vendor/"):]
	}
	name := path.Join(module, rest)
	if module == "std" {
		name = rest
	}
	if _, taken := p.dirs[name]; !taken && name != "" {
		p.dirs[name] = dir
	}
}

// modulePath returns the path of the module directive, or "".
func modulePath(text []byte) string {
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if len(words) >= 2 && words[0] == "module" {
			if name, err := strconv.Unquote(words[1]); err == nil {
				return name
			}
			return words[1]
		}
	}
	return ""
}

// imported returns the package with an import path, or nil if it is outside the project.
func (p *goProject) imported(name string) *goPackage {
	dir, ok := p.dirs[name]
	if !ok {
		dir, ok = p.looseDir(name)
	}
	if !ok {
		text, ok := goStandard[name]
		if !ok {
			return nil
		}
		dir = "\x00" + name
		if _, done := p.packages[dir]; !done {
			p.packages[dir] = nil
			p.add(dir, name+".go", []byte(text))
			for _, pkg := range p.packages[dir] {
				pkg.standard = true
			}
		}
	}
	var found *goPackage
	for _, pkg := range p.load(dir) {
		if strings.HasSuffix(pkg.name, "_test") && len(pkg.files) > 0 && strings.HasSuffix(pkg.files[0].path, "_test.go") {
			continue
		}
		if found == nil || found.name == "main" || pkg.name != "main" && len(pkg.files) > len(found.files) {
			found = pkg
		}
	}
	return found
}

// hasName reports whether a package with an import path has a name. known is false for a
// package outside the project. The files of the package are not loaded.
func (p *goProject) hasName(importPath, name string) (has, known bool) {
	dir, ok := p.dirs[importPath]
	if !ok {
		dir, ok = p.looseDir(importPath)
	}
	if _, loaded := p.packages[dir]; !ok || loaded {
		pkg := p.imported(importPath)
		return pkg != nil && pkg.name == name, pkg != nil
	}
	key := dir + "\x00" + name
	if has, done := p.names[key]; done {
		return has, true
	}
	for _, file := range p.files[dir] {
		text, err := p.project.ReadFile(p.ctx, file)
		if err != nil {
			continue // reported when the package is loaded
		}
		tree, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly|parser.SkipObjectResolution)
		if tree != nil && tree.Name != nil && tree.Name.Name == name {
			has = true
			break
		}
	}
	p.names[key] = has
	return has, true
}

// looseDir returns the directory whose path is the longest end of an import path, among
// the directories without a go.mod.
func (p *goProject) looseDir(name string) (string, bool) {
	first, _, _ := strings.Cut(name, "/")
	if len(p.loose) == 0 || goStandardRoots[first] {
		return "", false
	}
	for rest := name; rest != ""; {
		if p.loose[rest] {
			return rest, true
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return "", false
}

// load reads the packages of a directory, once.
func (p *goProject) load(dir string) []*goPackage {
	if packages, ok := p.packages[dir]; ok {
		return packages
	}
	p.packages[dir] = nil
	for _, name := range p.files[dir] {
		if p.ctx.Err() != nil {
			return nil
		}
		text, err := p.project.ReadFile(p.ctx, name)
		if err == nil {
			err = p.add(dir, name, text)
		}
		if err != nil {
			p.unread = append(p.unread, name)
		}
	}
	return p.packages[dir]
}

// errDepth reports a text with nodes nested too deeply.
var errDepth = errors.New("the syntax is nested too deeply")

// maxDepth is the maximum depth of the syntax tree of a file.
const maxDepth = 500

// parse parses a text without comments. Syntax errors are ignored.
func (p *goProject) parse(name string, text []byte) (*ast.File, error) {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("x"))
	}
	tree, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
	if tree == nil || tree.Name == nil || !tree.FileStart.IsValid() {
		return nil, err
	}
	depth, deepest := 0, 0
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			depth--
			return false
		}
		depth++
		deepest = max(deepest, depth)
		return true
	})
	if deepest > maxDepth {
		return nil, errDepth
	}
	return tree, nil
}

// add adds the declarations of a file to its package.
func (p *goProject) add(dir, name string, text []byte) error {
	tree, err := p.parse(name, blankBodies(text, nil))
	if err != nil {
		return err
	}
	p.size += len(text)
	var pkg *goPackage
	for _, known := range p.packages[dir] {
		if known.name == tree.Name.Name {
			pkg = known
		}
	}
	if pkg == nil {
		pkg = &goPackage{name: tree.Name.Name, scope: map[string]*goObject{}, methods: map[string]map[string]*goObject{}}
		p.packages[dir] = append(p.packages[dir], pkg)
	}
	f := &goFile{path: name, pkg: pkg, base: int(tree.FileStart)}
	pkg.files = append(pkg.files, f)
	f.addImports(tree)
	for _, declaration := range tree.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			f.addFunction(d)
		case *ast.GenDecl:
			stripBodies(d)
			for _, o := range objectsOf(d, goEnv{file: f}) {
				pkg.declare(pkg.scope, o)
			}
		}
	}
	return nil
}

// addImports records the imports of a file.
func (f *goFile) addImports(tree *ast.File) {
	f.imports = make(map[string]string, len(tree.Imports))
	for _, i := range tree.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		switch {
		case i.Name == nil:
			// The name of the package is unknown before it is loaded. Lookups compare it.
			f.imports["\x00"+name] = name
		case i.Name.Name == ".":
			f.dots = append(f.dots, name)
		case i.Name.Name != "_":
			f.imports[i.Name.Name] = name
		}
	}
}

// importNamed returns the import path of a local package name.
func (p *goProject) importNamed(f *goFile, name string) (string, bool) {
	if found, ok := f.imports[name]; ok {
		return found, true
	}
	found, ok := f.named[name]
	if !ok {
		if f.named == nil {
			f.named = map[string]string{}
		}
		found = p.newImportNamed(f, name)
		f.named[name] = found
	}
	return found, found != ""
}

// newImportNamed finds the import path of a local package name among the imports without
// a name. It returns "" for an unknown name.
func (p *goProject) newImportNamed(f *goFile, name string) string {
	for _, exact := range []bool{true, false} {
		for key, found := range f.imports {
			if key[0] != 0 {
				continue
			}
			base := path.Base(found)
			if isVersion(base) {
				base = path.Base(path.Dir(found))
			}
			if exact != (base == name) {
				continue
			}
			if has, known := p.hasName(found, name); has || !known && (exact || guessedName(base) == name) {
				return found
			}
		}
	}
	return ""
}

// isVersion reports whether the last part of an import path is a major version, as in v2.
func isVersion(part string) bool {
	if len(part) < 2 || part[0] != 'v' {
		return false
	}
	_, err := strconv.Atoi(part[1:])
	return err == nil
}

// guessedName returns the usual package name for the last part of an import path: yaml for
// go-yaml and yaml.v3.
func guessedName(part string) string {
	part, _, _ = strings.Cut(part, ".")
	part = strings.TrimPrefix(part, "go-")
	part = strings.TrimSuffix(part, "-go")
	return strings.ReplaceAll(part, "-", "")
}

// stripBodies removes the bodies of function literals, whose memory is not needed.
func stripBodies(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			f.Body = &ast.BlockStmt{}
		}
		return true
	})
}

// addFunction adds a function or a method.
func (f *goFile) addFunction(d *ast.FuncDecl) {
	d.Body = nil
	o := &goObject{kind: goFunc, name: d.Name.Name, pos: d.Name.Pos(), fn: d, env: goEnv{file: f}}
	if d.Recv == nil || len(d.Recv.List) == 0 {
		if d.Name.Name != "init" {
			f.pkg.declare(f.pkg.scope, o)
		}
		return
	}
	receiver, _ := receiverType(d.Recv.List[0].Type)
	if receiver == "" {
		return
	}
	if f.pkg.methods[receiver] == nil {
		f.pkg.methods[receiver] = map[string]*goObject{}
	}
	f.pkg.declare(f.pkg.methods[receiver], o)
}

// declare adds an object to a scope of the package. Several declarations of a name are for
// several platforms.
func (p *goPackage) declare(scope map[string]*goObject, o *goObject) {
	if o.name == "_" {
		return
	}
	o.next = scope[o.name]
	scope[o.name] = o
}

// receiverType returns the name of the type of a receiver, and its type parameters.
func receiverType(x ast.Expr) (name string, params []string) {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			params, x = []string{nameOf(t.Index)}, t.X
		case *ast.IndexListExpr:
			params = nil
			for _, i := range t.Indices {
				params = append(params, nameOf(i))
			}
			x = t.X
		case *ast.Ident:
			return t.Name, params
		default:
			return "", nil
		}
	}
}

// nameOf returns the name of an identifier, or "".
func nameOf(x ast.Expr) string {
	if id, ok := x.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// objectsOf returns the types, variables and constants of a declaration.
func objectsOf(d *ast.GenDecl, env goEnv) []*goObject {
	var all []*goObject
	var last *ast.ValueSpec // of constants: later ones repeat its type and values
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			all = append(all, &goObject{kind: goType, name: s.Name.Name, pos: s.Name.Pos(), visible: s.Name.Pos(), spec: s, env: env})
		case *ast.ValueSpec:
			from := s
			if d.Tok == token.CONST {
				if s.Type == nil && len(s.Values) == 0 && last != nil {
					from = last
				} else {
					last = s
				}
			}
			for i, name := range s.Names {
				o := &goObject{kind: goVar, name: name.Name, pos: name.Pos(), visible: s.End(), expr: from.Type, env: env}
				switch {
				case i < len(from.Values) && len(from.Values) == len(s.Names):
					o.value = from.Values[i]
				case len(from.Values) == 1:
					o.value, o.index = from.Values[0], i
				}
				all = append(all, o)
			}
		}
	}
	return all
}
