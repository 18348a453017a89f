package build_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/terminal/build"
)

// TestPlanOf_Python plans for projects of Python, of which some have no file that says how they are tested.
func TestPlanOf_Python(t *testing.T) {
	for _, c := range []struct {
		name, target string
		files        tree
		want         string
	}{
		{"pytest without a file", "test", "test_a.py: def test_a(): assert True", "python3 -m pytest -q --color=no"},
		{"unittest", "test", "tests/test_a.py: import unittest", "python3 -m unittest discover -s tests -p test_*.py"},
		{"unittest with pytest's settings", "test", "test_a.py: import unittest\npyproject.toml: [tool.pytest.ini_options]", "python3 -m pytest -q --color=no"},
		{"other names", "test", "a_test.py: from unittest import TestCase", "python3 -m unittest discover -p *_test.py"},
		{"an environment of its own", "test", ".venv/bin/python\n.venv/Scripts/python.exe\nconftest.py", "./.venv/bin/python -m pytest -q --color=no"},
		{"a build", "", "setup.py", "python3 -m compileall -q"},
	} {
		plan, err := build.PlanOf(c.files, ".", "", c.target)
		if err != nil || len(plan.Steps) != 1 {
			t.Errorf("%s: %+v, %v", c.name, plan, err)
			continue
		}
		got := plan.Steps[0].String()
		if runtime.GOOS == "windows" {
			got = strings.ReplaceAll(got, "/Scripts/", "/bin/")
			if strings.HasPrefix(got, "python ") {
				got = "python3" + got[len("python"):]
			}
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPlanOf_PythonBuildCompiles runs the build of a project of Python: errors of syntax are found wherever the project's own files are.
func TestPlanOf_PythonBuildCompiles(t *testing.T) {
	name := "python3"
	if runtime.GOOS == "windows" {
		name = "python"
	}
	_, err := exec.LookPath(name)
	testrequire.Deep(t, err == nil, "Python", "install Python 3")
	for _, c := range []struct {
		name  string
		files tree
		want  []string // the files with errors
	}{
		{"right", "pyproject.toml\npkg/good.py: x = 1⏎", nil},
		{"broken", "pyproject.toml\nbad.py: def (:⏎\nenv/bad.py: def (:⏎\nvenv_tools/bad.py: def (:⏎\n" +
			".tox/bad.py: def (:⏎\nvenv/lib/python3/site-packages/x/bad.py: def (:⏎\nweb/node_modules/x/bad.py: def (:⏎",
			[]string{"bad.py", "env/bad.py", "venv_tools/bad.py"}},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, c.files.files()); err != nil {
			t.Fatal(err)
		}
		plan, err := build.PlanOf(disk(dir), ".", "", "")
		if err != nil {
			t.Fatal(err)
		}
		m := build.NewMatcher(plan.System, dir)
		failed := run(t, m, dir, plan)
		var got []string
		for _, p := range m.Problems() {
			got = append(got, p.File)
		}
		if slices.Sort(got); failed != (len(c.want) > 0) || !slices.Equal(got, c.want) {
			t.Errorf("%s: failed: %v, with errors in %q", c.name, failed, got)
		}
	}
}
