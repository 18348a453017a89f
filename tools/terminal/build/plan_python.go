package build

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// pythonFiles say that a folder is a project of Python.
var pythonFiles = []string{"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "Pipfile", "conftest.py"}

// unitTest is how a test file of the standard library's unittest begins a class.
var unitTest = regexp.MustCompile(`(?m)^\s*(import unittest|from unittest\b)`)

// notCompiled matches the paths that a build leaves out, each of which begins with "./": hidden files and directories, and installed
// packages.
const notCompiled = `[/\\](\.[^/\\.]|(node_modules|site-packages|venv)[/\\])`

// isPython reports whether the folder is a Python project: by its files, or by tests without a project file.
func (f folder) isPython() bool { return f.has(pythonFiles...) || len(f.pythonTests()) > 0 }

// pythonTests are the test files of the folder, or of the directory tests or test in it, relative to the folder.
func (f folder) pythonTests() []string {
	for _, dir := range []string{".", "tests", "test"} {
		at := f
		if dir != "." {
			if !f.has(dir) {
				continue
			}
			var err error
			if at, err = open(f.files, path.Join(f.dir, dir)); err != nil {
				continue
			}
		}
		var tests []string
		for _, name := range at.names {
			if strings.HasSuffix(name, ".py") && (strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py")) {
				tests = append(tests, path.Join(dir, name))
			}
		}
		if len(tests) > 0 {
			return tests
		}
	}
	return nil
}

// python plans for Python: a build compiles all files, which finds errors of syntax, and tests run with pytest, or with unittest where
// nothing asks for pytest.
func (p planner) python() ([]Step, []string, error) {
	var args []string
	switch goal := p.only(); {
	case goal == goalBuild || goal == goalProd:
		args = []string{"-m", "compileall", "-q", "-x", notCompiled, "."}
	case goal == goalTest && p.usesPytest():
		args = []string{"-m", "pytest", "-q", "--color=no"}
	case goal == goalTest:
		args = []string{"-m", "unittest", "discover"}
		if dir := path.Dir(p.pythonTests()[0]); dir != "." {
			args = append(args, "-s", dir)
		}
		args = append(args, "-p", p.testPattern())
	default:
		return nil, nil, p.unknownTarget([]string{goalBuild, goalProd, goalTest})
	}
	return []Step{p.step(p.interpreter(), args...)}, p.below("dist", "build"), nil
}

// testPattern is the pattern of unittest for the test files.
func (p planner) testPattern() string {
	if slices.ContainsFunc(p.pythonTests(), func(name string) bool { return strings.HasPrefix(path.Base(name), "test_") }) {
		return "test_*.py"
	}
	return "*_test.py"
}

// usesPytest reports whether the tests are for pytest: unless they are for unittest alone.
func (p planner) usesPytest() bool {
	tests := p.pythonTests()
	if len(tests) == 0 || p.has("pytest.ini", "conftest.py") {
		return true
	}
	for _, name := range pythonFiles {
		if p.has(name) && strings.Contains(string(p.read(name)), "pytest") {
			return true
		}
	}
	return slices.ContainsFunc(tests[:min(len(tests), 50)], func(name string) bool { return !unitTest.Match(p.read(name)) })
}

// interpreter is that of the project's own environment, else the one that is installed.
func (p planner) interpreter() string {
	name, dir := "python3", "bin"
	if p.goos == "windows" {
		name, dir = "python", "Scripts"
	}
	for _, env := range []string{".venv", "venv"} {
		if !p.has(env) {
			continue
		}
		if at, err := open(p.files, path.Join(p.dir, env, dir)); err == nil && at.has("python", "python.exe") {
			return "./" + env + "/" + dir + "/python"
		}
	}
	return name
}
