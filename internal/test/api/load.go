// Package api describes the exported names of the released modules as text, and compares them with an earlier version.
//
// A committed file in the directory baseline describes each module. The test of this package fails if a change of the code changes
// a description, so that every change of the public API is part of a diff:
//
//	go test -count=1 ./internal/test/api -update # in the root of the repository; writes the files
//
// If git has a tag of a module, the test compares the module with it, too: the version in CHANGELOG.md must rise as Semantic
// Versioning demands. docs/compatibility.md has the promise.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Prefix is the path of the main module. The paths of the others begin with it.
const Prefix = "github.com/dougu-go/dougu"

// Modules returns the directories of the released modules that have public packages.
func Modules() []string { return []string{".", "tools", "nats", "otel", "postgres"} }

// IsPublic reports whether programs outside of the repository can import a package, and the promise covers it. Packages named e2e
// contain tests only.
func IsPublic(pkg, name string) bool {
	parts := strings.Split(pkg, "/")
	return name != "main" && !slices.Contains(parts, "internal") && !slices.Contains(parts, "e2e")
}

// Load returns the public packages of modules with the types of their exported names, as built for Linux on amd64. The keys are the
// directories of modules, for example "tools"; root is the directory of a checkout.
func Load(ctx context.Context, root string, modules ...string) (map[string][]*types.Package, error) {
	byModule := make(map[string][]string)
	var all []string
	for _, module := range modules {
		listed, err := golist(ctx, filepath.Join(root, filepath.FromSlash(module)), "-find", "-json=ImportPath,Name", "./...")
		if err != nil {
			return nil, err
		}
		for _, pkg := range listed {
			if IsPublic(pkg.ImportPath, pkg.Name) {
				byModule[module] = append(byModule[module], pkg.ImportPath)
			}
		}
		all = append(all, byModule[module]...)
	}
	built, err := golist(ctx, root, append([]string{"-deps", "-export", "-json=ImportPath,Export"}, all...)...)
	if err != nil {
		return nil, err
	}
	exports := make(map[string]string)
	for _, pkg := range built {
		exports[pkg.ImportPath] = pkg.Export
	}
	read := importer.ForCompiler(token.NewFileSet(), "gc", func(pkg string) (io.ReadCloser, error) {
		if exports[pkg] == "" {
			return nil, fmt.Errorf("package %s has no export data", pkg)
		}
		return os.Open(exports[pkg])
	})
	loaded := make(map[string][]*types.Package)
	for module, paths := range byModule {
		slices.Sort(paths)
		for _, pkg := range paths {
			p, err := read.Import(pkg)
			if err != nil {
				return nil, fmt.Errorf("read the types of %s: %w", pkg, err)
			}
			loaded[module] = append(loaded[module], p)
		}
	}
	return loaded, nil
}

// listed is a package that "go list" has printed.
type listed struct{ ImportPath, Name, Export string }

// golist runs "go list" in a directory.
func golist(ctx context.Context, dir string, args ...string) ([]listed, error) {
	out, err := run(ctx, dir, "go", append([]string{"list"}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg listed
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("decode the output of go list: %w", err)
		}
		all = append(all, pkg)
	}
}

// run returns the standard output of a program. Commands of Go build for Linux on amd64.
func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "PWD="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args[:min(3, len(args))], " "), err, stderr.Bytes())
	}
	return out, nil
}

// ModulePath returns the path of the module in a directory of the repository.
func ModulePath(dir string) string { return path.Join(Prefix, dir) }
