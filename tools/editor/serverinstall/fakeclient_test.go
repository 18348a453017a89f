package serverinstall_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

// fakeDir is the variable with the directory in which fake clients find their behavior and record their runs.
const fakeDir = "FAKE_CLIENT_DIR"

// fakeNames are the programs that this test program can be.
var fakeNames = []string{"npm", "node", "go", "python3", "python", "rustup", "gem", "ruby"}

func TestMain(m *testing.M) {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if dir := os.Getenv(fakeDir); dir != "" && slices.Contains(fakeNames, name) {
		os.Exit(fakeClient(dir, name, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// run is one run of a fake client.
type run struct {
	Program string
	Args    []string
	Dir     string
	Env     []string
}

// fakeClient is the main function of a fake client. It installs demo-ls as the real one would.
func fakeClient(dir, name string, args []string) int {
	wd, err := os.Getwd()
	if err != nil {
		return fakeFailure(err)
	}
	data, err := json.Marshal(run{Program: name, Args: args, Dir: wd, Env: os.Environ()})
	if err != nil {
		return fakeFailure(err)
	}
	log, err := os.OpenFile(filepath.Join(dir, "runs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fakeFailure(err)
	}
	if _, err := log.Write(append(data, '\n')); err != nil {
		return fakeFailure(err)
	}
	_ = log.Close()
	if message, err := os.ReadFile(filepath.Join(dir, name+".fails")); err == nil {
		fmt.Fprintln(os.Stderr, string(message))
		return 1
	}
	if _, err := os.Stat(filepath.Join(dir, name+".hangs")); err == nil {
		time.Sleep(time.Hour)
	}
	if out, err := os.ReadFile(filepath.Join(dir, name+".prints")); err == nil {
		fmt.Print(string(out))
	}
	files := map[string]string{}
	script := ""
	if runtime.GOOS == "windows" {
		script = ".cmd"
	}
	switch line := strings.Join(args, " "); {
	case name == "npm":
		files["node_modules/.bin/demo-ls"+script] = "program"
	case name == "go" && slices.Contains(args, "build"):
		files[args[slices.Index(args, "-o")+1]] = "program"
	case name == "python3":
		venv := args[len(args)-1]
		bin, exe := "bin", ""
		if runtime.GOOS == "windows" {
			bin, exe = "Scripts", ".exe"
		}
		if err := linkSelf(filepath.Join(venv, bin, "python"+exe)); err != nil {
			return fakeFailure(err)
		}
		files[filepath.Join(venv, bin, "demo-ls"+exe)] = "program"
	case name == "gem" && args[0] == "install":
		files["gems/bin/demo-ls"] = "program"
	case name == "gem":
		fmt.Println("/system/gems")
	case name == "rustup" && strings.HasPrefix(line, "show"):
		fmt.Println("stable-x86_64 (default)")
	case name == "rustup" && strings.HasPrefix(line, "which"):
		fmt.Println(filepath.Join(dir, "demo-ls"))
		files[filepath.Join(dir, "demo-ls")] = "program"
	}
	for path, text := range files {
		if !filepath.IsAbs(path) {
			path = filepath.Join(wd, path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fakeFailure(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return fakeFailure(err)
		}
	}
	return 0
}

func fakeFailure(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 3
}

// linkSelf makes a link to this test program, or a copy on Windows, which cannot remove a link to a running program.
func linkSelf(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if runtime.GOOS != "windows" && os.Link(self, path) == nil {
		return nil
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o755)
}

// fakes are fake clients on the PATH of an Installer.
type fakes struct {
	t         *testing.T
	dir       string // of the variable fakeDir
	bin       string // with the programs
	installer *serverinstall.Installer
}

// newFakes returns fake clients with the names, and an Installer that has them alone on its PATH.
func newFakes(t *testing.T, names ...string) *fakes {
	t.Helper()
	f := &fakes{t: t, dir: t.TempDir(), bin: t.TempDir()}
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		must(t, linkSelf(filepath.Join(f.bin, name)))
	}
	f.installer = &serverinstall.Installer{Dir: t.TempDir(), Env: append(os.Environ(), "PATH="+f.bin, fakeDir+"="+f.dir)}
	// The last PATH counts, as in a shell.
	f.installer.Env = slices.DeleteFunc(f.installer.Env, func(entry string) bool {
		return strings.HasPrefix(strings.ToUpper(entry), "PATH=") && entry != "PATH="+f.bin
	})
	return f
}

// set writes the behavior of a fake client.
func (f *fakes) set(file, text string) {
	f.t.Helper()
	must(f.t, os.WriteFile(filepath.Join(f.dir, file), []byte(text), 0o600))
}

// runs returns the runs of the fake clients so far.
func (f *fakes) runs() []run {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, "runs"))
	if os.IsNotExist(err) {
		return nil
	}
	must(f.t, err)
	var all []run
	for line := range strings.Lines(string(data)) {
		var r run
		must(f.t, json.Unmarshal([]byte(line), &r))
		all = append(all, r)
	}
	return all
}

// lines returns the command lines of the runs.
func (f *fakes) lines() string {
	var b strings.Builder
	for _, r := range f.runs() {
		fmt.Fprintln(&b, r.Program, strings.Join(r.Args, " "))
	}
	return b.String()
}

// demo returns a recipe for demo-ls with a version.
func demo(client serverinstall.Client, version string) serverinstall.Recipe {
	return serverinstall.Recipe{Name: "demo", Servers: []string{"demo"}, Client: client, Package: "example.com/demo", Version: version, Programs: []string{"demo-ls"}}
}

// versions returns the directories of the versions of demo.
func versions(t *testing.T, i *serverinstall.Installer) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(i.Dir, "demo"))
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// has reports whether a program is on PATH.
func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
