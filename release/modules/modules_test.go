// Package modules_test checks that the released modules can be used outside the repository: by a program that imports them, and
// with go install. A directory with the files of a module proxy replaces proxy.golang.org.
package modules_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	root = "../.."
	main = "github.com/dougu-go/dougu"
	// version is the version of the next release, which the go.mod files require.
	version = "v0.1.0"
	// maxModules limits the modules that packages mcp and transport require. maxLines limits the lines of the go.mod of their users.
	maxModules = 28
	maxLines   = 15
)

// released returns the directories of the modules that a release publishes.
func released() []string { return []string{".", "tools", "examples", "nats", "otel", "postgres"} }

// modulePath returns the path of the module in a directory.
func modulePath(dir string) string { return path.Join(main, dir) }

// proxy writes the modules to a directory in the layout of a module proxy (https://go.dev/ref/mod#goproxy-protocol).
func proxy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range released() {
		escaped, err := module.EscapePath(modulePath(m))
		must(t, err)
		at := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
		must(t, os.MkdirAll(at, 0o755))
		requirements, err := os.ReadFile(filepath.Join(root, m, "go.mod"))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(at, version+".mod"), requirements, 0o644))
		info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-01T00:00:00Z"})
		must(t, err)
		must(t, os.WriteFile(filepath.Join(at, version+".info"), info, 0o644))
		must(t, os.WriteFile(filepath.Join(at, "list"), []byte(version+"\n"), 0o644))
		archive, err := os.Create(filepath.Join(at, version+".zip"))
		must(t, err)
		must(t, zip.Create(archive, module.Version{Path: modulePath(m), Version: version}, files(t, m)))
		must(t, archive.Close())
	}
	return dir
}

// file is a file of a module.
type file struct{ name, path string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.path) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.path) }

// files returns the files of a module that are tracked or new in git, without nested modules.
func files(t *testing.T, dir string) (all []zip.File) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".")
	cmd.Dir = filepath.Join(root, dir)
	out, err := cmd.Output()
	must(t, err)
	nested := []string{}
	names := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	for _, name := range names {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			nested = append(nested, path.Dir(name)+"/")
		}
	}
next:
	for _, name := range names {
		for _, other := range nested {
			if strings.HasPrefix(name, other) {
				continue next
			}
		}
		at := filepath.Join(cmd.Dir, filepath.FromSlash(name))
		if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
			continue // deleted, or a link, which module archives do not contain
		}
		all = append(all, file{name, at})
	}
	return all
}

// user is a user of the released modules. It has a module cache of its own, because a cached version hides changes of the
// repository.
type user struct{ environ []string }

func newUser(t *testing.T) user {
	t.Helper()
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE", "GOCACHE").Output()
	must(t, err)
	known, build, _ := strings.Cut(strings.TrimSpace(string(cache)), "\n")
	sources := []string{fileURL(proxy(t)), fileURL(filepath.Join(known, "cache", "download")), "https://proxy.golang.org"}
	home := t.TempDir()
	u := user{append(os.Environ(),
		"GOMODCACHE="+filepath.Join(home, "mod"), "GOCACHE="+build, "GOBIN="+filepath.Join(home, "bin"), "GOWORK=off",
		"GOPROXY="+strings.Join(sources, ","), "GONOSUMDB="+main+","+main+"/*", "GOFLAGS=-mod=mod -modcacherw -buildvcs=false -trimpath",
	)}
	return u
}

// fileURL returns the file URL of a directory.
func fileURL(dir string) string {
	name := filepath.ToSlash(dir)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// run runs the go command in a directory.
func (u user) run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, u.environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestReleasedModules(t *testing.T) {
	u := newUser(t)
	examples, err := filepath.Glob(filepath.Join(root, "examples", "*", "main.go"))
	must(t, err)
	if len(examples) < 8 {
		t.Errorf("there are %d examples", len(examples))
	}
	for _, example := range examples {
		dir := filepath.Dir(example)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			alone := t.TempDir()
			must(t, os.CopyFS(alone, os.DirFS(dir)))
			u.run(t, alone, "mod", "init", "example.com/"+filepath.Base(dir))
			u.run(t, alone, "mod", "tidy")
			u.run(t, alone, "build", "-o", filepath.Join(t.TempDir(), "program"), ".")
		})
	}
	t.Run("install", func(t *testing.T) {
		u.run(t, t.TempDir(), "install", main+"/examples/cursorcli@"+version)
	})
	for m, source := range backEndPrograms {
		t.Run(m, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
			u.run(t, dir, "mod", "init", "example.com/user")
			u.run(t, dir, "mod", "tidy")
			if got := u.run(t, dir, "list", "-m", modulePath(m)); !strings.Contains(got, version) {
				t.Errorf("the module is %s", got)
			}
			u.run(t, dir, "build", "-o", filepath.Join(t.TempDir(), "program"), ".")
		})
	}
}

// backEndPrograms maps directories of modules to programs that use them.
var backEndPrograms = map[string]string{
	"nats": `package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/nats/sessions"
	"github.com/nats-io/nats.go"
)

func main() {
	nc, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	store, err := sessions.New(context.Background(), nc, nil)
	if err != nil {
		log.Fatal(err)
	}
	store.Close()
}
`,
	"otel": `package main

import (
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/otel"
	"go.opentelemetry.io/otel/sdk/trace"
)

func main() {
	instruments, err := otel.New(otel.Options{Tracers: trace.NewTracerProvider()})
	if err != nil {
		log.Fatal(err)
	}
	mcp.NewServer(mcp.Implementation{Name: "user", Version: "1"}, nil).Use(instruments.Server)
}
`,
	"postgres": `package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/index"
)

func main() {
	ctx := context.Background()
	db, err := postgres.Open(ctx, "", postgres.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := index.Open(ctx, db, "project", index.Options{}); err != nil {
		log.Fatal(err)
	}
}
`,
}

// Doctor describes a program built by "go run" in another module by its own package.
func TestDoctor_ProgramOfAnotherModule(t *testing.T) {
	u := newUser(t)
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "notes"))))
	u.run(t, dir, "mod", "init", "example.com/stranger")
	u.run(t, dir, "mod", "tidy")
	home := t.TempDir()
	u.environ = append(u.environ, "HOME="+home, "USERPROFILE="+home, "AppData="+home, "XDG_CONFIG_HOME=")
	out := u.run(t, dir, "run", ".", "doctor")
	if !strings.Contains(out, `"go install example.com/stranger"`) || strings.Contains(out, "examples") {
		t.Errorf("doctor says\n%s", out)
	}
	if missing := "there is no "; !strings.Contains(out, "settings: "+missing) || !strings.Contains(out, "so the defaults apply") {
		t.Errorf("doctor does not say that there are no settings:\n%s", out)
	}
}

// A server in another module requires few modules.
func TestReleasedModules_Count(t *testing.T) {
	u := newUser(t)
	dir := t.TempDir()
	hello, err := os.ReadFile(filepath.Join(root, "examples", "hello", "main.go"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), hello, 0o644))
	u.run(t, dir, "mod", "init", "example.com/hello")
	u.run(t, dir, "mod", "tidy")
	modules := u.run(t, dir, "list", "-m", "all")
	if n := strings.Count(modules, "\n"); n > maxModules {
		t.Errorf("%d modules, and %d are the most:\n%s", n, maxModules, modules)
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	must(t, err)
	parsed, err := modfile.Parse("go.mod", text, nil)
	must(t, err)
	if n := len(parsed.Require); n > maxLines {
		t.Errorf("%d requirements, and %d are the most:\n%s", n, maxLines, text)
	}
	t.Logf("%d modules, %d requirements", strings.Count(modules, "\n"), len(parsed.Require))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
