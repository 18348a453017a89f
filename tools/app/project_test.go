package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/projectfile"
)

// testPlace returns a place with directories and files; other paths do not exist. Paths that end in
// a separator are directories.
func testPlace(goos, home, current string, variables map[string]string, paths ...string) place {
	p := place{Machine: projectfile.Machine{GOOS: goos, Home: home}, getenv: func(name string) string { return variables[name] }}
	p.getwd = func() (string, error) {
		if current == "" {
			return "", errors.New("it is gone")
		}
		return current, nil
	}
	same := func(a, b string) bool { return a == b || goos == "windows" && strings.EqualFold(a, b) }
	find := func(path string) (isDir, ok bool) {
		for _, have := range paths {
			directory := strings.HasSuffix(have, "/") || strings.HasSuffix(have, `\`)
			if same(p.Clean(have), p.Clean(path)) {
				return directory, true
			}
		}
		return false, false
	}
	p.exists = func(path string) bool { _, ok := find(path); return ok }
	p.check = func(path string) error {
		switch isDir, ok := find(path); {
		case !ok:
			return errors.New("it does not exist")
		case !isDir:
			return errors.New("it is not a directory")
		}
		return nil
	}
	if goos == "windows" {
		p.System = `C:\Windows`
	}
	return p
}

func TestPlace_Choose(t *testing.T) {
	unix := []string{"/", "/home/", "/home/me/", "/home/me/.git/", "/home/me/file", "/work/a/", "/work/a/.git/", "/work/a/sub/", "/work/b/", "/work/with space/", "/work/100%/", "/work/a,b/", "/srv/", "/.git/"}
	windows := []string{`C:\`, `C:\Users\me\`, `C:\Users\`, `C:\work\a\`, `C:\work\a\.git\`, `C:\work\a\sub\`, `C:\work\b\`, `D:\`, `D:\x\`, `\\server\share\`, `\\server\share\x\`, `C:\Windows\`, `C:\Windows\system32\`}
	type variables = map[string]string
	for name, tc := range map[string]struct {
		goos, current string
		variables     variables
		folders       []string
		dirs          []string
		rule          string
		refused       string
	}{
		"a folder":                   {current: "/work/b", variables: variables{"CLAUDE_PROJECT_DIR": "/work/b"}, folders: []string{"file:///work/a"}, dirs: []string{"/work/a"}, rule: ruleFolders},
		"several folders":            {current: "/home/me", folders: []string{"file:///work/b/", "file:///work/a", "file:///work/b"}, dirs: []string{"/work/b", "/work/a"}, rule: ruleFolders},
		"an encoded folder":          {current: "/srv", folders: []string{"file:///work/with%20space"}, dirs: []string{"/work/with space"}, rule: ruleFolders},
		"a folder that is not":       {current: "/srv", folders: []string{"file:///work/100%"}, dirs: []string{"/work/100%"}, rule: ruleFolders},
		"a folder of localhost":      {current: "/srv", folders: []string{"file://localhost/work/a"}, dirs: []string{"/work/a"}, rule: ruleFolders},
		"a plain path":               {current: "/srv", folders: []string{"/work/a"}, dirs: []string{"/work/a"}, rule: ruleFolders},
		"a short URI":                {current: "/srv", folders: []string{"file:/work/a"}, dirs: []string{"/work/a"}, rule: ruleFolders},
		"another scheme":             {current: "/srv", folders: []string{"vscode-remote://ssh/work/a"}, dirs: []string{"/srv"}, rule: ruleDirectory, refused: "file URI"},
		"another machine":            {current: "/srv", folders: []string{"file://other/work/a"}, dirs: []string{"/srv"}, rule: ruleDirectory, refused: "on the machine other"},
		"no folders":                 {current: "/work/a/sub", folders: []string{}, dirs: []string{"/work/a"}, rule: ruleGit},
		"the home as a folder":       {current: "/work/b", folders: []string{"file:///home/me", "file:///work/a"}, dirs: []string{"/work/a"}, rule: ruleFolders, refused: "/home/me"},
		"only the home":              {current: "/home/me", folders: []string{"file:///home/me/"}, refused: "/home/me"},
		"only the root":              {current: "/", folders: []string{"file:///"}, refused: "/: it is the home"},
		"a parent of the home":       {current: "/home", folders: []string{"file:///home/me/.."}, refused: "/home"},
		"a file":                     {current: "/srv", folders: []string{"file:///home/me/file"}, dirs: []string{"/srv"}, rule: ruleDirectory, refused: "not a directory"},
		"a missing folder":           {current: "/srv", folders: []string{"file:///none"}, dirs: []string{"/srv"}, rule: ruleDirectory, refused: "does not exist"},
		"a variable of Claude Code":  {current: "/srv", variables: variables{"CLAUDE_PROJECT_DIR": "/work/a"}, dirs: []string{"/work/a"}, rule: "the variable CLAUDE_PROJECT_DIR"},
		"a variable of Cursor":       {current: "/home/me", variables: variables{"WORKSPACE_FOLDER_PATHS": "/work/a,/work/b"}, dirs: []string{"/work/a", "/work/b"}, rule: "the variable WORKSPACE_FOLDER_PATHS"},
		"a list in JSON":             {current: "/home/me", variables: variables{"WORKSPACE_FOLDER_PATHS": `["/work/b","/work/a"]`}, dirs: []string{"/work/b", "/work/a"}, rule: "the variable WORKSPACE_FOLDER_PATHS"},
		"a list as PATH":             {current: "/home/me", variables: variables{"WORKSPACE_FOLDER_PATHS": "/work/b:/work/a"}, dirs: []string{"/work/b", "/work/a"}, rule: "the variable WORKSPACE_FOLDER_PATHS"},
		"one path with a comma":      {current: "/home/me", variables: variables{"WORKSPACE_FOLDER_PATHS": "/work/a,b"}, dirs: []string{"/work/a,b"}, rule: "the variable WORKSPACE_FOLDER_PATHS"},
		"an unresolved variable":     {current: "/work/b", variables: variables{"CLAUDE_PROJECT_DIR": "${workspaceFolder}"}, dirs: []string{"/work/b"}, rule: ruleDirectory},
		"a variable with the home":   {current: "/work/b", variables: variables{"CLAUDE_PROJECT_DIR": "/home/me"}, dirs: []string{"/work/b"}, rule: ruleDirectory, refused: "/home/me"},
		"a relative variable":        {current: "/work/b", variables: variables{"CLAUDE_PROJECT_DIR": "a"}, dirs: []string{"/work/b"}, rule: ruleDirectory, refused: "absolute"},
		"the top of a repository":    {current: "/work/a", dirs: []string{"/work/a"}, rule: ruleGit},
		"below a repository":         {current: "/work/a/sub", dirs: []string{"/work/a"}, rule: ruleGit},
		"a repository in the home":   {current: "/home/me/none", refused: "does not exist"},
		"a repository at the root":   {current: "/srv", dirs: []string{"/srv"}, rule: ruleDirectory},
		"the home":                   {current: "/home/me", refused: "/home/me"},
		"a removed directory":        {refused: "gone"},
		"a folder of Windows":        {goos: "windows", current: `C:\Users\me`, folders: []string{"file:///c%3A/work/a"}, dirs: []string{`c:\work\a`}, rule: ruleFolders},
		"an upper-case drive":        {goos: "windows", current: `C:\Users\me`, folders: []string{"file:///C:/work/a/"}, dirs: []string{`C:\work\a`}, rule: ruleFolders},
		"a share":                    {goos: "windows", current: `C:\Users\me`, folders: []string{"file://server/share/x"}, dirs: []string{`\\server\share\x`}, rule: ruleFolders},
		"the top of a share":         {goos: "windows", current: `C:\Users\me`, folders: []string{"file://server/share"}, refused: "whole file system"},
		"a plain path of Windows":    {goos: "windows", current: `C:\Users\me`, folders: []string{`C:\work\a`}, dirs: []string{`C:\work\a`}, rule: ruleFolders},
		"a path without a drive":     {goos: "windows", current: `C:\work\b`, folders: []string{"file:///work/a"}, dirs: []string{`C:\work\b`}, rule: ruleDirectory, refused: "drive"},
		"a drive":                    {goos: "windows", current: `D:\`, folders: []string{"file:///D:/", "file:///c:"}, refused: `D:\`},
		"the home of Windows":        {goos: "windows", current: `c:\users\ME`, refused: "the home directory"},
		"a parent of that home":      {goos: "windows", current: `C:/Users`, refused: "the home directory"},
		"the directory of Windows":   {goos: "windows", current: `C:\Windows\system32`, refused: "system32"},
		"a repository of Windows":    {goos: "windows", current: `C:\work\a\sub`, dirs: []string{`C:\work\a`}, rule: ruleGit},
		"the paths of Cursor there":  {goos: "windows", current: `C:\Users\me`, variables: variables{"WORKSPACE_FOLDER_PATHS": `C:\work\b;D:\x`}, dirs: []string{`C:\work\b`, `D:\x`}, rule: "the variable WORKSPACE_FOLDER_PATHS"},
		"an unresolved path there":   {goos: "windows", current: `D:\x`, variables: variables{"CLAUDE_PROJECT_DIR": "%PROJECT%"}, dirs: []string{`D:\x`}, rule: ruleDirectory},
		"folders before a variable":  {current: "/home/me", variables: variables{"WORKSPACE_FOLDER_PATHS": "/work/b"}, folders: []string{"file:///work/a"}, dirs: []string{"/work/a"}, rule: ruleFolders},
		"a variable before git":      {current: "/work/a", variables: variables{"WORKSPACE_FOLDER_PATHS": "/work/b"}, dirs: []string{"/work/b"}, rule: "the variable WORKSPACE_FOLDER_PATHS"},
		"Claude Code before Cursor":  {current: "/work/a", variables: variables{"WORKSPACE_FOLDER_PATHS": "/work/b", "CLAUDE_PROJECT_DIR": "/srv"}, dirs: []string{"/srv"}, rule: "the variable CLAUDE_PROJECT_DIR"},
		"refused folders, then git":  {current: "/work/a/sub", folders: []string{"file:///"}, dirs: []string{"/work/a"}, rule: ruleGit, refused: "/"},
		"a NUL in a folder":          {current: "/srv", folders: []string{"file:///work/a%00"}, dirs: []string{"/srv"}, rule: ruleDirectory, refused: "absolute"},
		"a folder without a path":    {current: "/srv", folders: []string{"file:"}, dirs: []string{"/srv"}, rule: ruleDirectory, refused: "absolute"},
		"a directory without a home": {current: "/srv", dirs: []string{"/srv"}, rule: ruleDirectory},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPlace("linux", "/home/me", tc.current, tc.variables, unix...)
			if tc.goos == "windows" {
				p = testPlace("windows", `C:\Users\me`, tc.current, tc.variables, windows...)
			}
			s := p.choose(tc.folders)
			if !slices.Equal(s.dirs, tc.dirs) || s.rule != tc.rule {
				t.Errorf("the project is %q by %q, want %q by %q", s.dirs, s.rule, tc.dirs, tc.rule)
			}
			if refused := strings.Join(s.refused, "; "); !strings.Contains(refused, tc.refused) || tc.refused == "" && refused != "" {
				t.Errorf("refused are %q, want %q", refused, tc.refused)
			}
		})
	}
}

// Without a known home only the top of a file system is refused.
func TestPlace_ChooseWithoutHome(t *testing.T) {
	p := testPlace("linux", "", "/srv", nil, "/srv/", "/")
	if s := p.choose(nil); !slices.Equal(s.dirs, []string{"/srv"}) {
		t.Errorf("the project is %q", s.dirs)
	}
	if s := p.choose([]string{"file:///"}); !slices.Equal(s.dirs, []string{"/srv"}) || len(s.refused) != 1 {
		t.Errorf("the project is %q, refused %q", s.dirs, s.refused)
	}
}

// A link to the home directory is the home directory.
func TestPlace_ChooseLinkToHome(t *testing.T) {
	p := testPlace("linux", "/home/me", "/link", nil, "/link/")
	p.Real = func(path string) string { return strings.Replace(path, "/link", "/home/me", 1) }
	if s := p.choose(nil); len(s.dirs) != 0 || len(s.refused) != 1 {
		t.Errorf("the project is %q", s.dirs)
	}
}

func TestDropUnresolved(t *testing.T) {
	for name, tc := range map[string]struct{ args, rest, dropped string }{
		"nothing":         {"-a b", "-a b", ""},
		"a directory":     {"-root /x -a", "-root /x -a", ""},
		"a variable":      {"-a -root ${workspaceFolder} -b", "-a -b", "${workspaceFolder}"},
		"two dashes":      {"--root=${workspaceFolder}/sub -b", "-b", "${workspaceFolder}/sub"},
		"empty":           {"-root= -b", "-b", ""},
		"other variables": {"-root $PWD -root %CD% -root $", "-root $", "$PWD %CD%"},
		"after the flags": {"-b -- -root ${x}", "-b -- -root ${x}", ""},
		"another flag":    {"-store ${x}", "-store ${x}", ""},
		"the last one":    {"-root", "-root", ""},
	} {
		rest, dropped := dropUnresolved(strings.Fields(tc.args))
		if strings.Join(rest, " ") != tc.rest || strings.Join(dropped, " ") != tc.dropped {
			t.Errorf("%s: %q and %q, want %q and %q", name, rest, dropped, tc.rest, tc.dropped)
		}
	}
}
