package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/test/api"
	"golang.org/x/exp/apidiff"
)

// check returns the types of the package geometry in a directory of testdata.
func check(t *testing.T, version string) *types.Package {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join("testdata", version, "geometry.go"), nil, parser.SkipObjectResolution)
	must(t, err)
	pkg, err := new(types.Config).Check(api.Prefix+"/geometry", set, []*ast.File{file}, nil)
	must(t, err)
	return pkg
}

// A description has a line for each name that an importer can use, promoted fields and methods too, and no names of parameters.
func TestDescribe(t *testing.T) {
	want := `package github.com/dougu-go/dougu/geometry
func Area(Shape) float64
type Box struct
type Box struct, Width float64
type Box struct, Height float64
type Box struct, Label string
method (Box) Area() float64
method (*Box) Grow(float64)
method (*Box) SetLabel(string)
const Dimensions = 2
func Map[T any, U any]([]T, func(T) U) []U
var Origin Point
type Pair[K comparable, V any] struct
type Pair struct, Key K
type Pair struct, Value V
method (Pair) Swapped(func(K) V) (V, error)
type Point = struct{X float64; Y float64}
type Sealed interface
type Sealed interface, unexported methods
type Shape interface
type Shape interface, Area() float64
type Size int
const Small Size = 1
`
	if diff := api.Diff(want, api.Describe([]*types.Package{check(t, "old")})); diff != "" {
		t.Errorf("another description (- want, + got):\n%s", diff)
	}
}

func TestDiff(t *testing.T) {
	old := api.Describe([]*types.Package{check(t, "old")})
	added := api.Describe([]*types.Package{check(t, "added")})
	if diff := api.Diff(old, old); diff != "" {
		t.Errorf("equal descriptions differ:\n%s", diff)
	}
	if got, want := api.Diff(old, added), "+ geometry: func Perimeter(Box) float64\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := api.Diff(added, ""); !strings.Contains(got, "- geometry: package "+api.Prefix+"/geometry\n") || !strings.Contains(got, "- geometry: func Perimeter") {
		t.Errorf("the difference to nothing is\n%s", got)
	}
	if api.Diff("package a\nconst A = 1\nconst B = 2\n", "package a\nconst B = 2\nconst A = 1\n") == "" {
		t.Error("another order of lines is no difference")
	}
}

func TestCheckVersion(t *testing.T) {
	none := apidiff.Report{}
	added := apidiff.Changes(check(t, "old"), check(t, "added"))
	removed := apidiff.Changes(check(t, "added"), check(t, "old"))
	for _, c := range []struct {
		name, last, next string
		report           apidiff.Report
		want             string // part of the error
	}{
		{"no change", "v1.2.3", "v1.2.3", none, ""},
		{"addition before v1", "v0.2.0", "v0.2.1", added, ""},
		{"addition in the same version", "v0.2.0", "v0.2.0", added, "need version v0.2.1 or later"},
		{"addition from v1 on", "v1.2.3", "v1.3.0", added, ""},
		{"addition in a patch", "v1.2.3", "v1.2.4", added, "need version v1.3.0 or later"},
		{"incompatible before v1", "v0.2.3", "v0.3.0", removed, ""},
		{"incompatible in a patch before v1", "v0.2.3", "v0.2.4", removed, "Perimeter: removed"},
		{"incompatible from v1 on", "v1.2.3", "v2.0.0", removed, ""},
		{"incompatible in a minor version", "v1.2.3", "v1.3.0", removed, "need version v2.0.0 or later"},
		{"first major version", "v0.9.0", "v1.0.0", removed, ""},
		{"no version", "latest", "v1.0.0", added, "latest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := api.CheckVersion(c.last, c.next, c.report)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A repository with a tag: the code after it is compared with the tag, for a nested module as well.
func TestCheckTag(t *testing.T) {
	for _, module := range []string{".", "tools"} {
		t.Run(module, func(t *testing.T) {
			dir := t.TempDir()
			git := func(args ...string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			put := func(version string) {
				t.Helper()
				src, err := os.ReadFile(filepath.Join("testdata", version, "geometry.go"))
				must(t, err)
				must(t, os.MkdirAll(filepath.Join(dir, module, "geometry"), 0o755))
				must(t, os.WriteFile(filepath.Join(dir, module, "geometry", "geometry.go"), src, 0o644))
			}
			git("init", "--quiet")
			put("added")
			must(t, os.WriteFile(filepath.Join(dir, module, "go.mod"), []byte("module "+api.ModulePath(module)+"\n\ngo 1.26.0\n"), 0o644))
			must(t, os.WriteFile(filepath.Join(dir, "go.work"), []byte("go 1.26.0\n\nuse ./"+module+"\n"), 0o644))
			git("add", ".")
			git("commit", "--quiet", "-m", "first")
			if tag, _, err := api.LastTag(t.Context(), dir, module); tag != "" || err != nil {
				t.Errorf("tag %q (%v) before the first release", tag, err)
			}
			for _, version := range []string{"v0.1.0", "v0.1.1-rc.1", "v0.0.9"} {
				git("tag", filepath.ToSlash(filepath.Join(module, version)))
			}
			tag, version, err := api.LastTag(t.Context(), dir, module)
			must(t, err)
			if version != "v0.1.0" || !strings.HasSuffix(tag, version) {
				t.Fatalf("the last tag is %s, version %s", tag, version)
			}
			put("old")
			now, err := api.Load(t.Context(), dir, module)
			must(t, err)
			must(t, api.CheckTag(t.Context(), dir, module, tag, "v0.2.0", now[module]))
			if err := api.CheckTag(t.Context(), dir, module, tag, "v0.1.1", now[module]); err == nil || !strings.Contains(err.Error(), "Perimeter: removed") {
				t.Errorf("error %v for an incompatible change in a patch", err)
			}
		})
	}
}

func TestNextVersion(t *testing.T) {
	next, err := api.NextVersion([]byte("# Changes\n\n## 0.2.0, not released yet\n\n## 0.1.0\n"))
	if next != "v0.2.0" || err != nil {
		t.Errorf("got %q, %v", next, err)
	}
	if _, err := api.NextVersion([]byte("# Changes\n")); err == nil {
		t.Error("a file without versions has a next version")
	}
}
