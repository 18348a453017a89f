package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// printed is the output of a program that resolves names.
type printed struct {
	Files     []string
	Functions []struct {
		Path               string
		Name               string
		Offset             int
		Resolved, Possible []struct {
			Path string
			Line int32
		}
	}
}

// runTruth runs a program that prints the uses of the functions of a directory.
func runTruth(ctx context.Context, language source.Language, name string, args ...string) (truth, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr[:min(len(exit.Stderr), 500)])
		}
		return truth{}, err
	}
	var p printed
	if err := json.Unmarshal(out, &p); err != nil {
		return truth{}, err
	}
	t := truth{resolved: map[uses.Declaration]map[place]bool{}, possible: map[uses.Declaration]map[place]bool{}, files: map[string]bool{}}
	for _, file := range p.Files {
		t.files[file] = true
	}
	for _, f := range p.Functions {
		d := uses.Declaration{Path: f.Path, Name: f.Name, Offset: f.Offset, Language: language}
		if lang, ok := source.LanguageOf(f.Path, nil); ok {
			d.Language = lang
		}
		t.functions = append(t.functions, d)
		t.resolved[d], t.possible[d] = map[place]bool{}, map[place]bool{}
		for _, u := range f.Resolved {
			t.resolved[d][place{u.Path, u.Line}] = true
		}
		for _, u := range f.Possible {
			t.possible[d][place{u.Path, u.Line}] = true
		}
	}
	return t, nil
}

// installed returns the directory of an npm package that the tests of this repository install.
func installed(name, sub string) func(*bench, context.Context) (string, error) {
	return func(b *bench, _ context.Context) (string, error) {
		dir := filepath.Join(b.repository, "internal", "test", "e2e", "node", "node_modules", name, sub)
		return filepath.EvalSymlinks(dir)
	}
}

// ownSources returns the directory of sources of this repository.
func ownSources(dir string) func(*bench, context.Context) (string, error) {
	return func(b *bench, _ context.Context) (string, error) {
		return filepath.EvalSymlinks(filepath.Join(b.repository, filepath.FromSlash(dir)))
	}
}

// packed returns a copy of the sources of an npm package.
func packed(p corpora.Pack, within string, endings ...string) func(*bench, context.Context) (string, error) {
	return func(b *bench, _ context.Context) (string, error) {
		all, err := b.npm(p, within)
		if err != nil {
			return "", err
		}
		names, err := sources(all, ".", endings...)
		if err != nil {
			return "", err
		}
		dir := filepath.Join(b.dir, "callers", p.Name)
		_, err = copyFiles(dir, all, names)
		return dir, err
	}
}

// checkScript finds the uses with the compiler of TypeScript.
func checkScript(b *bench, ctx context.Context, dir string) (truth, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return truth{}, err
	}
	compiler := filepath.Join(b.repository, "internal", "test", "e2e", "programs", "node_modules", "typescript")
	return runTruth(ctx, source.TypeScript, node, "--max-old-space-size=4000", filepath.Join(b.repository, "bench", "chunks", "truth", "typescript.cjs"), compiler, dir)
}

// jdkPackages returns a copy of packages of a module in the sources of the JDK.
func jdkPackages(module string, packages ...string) func(*bench, context.Context) (string, error) {
	return func(b *bench, _ context.Context) (string, error) {
		home, err := javaHome()
		if err != nil {
			return "", err
		}
		all, err := zip.OpenReader(filepath.Join(home, "lib", "src.zip"))
		if err != nil {
			return "", err
		}
		defer all.Close()
		var names []string
		for _, name := range packages {
			some, err := sources(all, path.Join(module, name), ".java")
			if err != nil {
				return "", err
			}
			names = append(names, some...)
		}
		dir := filepath.Join(b.dir, "callers", "java", packages[0])
		_, err = copyFiles(dir, all, names)
		return filepath.Join(dir, module), err
	}
}

// javaHome returns the directory of a JDK with its sources.
func javaHome() (string, error) {
	found, err := filepath.Glob("/usr/lib/jvm/*/lib/src.zip")
	for _, name := range found {
		if _, err := os.Stat(name); err == nil {
			return filepath.Dir(filepath.Dir(name)), nil
		}
	}
	return "", errors.Join(errors.New("the sources of the JDK are not installed"), err)
}

// checkJava finds the uses with javac.
func checkJava(module string) func(*bench, context.Context, string) (truth, error) {
	return func(b *bench, ctx context.Context, dir string) (truth, error) {
		home, err := javaHome()
		if err != nil {
			return truth{}, err
		}
		return runTruth(ctx, source.Java, filepath.Join(home, "bin", "java"), filepath.Join(b.repository, "bench", "chunks", "truth", "Uses.java"), dir, "--patch-module", module+"="+dir)
	}
}

// pythonPackage returns a copy of a package of the installed Python. Errors name a missing
// package.
func pythonPackage(name string) func(*bench, context.Context) (string, error) {
	return func(b *bench, ctx context.Context) (string, error) {
		out, err := exec.CommandContext(ctx, "python3", "-c", "import importlib.util, sys; print(importlib.util.find_spec(sys.argv[1]).submodule_search_locations[0])", name).Output()
		if err != nil {
			return "", fmt.Errorf("it is not installed: %w", err)
		}
		from := os.DirFS(strings.TrimSpace(string(out)))
		names, err := sources(from, ".", ".py")
		if err != nil {
			return "", err
		}
		dir := filepath.Join(b.dir, "callers", "python", name)
		_, err = copyFiles(filepath.Join(dir, name), from, names)
		return dir, err
	}
}

// pythonFunctions is the number of functions that pyright is asked about.
const pythonFunctions = "150"

// checkPython finds the uses with pyright.
func checkPython(b *bench, ctx context.Context, dir string) (truth, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return truth{}, err
	}
	server := filepath.Join(b.repository, "internal", "test", "e2e", "programs", "node_modules", "pyright", "langserver.index.js")
	return runTruth(ctx, source.Python, node, filepath.Join(b.repository, "bench", "chunks", "truth", "pyright.cjs"), server, dir, pythonFunctions)
}
