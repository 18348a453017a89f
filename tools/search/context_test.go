package search_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestProjectContext_Manifests(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  search.Project
	}{
		"npm":       {map[string]string{"package.json": `{"name":"@a/b","version":"1.2.3","description":"Does things.","private":true}`}, search.Project{Name: "@a/b", Version: "1.2.3", Description: "Does things."}},
		"cargo":     {map[string]string{"Cargo.toml": "[dependencies]\nname = \"no\"\n[package]\nname = \"c\" # its name\nversion = '0.1.0'\ndescription = \"A \\\"crate\\\"\"\n"}, search.Project{Name: "c", Version: "0.1.0", Description: `A "crate"`}},
		"python":    {map[string]string{"pyproject.toml": "[build-system]\nrequires = []\n[project]\nname = \"p\"\nversion = \"2\"\n"}, search.Project{Name: "p", Version: "2"}},
		"poetry":    {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"p\"\ndescription = \"d\"\n"}, search.Project{Name: "p", Description: "d"}},
		"composer":  {map[string]string{"composer.json": `{"name":"v/p","description":"PHP"}`}, search.Project{Name: "v/p", Description: "PHP"}},
		"maven":     {map[string]string{"pom.xml": "<project><parent><version>9</version></parent><artifactId>m</artifactId><description>\n  About\n  it.</description></project>"}, search.Project{Name: "m", Version: "9", Description: "About   it."}},
		"go":        {map[string]string{"go.mod": "// comment\nmodule example.com/x/tool/v2 // here\n\ngo 1.26\n", "README.md": "# Tool\n\n[![badge](x)](y)\n\nA tool for\nthings.\n\nMore.\n"}, search.Project{Name: "tool", Description: "A tool for things."}},
		"broken":    {map[string]string{"package.json": `{"name":5,"version":{}`, "Cargo.toml": "[package\nname=", "pom.xml": "<a>", "go.mod": "module x\n"}, search.Project{Name: "x"}},
		"underline": {map[string]string{"go.mod": "module x\n", "README.rst": "Title\n=====\n\nText.\n"}, search.Project{Name: "x", Description: "Text."}},
		"several":   {map[string]string{"package.json": `{"name":"tools"}`, "Cargo.toml": "[package]\nname = \"c\"\nversion = \"1\"\n"}, search.Project{Name: "tools", Version: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, test.files, search.Options{NoGit: true})
			got, err := p.ProjectContext(t.Context(), search.ContextArgs{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Project); diff != "" {
				t.Error(diff)
			}
		})
	}
	p := newProject(t, map[string]string{"package.json": `{"name":"a","version":"1"}`}, search.Options{Project: search.Project{Name: "Mine", Description: "d"}})
	if got, err := p.ProjectContext(t.Context(), search.ContextArgs{}); err != nil || got.Project != (search.Project{Name: "Mine", Description: "d", Version: "1"}) {
		t.Errorf("%+v, %v", got.Project, err)
	}
}

func (p *project) git(t testing.TB, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func TestProjectContext_GitState(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "package a\n", "b.go": "package a\n", "sub/c.go": "package c\n"}, search.Options{GitMaxAge: -1})
	p.git(t, "init", "--quiet", "--initial-branch=main")
	p.git(t, "add", ".")
	p.git(t, "commit", "--quiet", "--message", "first: 初め")
	ask := func(most int) (*search.GitState, []string) {
		t.Helper()
		r, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeIssues: new(false), MaxResults: most})
		if err != nil || r.Git == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Git, r.Warnings
	}
	g, _ := ask(0)
	if g.Branch != "main" || len(g.Head) != 40 || !g.Clean || len(g.RecentCommits) != 1 || g.RecentCommits[0].Subject != "first: 初め" || g.Ahead != nil || g.Behind != nil {
		t.Errorf("%+v", g)
	}
	p.write(t, "a.go", "package a // changed\n")
	p.write(t, "new.go", "package a\n")
	p.write(t, ".env", "SECRET=1\n")
	p.git(t, "rm", "--quiet", "b.go")
	g, warnings := ask(0)
	want := []search.ChangedFile{{Path: "a.go", Status: "modified"}, {Path: "b.go", Status: "deleted", Staged: true}, {Path: "new.go", Status: "untracked"}}
	if diff := cmp.Diff(want, g.ChangedFiles); diff != "" || g.Clean || g.TotalChanged != 3 || len(warnings) > 0 {
		t.Errorf("%s\n%+v, %v", diff, g, warnings)
	}
	if g, _ = ask(1); len(g.ChangedFiles) != 1 || g.TotalChanged != 3 {
		t.Errorf("with a limit: %+v", g)
	}
}

// TestProjectContext_WithoutSources checks the warnings about parts that are not available.
func TestProjectContext_WithoutSources(t *testing.T) {
	k := newTracker()
	k.fail(errors.New("no network"))
	p := newProject(t, map[string]string{"main.go": "package main\n", "README.md": "# X\n", "vendor/x/x.go": "package x\n"}, search.Options{}, k)
	r, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(r.Warnings, "\n")
	for _, want := range []string{"git: the project is not in a git repository", "issues: the plugin tracker failed: no network"} {
		if !strings.Contains(all, want) {
			t.Errorf("the warnings do not say %q: %q", want, all)
		}
	}
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
	}
	if !slices.Equal(paths, []string{"README.md", "main.go", "vendor/x/x.go"}) || r.TotalFiles != 3 {
		t.Errorf("files without an index: %v", paths)
	}
	_, err = p.ProjectContext(t.Context(), search.ContextArgs{MaxResults: 501})
	toolsettest.WantError(t, err, "INVALID_PARAMS")
}

// TestProjectContext_ImportantFiles checks the order of the files.
func TestProjectContext_ImportantFiles(t *testing.T) {
	files := map[string]string{
		"README.md": "# It\n", "go.mod": "module x\n", "main.go": "package main\n\nfunc main() {}\n",
		"internal/deep/down/util.go": "package down\n", "engine/engine.go": stackSource, "engine/engine_test.go": stackSource,
		"vendor/lib/main.go": stackSource, "notes.txt": "Some notes.\n",
	}
	p := newProject(t, nil, search.Options{NoGit: true}, newShelf(t, files))
	r, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeFiles: true, MaxResults: 5})
	if err != nil || r.TotalFiles != len(files) {
		t.Fatalf("%+v, %v", r, err)
	}
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
	}
	if want := []string{"README.md", "go.mod", "main.go", "engine/engine.go", "notes.txt"}; !slices.Equal(paths, want) {
		t.Errorf("%v, want %v", paths, want)
	}
}

// TestProjectContext_GitStateShared checks that calls within GitMaxAge share a git state, each with its own MaxResults.
func TestProjectContext_GitStateShared(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "package a\n", "b.go": "package a\n"}, search.Options{GitMaxAge: time.Hour})
	p.git(t, "init", "--quiet")
	var asking sync.WaitGroup
	for most := range 4 {
		asking.Go(func() {
			r, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeIssues: new(false), MaxResults: most + 1})
			if err != nil || r.Git == nil || len(r.Git.ChangedFiles) != min(most+1, 2) || r.Git.TotalChanged != 2 {
				t.Errorf("%+v, %v", r.Git, err)
			}
		})
	}
	asking.Wait()
	p.write(t, "c.go", "package a\n")
	if r, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeIssues: new(false)}); err != nil || r.Git.TotalChanged != 2 {
		t.Errorf("within the time: %+v, %v", r.Git, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.ProjectContext(ended, search.ContextArgs{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that has ended: %v", err)
	}
}

func TestProjectContext_TextContent(t *testing.T) {
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := search.ProjectContext{
		Project:  search.Project{Name: "mine", Version: "1.2", Description: "a tool"},
		Warnings: []string{"issues: no token"},
		Git: &search.GitState{
			Branch: "main", Head: "0123456789abcdef", Upstream: "origin/main", Ahead: new(1), Behind: new(0), TotalChanged: 2,
			ChangedFiles:  []search.ChangedFile{{Path: "a.go", Status: "modified", Staged: true}},
			RecentCommits: []search.GitCommit{{Hash: "0123456789ab", Subject: "first: 初め", Author: "A", Date: day}},
		},
		Files: []search.ProjectFile{{Path: "README.md", Size: 12}}, TotalFiles: 7,
		Issues: []plugin.Issue{{Repo: "o/r", Number: 5, Title: "it fails", Labels: []string{"bug", "ui"}, Updated: day}},
	}
	const want = `[issues: no token]
mine 1.2: a tool
branch: main at 0123456789ab, upstream origin/main (1 ahead, 0 behind)
changed files: 2, the first 1
  modified a.go (staged)
last commits:
  0123456789ab 2026-01-02 first: 初め
files: 1 of 7, most important first
  README.md, 12 bytes
open issues: 1
  o/r#5 it fails [bug, ui], updated 2026-01-02`
	if diff := cmp.Diff(want, r.TextContent()); diff != "" {
		t.Error(diff)
	}
	if got := (search.ProjectContext{Project: search.Project{Name: "mine"}, Git: &search.GitState{Clean: true}}).TextContent(); got != "mine\nbranch: detached HEAD, no commit yet, clean" {
		t.Errorf("an empty repository: %s", got)
	}
}
