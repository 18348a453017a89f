package build_test

import (
	"runtime"
	"strings"
	"testing"

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
