package serverinstall_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

const demoLock = `{"lockfileVersion":3,"packages":{"":{"dependencies":{"demo":"1.0.0"}}}}`

func TestInstall_EachClient(t *testing.T) {
	for _, tt := range []struct {
		client serverinstall.Client
		fakes  []string
		recipe func(serverinstall.Recipe) serverinstall.Recipe
		want   []string // parts of the command lines, in order
	}{
		{serverinstall.NPM, []string{"npm", "node"}, func(r serverinstall.Recipe) serverinstall.Recipe {
			r.Node = 20
			return serverinstall.WithFiles(r, demoLock)
		}, []string{"node --version", "npm ci", "--ignore-scripts"}},
		{serverinstall.Go, []string{"go"}, func(r serverinstall.Recipe) serverinstall.Recipe { return serverinstall.WithSum(r, "h1:sum") },
			[]string{"go mod download -json example.com/demo@1.0.0", "go build -o"}},
		{serverinstall.Pip, []string{"python3"}, func(r serverinstall.Recipe) serverinstall.Recipe { return serverinstall.WithFiles(r, "demo==1.0.0\n") },
			[]string{"python3 -I -m venv", "pip install", "--require-hashes --only-binary=:all:"}},
		{serverinstall.Gem, []string{"gem", "ruby"}, func(r serverinstall.Recipe) serverinstall.Recipe { return r },
			[]string{"gem install example.com/demo --version 1.0.0", "gem environment gempath"}},
		{serverinstall.Rustup, []string{"rustup"}, func(r serverinstall.Recipe) serverinstall.Recipe {
			r.Version = ""
			return r
		}, []string{"rustup show active-toolchain", "rustup component add --toolchain stable-x86_64 example.com/demo", "rustup which"}},
	} {
		t.Run(string(tt.client), func(t *testing.T) {
			f := newFakes(t, tt.fakes...)
			f.set("node.prints", "v20.20.2\n")
			module, err := filepath.Abs(t.TempDir())
			must(t, err)
			f.set("go.prints", `{"Dir":"`+filepath.ToSlash(module)+`","Sum":"h1:sum"}`)
			r := tt.recipe(demo(tt.client, "1.0.0"))
			got, err := f.installer.Install(t.Context(), r)
			must(t, err)
			if _, err := os.Stat(got.Programs["demo-ls"]); err != nil || got.Existing {
				t.Errorf("Install returned %+v: %v", got, err)
			}
			lines := f.lines()
			for rest := lines; len(tt.want) > 0; tt.want = tt.want[1:] {
				_, after, ok := strings.Cut(rest, tt.want[0])
				if !ok {
					t.Fatalf("%q is missing in its place in:\n%s", tt.want[0], lines)
				}
				rest = after
			}
			if programs, version, ok := servercache.Installed(f.installer.Dir, "demo"); !ok || version != got.Version || programs["demo-ls"] != got.Programs["demo-ls"] {
				t.Errorf("the record has %v, %q, %v", programs, version, ok)
			}
			if now, ok := f.installer.Installed(r); !ok || now.Version != got.Version {
				t.Errorf("Installed returned %+v, %v", now, ok)
			}
			must(t, f.installer.Uninstall(t.Context(), r))
			if _, ok := f.installer.Installed(r); ok || len(versions(t, f.installer)) > 0 {
				t.Error("the removed server is installed")
			}
			if err := f.installer.Uninstall(t.Context(), r); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the second Uninstall: %v", err)
			}
		})
	}
}

// install installs demo with a fake npm.
func (f *fakes) install(version string) (serverinstall.Result, error) {
	f.t.Helper()
	return f.installer.Install(f.t.Context(), serverinstall.WithFiles(demo(serverinstall.NPM, version), demoLock))
}

func TestInstall_SameVersion(t *testing.T) {
	f := newFakes(t, "npm")
	first, err := f.install("1.0.0")
	must(t, err)
	before := len(f.runs())
	second, err := f.install("1.0.0")
	must(t, err)
	if !second.Existing || second.Programs["demo-ls"] != first.Programs["demo-ls"] || len(f.runs()) != before {
		t.Errorf("the second Install returned %+v after the runs\n%s", second, f.lines())
	}
	must(t, os.Remove(first.Programs["demo-ls"]))
	third, err := f.install("1.0.0")
	must(t, err)
	if _, err := os.Stat(third.Programs["demo-ls"]); err != nil || third.Existing {
		t.Errorf("Install of a damaged version returned %+v: %v", third, err)
	}
}

func TestInstall_NewVersion(t *testing.T) {
	f := newFakes(t, "npm")
	old, err := f.install("1.0.0")
	must(t, err)
	new, err := f.install("2.0.0")
	must(t, err)
	if _, err := os.Stat(new.Programs["demo-ls"]); err != nil || new.Version != "2.0.0" {
		t.Errorf("Install returned %+v: %v", new, err)
	}
	if _, err := os.Stat(old.Programs["demo-ls"]); (err == nil) != serverinstall.KeepsFormer {
		t.Errorf("the former version: %v", err)
	}
	_, err = f.install("3.0.0")
	must(t, err)
	if names := versions(t, f.installer); slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "1.0.0-") }) {
		t.Errorf("the versions %q are there", names)
	}
}

func TestInstall_Failure(t *testing.T) {
	f := newFakes(t, "npm")
	old, err := f.install("1.0.0")
	must(t, err)
	f.set("npm.fails", "npm http fetch GET 200\nnpm error code ENOSPC\x1b[0m\nnpm error A complete log of this run can be found in: /home/me")
	_, err = f.install("2.0.0")
	if err == nil {
		t.Fatal("there is no error")
	}
	for part, want := range map[string]bool{"install demo 2.0.0": true, "disk": true, "free some space": true, "ended with exit code 1": true, "http": false, "\x1b": false, "complete log": false} {
		if strings.Contains(err.Error(), part) != want {
			t.Errorf("the error contains %q: %v: %v", part, !want, err)
		}
	}
	if now, ok := f.installer.Installed(demo(serverinstall.NPM, "1.0.0")); !ok || now.Version != "1.0.0" || now.Programs["demo-ls"] != old.Programs["demo-ls"] {
		t.Errorf("after the failure %+v, %v is installed", now, ok)
	}
	if names := versions(t, f.installer); len(names) != 1 {
		t.Errorf("after the failure the versions %q are there", names)
	}
}

func TestInstall_Canceled(t *testing.T) {
	f := newFakes(t, "npm")
	_, err := f.install("1.0.0")
	must(t, err)
	f.set("npm.hangs", "")
	ctx, cancel := context.WithCancel(t.Context())
	started := len(f.runs())
	var watch group.Group
	watch.Go(func() {
		for len(f.runs()) == started && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	})
	_, err = f.installer.Install(ctx, serverinstall.WithFiles(demo(serverinstall.NPM, "2.0.0"), demoLock))
	cancel()
	watch.Wait()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Install returned %v", err)
	}
	if now, ok := f.installer.Installed(demo(serverinstall.NPM, "")); !ok || now.Version != "1.0.0" || len(versions(t, f.installer)) != 1 {
		t.Errorf("%+v is installed, with the versions %q", now, versions(t, f.installer))
	}
}

// A killed installation leaves a directory without a record.
func TestInstall_AfterKilled(t *testing.T) {
	f := newFakes(t, "npm")
	_, err := f.install("1.0.0")
	must(t, err)
	rest := filepath.Join(f.installer.Dir, "demo", "2.0.0-123")
	must(t, os.MkdirAll(filepath.Join(rest, "node_modules"), 0o700))
	if now, ok := f.installer.Installed(demo(serverinstall.NPM, "")); !ok || now.Version != "1.0.0" {
		t.Errorf("%+v is installed", now)
	}
	_, err = f.install("2.0.0")
	must(t, err)
	if _, err := os.Stat(rest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the rest of the killed installation: %v", err)
	}
}

// Of installations of one server at the same time, one runs the client.
func TestInstall_Concurrent(t *testing.T) {
	f := newFakes(t, "npm")
	var g group.Group
	results := make([]serverinstall.Result, 4)
	for i := range results {
		g.Go(func() {
			var err error
			if results[i], err = f.install("1.0.0"); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	for _, r := range results[1:] {
		if r.Programs["demo-ls"] != results[0].Programs["demo-ls"] {
			t.Errorf("the results are %+v", results)
		}
	}
	if n := len(f.runs()); n != 1 {
		t.Errorf("npm has run %d times", n)
	}
}

func TestInstall_MissingClient(t *testing.T) {
	for client, want := range map[serverinstall.Client]string{
		serverinstall.NPM: "npm is not on PATH; install Node.js", serverinstall.Go: "go is not on PATH", serverinstall.Pip: "python3 is not on PATH",
		serverinstall.Gem: "gem is not on PATH", serverinstall.Rustup: "rustup is not on PATH", "brew": "no client",
	} {
		f := newFakes(t)
		if _, err := f.installer.Install(t.Context(), serverinstall.WithFiles(demo(client, "1.0.0"), demoLock)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", client, err)
		}
	}
}

func TestInstall_MissingProgram(t *testing.T) {
	f := newFakes(t, "npm")
	r := serverinstall.WithFiles(demo(serverinstall.NPM, "1.0.0"), demoLock)
	r.Programs = append(r.Programs, "other-ls")
	if _, err := f.installer.Install(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no program other-ls") {
		t.Errorf("Install returned %v", err)
	}
	if _, ok := f.installer.Installed(r); ok {
		t.Error("the server is installed")
	}
}

func TestInstall_OldNode(t *testing.T) {
	f := newFakes(t, "npm", "node")
	f.set("node.prints", "v18.19.0\n")
	r := serverinstall.WithFiles(demo(serverinstall.NPM, "1.0.0"), demoLock)
	r.Node = 20
	if _, err := f.installer.Install(t.Context(), r); err == nil || !strings.Contains(err.Error(), "needs Node.js 20 or later") || strings.Contains(f.lines(), "npm") {
		t.Errorf("Install returned %v after\n%s", err, f.lines())
	}
}

func TestInstall_MissingVenv(t *testing.T) {
	f := newFakes(t, "python3")
	f.set("python3.fails", "The virtual environment was not created successfully because ensurepip is not available.")
	_, err := f.installer.Install(t.Context(), serverinstall.WithFiles(demo(serverinstall.Pip, "1.0.0"), "demo==1\n"))
	if err == nil || !strings.Contains(err.Error(), "python3-venv") {
		t.Errorf("Install returned %v", err)
	}
}

func TestInstall_WrongHash(t *testing.T) {
	f := newFakes(t, "go")
	f.set("go.prints", `{"Dir":"/","Sum":"h1:other"}`)
	_, err := f.installer.Install(t.Context(), serverinstall.WithSum(demo(serverinstall.Go, "v1.0.0"), "h1:sum"))
	if err == nil || !strings.Contains(err.Error(), "wrong checksum") || strings.Contains(f.lines(), "build") {
		t.Errorf("Install returned %v after\n%s", err, f.lines())
	}
	f.set("go.prints", `{"Error":"not found"}`)
	if _, err := f.installer.Install(t.Context(), demo(serverinstall.Go, "v1.0.0")); err == nil || !strings.Contains(err.Error(), "go mod download: not found") {
		t.Errorf("Install returned %v", err)
	}
}

// A client in the project is not used, also through a link.
func TestInstall_ClientInProject(t *testing.T) {
	f := newFakes(t, "npm")
	f.installer.Project = []string{f.bin, filepath.Join(f.bin, "absent")}
	if _, err := f.install("1.0.0"); err == nil || !strings.Contains(err.Error(), "npm is not on PATH") {
		t.Errorf("with the client in the project: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	links := t.TempDir()
	must(t, os.Symlink(filepath.Join(f.bin, "npm"), filepath.Join(links, "npm")))
	f.installer.Env = append(f.installer.Env, "PATH="+links)
	if _, err := f.install("1.0.0"); err == nil || !strings.Contains(err.Error(), "npm is not on PATH") {
		t.Errorf("with a link into the project: %v", err)
	}
	if n := len(f.runs()); n != 0 {
		t.Errorf("programs of the project have run %d times", n)
	}
}

func TestInstall_CacheInProject(t *testing.T) {
	f := newFakes(t, "npm")
	project := t.TempDir()
	f.installer.Project = []string{project}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	for _, dir := range []string{filepath.Join(project, "a", "b"), project, filepath.Join(link, "a")} {
		f.installer.Dir = dir
		if _, err := f.install("1.0.0"); err == nil || !strings.Contains(err.Error(), "is in the project; set ") || len(f.runs()) > 0 {
			t.Errorf("%s: Install returned %v", dir, err)
		}
		if left, err := os.ReadDir(project); err != nil || len(left) > 0 {
			t.Errorf("%s: the project has %v, %v", dir, left, err)
		}
	}
}

// Calls of Progress from several installations do not overlap.
func TestInstall_ProgressConcurrent(t *testing.T) {
	f := newFakes(t, "npm")
	var running atomic.Int32
	f.installer.Progress = func(string) {
		if running.Add(1) > 1 {
			t.Error("two calls overlap")
		}
		time.Sleep(time.Millisecond)
		running.Add(-1)
	}
	var work group.Group
	for _, name := range []string{"one", "two", "three"} {
		work.Go(func() {
			r := serverinstall.WithFiles(demo(serverinstall.NPM, "1.0.0"), demoLock)
			r.Name = name
			if _, err := f.installer.Install(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
}

// Variables that make clients run other code are removed; the address of the registry stays.
func TestInstall_Environment(t *testing.T) {
	f := newFakes(t, "npm", "go")
	f.installer.Env = append(f.installer.Env, "NODE_OPTIONS=--require=/evil.js", "npm_config_script_shell=/evil", "npm_config_registry=http://registry", "NPM_CONFIG_CAFILE=/ca", "GOFLAGS=-toolexec=/evil",
		"GOPROXY=http://proxy", "GOOS=plan9")
	_, err := f.install("1.0.0")
	must(t, err)
	f.set("go.prints", `{"Sum":"h1:other"}`)
	_, _ = f.installer.Install(t.Context(), demo(serverinstall.Go, "v1.0.0"))
	env := map[string]string{}
	for _, r := range f.runs() {
		env[r.Program] += strings.Join(r.Env, "\n") + "\n"
	}
	for program, parts := range map[string]map[string]bool{
		"npm": {"NODE_OPTIONS": false, "script_shell": false, "npm_config_registry=http://registry\n": true, "NPM_CONFIG_CAFILE": true, "PATH=" + f.bin + "\n": true},
		"go":  {"toolexec": false, "GOPROXY=http://proxy\n": true, "plan9": false, "GOWORK=off": true, "CGO_ENABLED=0": true},
	} {
		for part, want := range parts {
			if strings.Contains(env[program], part) != want {
				t.Errorf("%s has %q: %v", program, part, !want)
			}
		}
	}
}

func TestInstall_Progress(t *testing.T) {
	f := newFakes(t, "npm")
	f.set("npm.prints", "npm http fetch GET 200 demo\n")
	var texts []string
	f.installer.Progress = func(text string) { texts = append(texts, text) }
	_, err := f.install("1.0.0")
	must(t, err)
	want := []string{"preparing the installation of demo", "installing demo 1.0.0 with npm", "npm: npm http fetch GET 200 demo"}
	if !slices.Equal(texts, want) {
		t.Errorf("the progress is %q", texts)
	}
}

func TestInstall_NoCacheDirectory(t *testing.T) {
	f := newFakes(t, "npm")
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	f.installer.Dir = filepath.Join(file, "cache")
	if _, err := f.install("1.0.0"); err == nil || len(f.runs()) > 0 {
		t.Errorf("Install returned %v", err)
	}
}

func TestGemScript(t *testing.T) {
	if got := serverinstall.GemScript("linux", "/usr/bin/ruby", "/a'b/x", "/g:/h"); got != "#!/bin/sh\nGEM_PATH='/g:/h' exec '/usr/bin/ruby' '/a'\\''b/x' \"$@\"\n" {
		t.Errorf("the script is %q", got)
	}
	if got := serverinstall.GemScript("windows", `C:\ruby.exe`, `C:\100%\x`, `C:\g`); !strings.Contains(got, `"C:\ruby.exe" "C:\100%%\x" %*`) {
		t.Errorf("the script is %q", got)
	}
}
