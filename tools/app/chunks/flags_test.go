package chunks

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

func TestFlags_Invalid(t *testing.T) {
	dir := newProject(t)
	file := filepath.Join(dir, "util.py")
	for _, tc := range []struct {
		code int
		says string
		args []string
	}{
		{2, "-nope", []string{"index", "-nope"}},
		{2, "no arguments", []string{"index", "more"}},
		{2, "there is no command", []string{"idnex"}},
		{1, "Name a directory that exists", []string{"index", "-root", filepath.Join(dir, "none")}},
		{1, "not a directory", []string{"index", "-root", file}},
		{1, "choose chunks or chunks-strict", []string{"tools", "-root", dir, "-profile", "strict"}},
		{1, "choose json, sqlite or memory", []string{"index", "-root", dir, "-store", "files"}},
		{1, "leave out one of them", []string{"index", "-root", dir, "-store", "sqlite", "-data", "x"}},
		{1, "choose from swift, kotlin, go", []string{"index", "-root", dir, "-languages", "swift,cobol"}},
		{1, "is outside the project", []string{"index", "-root", dir, "-data", "../x"}},
		{1, "install SourceKitten", []string{"index", "-root", dir, "-sourcekitten", "no-such-program"}},
		{1, "add -language-servers", []string{"index", "-root", dir, "-trust-project"}},
		{1, "audit", []string{"index", "-root", dir, "-audit", dir}},
	} {
		program.MustFail(t, tc.code, tc.says, tc.args...)
	}
	if exists(filepath.Join(dir, "data")) {
		t.Error("what failed has left something behind")
	}
}

func TestLanguages(t *testing.T) {
	apptest.Contains(t, program.MustRun(t, "index", "-root", newProject(t), "-languages", "py, kotlin"), "1 function (1 declaration) in 1 file,", "languages  python 1\n")
	apptest.Contains(t, program.MustRun(t, "-root", newProject(t), "-languages", "py", "index", "-force"), "1 function (1 declaration) in 1 file,")
}

// With -precise, grammars also read the files that scanners read otherwise.
func TestPrecise(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("grammars need a compiler for this processor")
	}
	dir := newProject(t)
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir, "-languages", "python"), "read by    outline 1\n")
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir, "-languages", "python", "-precise"), "files      1 new or changed\n", "read by    tree-sitter 1\n")
}

// A project can bring a link where the index would go.
func TestIndex_LinkRefused(t *testing.T) {
	for _, link := range []string{"data", "data/chunks"} {
		dir, outside := newProject(t), t.TempDir()
		apptest.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755))
		if err := os.Symlink(outside, filepath.Join(dir, link)); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
		program.MustFail(t, 1, "keep the index elsewhere with -data, -store sqlite or -store memory", "index", "-root", dir)
		apptest.Contains(t, program.MustRun(t, "index", "-root", dir, "-store", "memory"), "3 functions")
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
			t.Errorf("%s: outside of the project there is %v, %v", link, entries, err)
		}
	}
}

func TestIndex_UnreadableDirectories(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user can read everything")
	}
	dir := newProject(t)
	forbid := func(path string) {
		apptest.Must(t, os.Chmod(path, 0))
		t.Cleanup(func() { apptest.Must(t, os.Chmod(path, 0o700)) })
	}
	forbid(filepath.Join(dir, "Sources"))
	apptest.Contains(t, program.MustRun(t, "index", "-root", dir), "Not everything was looked at")
	forbid(dir)
	program.MustFail(t, 1, "Name a directory that exists and can be read", "index", "-root", dir)
}

func TestDoctor(t *testing.T) {
	dir := newProject(t)
	look := func(args ...string) string {
		out := new(apptest.Output)
		app := newApp()
		app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), out, new(apptest.Output)
		app.Environment = emptyMachine(t.TempDir())
		app.Executable = filepath.Join(dir, "none")
		app.Run(t.Context(), append([]string{"doctor", "-json"}, args...))
		return out.String()
	}
	apptest.Contains(t, look("-root", dir), `"index",`, "empty;", " languages\"", "not requested")
	program.MustRun(t, "index", "-root", dir)
	apptest.Contains(t, look("-root", dir), "3 functions in 3 files, from data/chunks")
	apptest.Contains(t, look("-root", dir, "-sourcekitten", "no-such-program"), `"broken"`, "install SourceKitten")
	apptest.Contains(t, look("-root", filepath.Join(dir, "none")), `"broken"`, "Name a directory that exists")
}

func TestInstall(t *testing.T) {
	dir := newProject(t)
	home := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		out, errs := new(apptest.Output), new(apptest.Output)
		app := newApp()
		app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), out, errs
		app.Environment = emptyMachine(home)
		app.Executable = filepath.Join(home, "chunks")
		apptest.Write(t, home, map[string]string{"chunks": "a program\n"})
		apptest.Must(t, os.Chmod(app.Executable, 0o755))
		if code := app.Run(t.Context(), args); code != 0 {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
		return out.String()
	}
	apptest.Contains(t, run("install"), "cursor ")
	run("install", "cursor", "-user", "-root", dir, "-graph", "-data", "cache/index")
	file := filepath.Join(home, ".cursor", "mcp.json")
	config, err := os.ReadFile(file)
	apptest.Must(t, err)
	// A path relative to the project stays relative.
	apptest.Contains(t, string(config), `"chunks"`, `"-graph"`, `cache/index"`, dir)
	if strings.Contains(string(config), filepath.Join(dir, "cache")) {
		t.Errorf("the directory of the index is absolute: %s", config)
	}
	run("install", "cursor", "-user", "-undo")
	if config, err := os.ReadFile(file); err == nil && strings.Contains(string(config), "chunks") {
		t.Errorf("after -undo there is %s", config)
	}
}

func TestProgram_VersionAndHelp(t *testing.T) {
	if got := program.MustRun(t, "version"); got != "chunks "+version+"\n" {
		t.Errorf("%q", got)
	}
	apptest.Contains(t, program.MustRun(t, "help"), "\n  index ", "\n  show FILE | ID ", "\n  watch ")
}
