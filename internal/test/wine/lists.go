package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skip names tests of one package that do not run under Wine.
type skip struct {
	reason string
	pkg    string // below the module
	tests  []string
}

// exclusion names packages that do not run under Wine.
type exclusion struct {
	reason   string
	packages []string // below the module; "x/..." includes the packages below x
}

// excludes reports whether a package is in the list.
func excludes(list []exclusion, pkg string) bool {
	return slices.ContainsFunc(list, func(e exclusion) bool {
		return slices.ContainsFunc(e.packages, func(p string) bool {
			tree, ok := strings.CutSuffix(p, "/...")
			return pkg == p || ok && (pkg == tree || strings.HasPrefix(pkg, tree+"/"))
		})
	})
}

// checkLists returns an error that names the entries of both lists that are of no
// use: unknown tests and packages, and tests that are listed twice.
func checkLists(root string, skips []skip, excluded []exclusion) error {
	var errs []error
	seen := make(map[string]bool)
	for _, s := range skips {
		tests, err := testNames(filepath.Join(root, filepath.FromSlash(s.pkg)))
		if err != nil {
			errs = append(errs, fmt.Errorf("the package %s in the list skips: %w", s.pkg, err))
			continue
		}
		if s.reason == "" || len(s.tests) == 0 || excludes(excluded, s.pkg) {
			errs = append(errs, fmt.Errorf("the entry of %s in the list skips has no reason, no tests, or an excluded package", s.pkg))
		}
		for _, name := range s.tests {
			if !tests[name] {
				errs = append(errs, fmt.Errorf("%s has no test %s for Windows; remove it from the list skips", s.pkg, name))
			}
			if key := s.pkg + " " + name; seen[key] {
				errs = append(errs, fmt.Errorf("%s is twice in the list skips", key))
			} else {
				seen[key] = true
			}
		}
	}
	for _, e := range excluded {
		for _, p := range e.packages {
			dir := filepath.Join(root, filepath.FromSlash(strings.TrimSuffix(p, "/...")))
			if info, err := os.Stat(dir); e.reason == "" || err != nil || !info.IsDir() {
				errs = append(errs, fmt.Errorf("the package %s in the list excluded does not exist, or has no reason", p))
			}
		}
	}
	return errors.Join(errs...)
}

// testNames returns the names of the tests, examples and fuzz tests in a directory
// that are built for Windows.
func testNames(dir string) (map[string]bool, error) {
	system := build.Default
	system.GOOS, system.GOARCH, system.CgoEnabled = "windows", "amd64", false
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		if ok, err := system.MatchFile(dir, entry.Name()); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTestName(f.Name.Name) {
				names[f.Name.Name] = true
			}
		}
	}
	return names, nil
}

func isTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example") || strings.HasPrefix(name, "Fuzz")
}
