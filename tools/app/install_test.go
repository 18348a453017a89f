package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/internal/clientconfig"
	"github.com/dougu-go/dougu/transport"
)

// built is the program of testdata/prog, built once.
var built = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "dougu-prog-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "prog")
	if out, err := exec.Command("go", "build", "-o", path, "./testdata/prog").CombinedOutput(); err != nil {
		return out, err
	}
	return os.ReadFile(path)
})

// machine is a computer with the program on it, a user and a project.
type machine struct {
	t                   *testing.T
	home, project, path string
	pass                []string // variables that the program asks clients for
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "home", "my project"), path: filepath.Join(dir, "bin", "prog")}
	if runtime.GOOS == "windows" {
		m.path += ".exe"
	}
	for _, dir := range []string{m.project, filepath.Dir(m.path)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// onDisk puts the program's file where path says.
func (m *machine) onDisk() *machine {
	m.t.Helper()
	program, err := built()
	if err != nil {
		m.t.Fatalf("building the program: %v\n%s", err, program)
	}
	if err := os.WriteFile(m.path, program, 0o755); err != nil {
		m.t.Fatal(err)
	}
	return m
}

func (m *machine) environment() *app.Environment {
	return &app.Environment{GOOS: "linux", Home: m.home, ConfigDir: filepath.Join(m.home, ".config"), Getenv: func(string) string { return "" }}
}

// app is the program in this process.
func (m *machine) app() *app.App {
	var root string
	server := program(strings.NewReader(""), nil, nil)
	server.Environment, server.Executable, server.PassEnv = m.environment(), m.path, m.pass
	server.Flags = func(flags *flag.FlagSet) {
		flags.StringVar(&root, "root", ".", "`directory` that may be used")
		flags.String("fail", "", "`text` to fail with")
		flags.Int("tools", 1, "`number` of tools")
		flags.Bool("read-only", false, "change nothing")
		flags.String("audit", "", "`file` of changes")
		flags.String("log", "", "`file` of the logs, relative to the project")
	}
	return server
}

// run is the program in this process with a command line.
func (m *machine) run(args ...string) (code int, stdout, stderr string) {
	m.t.Helper()
	server := m.app()
	var out, errs bytes.Buffer
	server.Stdout, server.Stderr = &out, &errs
	code = server.Run(m.t.Context(), args)
	return code, out.String(), errs.String()
}

// want runs the program and checks its exit code and output.
func (m *machine) want(code int, part string, args ...string) string {
	m.t.Helper()
	got, out, errs := m.run(args...)
	if got != code || !strings.Contains(out+errs, part) {
		m.t.Errorf("%q: exit code %d, want %d, and %q in\n%s%s", args, got, code, part, out, errs)
	}
	return out
}

func (m *machine) file(parts ...string) string {
	return filepath.Join(append([]string{m.home}, parts...)...)
}

func (m *machine) read(parts ...string) string {
	m.t.Helper()
	content, err := os.ReadFile(m.file(parts...))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(content)
}

func (m *machine) write(content string, parts ...string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.file(parts...)), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.file(parts...), []byte(content), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func TestInstall_CommandLines(t *testing.T) {
	m := newMachine(t)
	m.want(0, "claude-desktop      ", "install")
	m.want(2, "known are cursor", "install", "emacs")
	m.want(2, "flags of the server come after --", "install", "cursor", "more")
	m.want(2, "exclude each other", "install", "cursor", "-user", "-project")
	m.want(2, "-undo takes", "install", "cursor", "-undo", "-force")
	m.want(2, "-undo takes", "install", "cursor", "-undo", "--", "-x")
	m.want(2, "-sideways", "install", "cursor", "-sideways")
	m.want(2, "invalid", "install", "cursor", "-tools", "many")
	m.want(0, "-dry-run", "install", "cursor", "-help")
	if _, help, _ := m.run("install", "-help"); strings.Contains(help, "default false") || !strings.Contains(help, "change nothing\n") {
		t.Errorf("help says\n%s", help)
	}
	m.want(1, "one configuration for all projects", "install", "claude-desktop", "-project")
	m.want(1, "is not a directory", "install", "cursor", "-root", m.file("none"))
	m.want(1, "letters, digits", "install", "cursor", "-name", "a/b")
	m.want(1, "there is no change by", "install", "cursor", "-undo")
	if _, err := os.Stat(m.file(".cursor")); err == nil {
		t.Error("something was installed")
	}
}

func TestInstall_Undo(t *testing.T) {
	m := newMachine(t)
	before := "{\n    \"mcpServers\": {\n        \"other\": {\"command\": \"npx\", \"env\": {\"TOKEN\": \"very-secret\"}}\n    }\n}\n"
	m.write(before, ".cursor", "mcp.json")
	shown := m.want(0, "Nothing was written", "install", "cursor", "-root", m.project, "-dry-run")
	if m.read(".cursor", "mcp.json") != before || !strings.Contains(shown, "\n+") {
		t.Errorf("a dry run has changed the file, or shows nothing:\n%s", shown)
	}
	out := m.want(0, "Cursor notices", "install", "cursor", "-root", m.project, "-read-only", "-tools", "3", "-audit", "a", "-log", "l", "--", "-extra", "x")
	if strings.Contains(out, "very-secret") || !strings.Contains(out, "…") || !strings.Contains(out, `"prog install cursor -undo" undoes this`) {
		t.Errorf("it says\n%s", out)
	}
	entries, err := clientconfig.All()[0].Entries([]byte(m.read(".cursor", "mcp.json")))
	if err != nil || len(entries) != 2 {
		t.Fatalf("%+v, %v", entries, err)
	}
	args := strings.Join(entries[1].Args, "|")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := "-root|" + m.project + "|-read-only|-tools|3|-audit|" + filepath.Join(here, "a") + "|-log|l|-extra|x"; !strings.HasSuffix(args, want) || entries[1].Name != "prog" {
		t.Errorf("the entry is %+v", entries[1])
	}
	m.want(0, "already", "install", "cursor", "-root", m.project, "-read-only", "-tools", "3", "-audit", "a", "-log", "l", "--", "-extra", "x")
	m.want(0, "is now in", "install", "cursor", "-root", m.project, "-read-only=false")
	m.want(0, `has "prog"`, "install")
	m.want(0, "Nothing was written", "install", "cursor", "-undo", "-dry-run")
	m.want(0, "has its former content", "install", "cursor", "-undo")
	m.want(0, "has its former content", "install", "cursor", "-undo")
	if got := m.read(".cursor", "mcp.json"); got != before {
		t.Errorf("got\n%s", got)
	}
	m.want(0, "has 1 others", "install")
}

func TestInstall_NewAndChangedFiles(t *testing.T) {
	m := newMachine(t)
	file := filepath.Join(m.project, ".vscode", "mcp.json")
	m.want(0, "-root "+m.project+" -undo", "install", "vscode", "-root", m.project)
	if content, err := os.ReadFile(file); err != nil || !strings.Contains(string(content), `"type": "stdio"`) {
		t.Errorf("%s, %v", content, err)
	}
	m.want(0, "is removed", "install", "vscode", "-root", m.project, "-undo")
	if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Error("the directory is still there")
	}
	m.want(0, "-user -undo", "install", "vscode", "-user", "-root", m.project)
	m.write(strings.Replace(m.read(".config", "Code", "User", "mcp.json"), "{", "{ // mine\n", 1), ".config", "Code", "User", "mcp.json")
	m.want(0, "no longer has the entry \"prog\"", "install", "vscode", "-user", "-undo")
	if got := m.read(".config", "Code", "User", "mcp.json"); !strings.Contains(got, "// mine") || strings.Contains(got, "prog") {
		t.Errorf("%s", got)
	}
	m.want(0, "-project -root", "install", "claude-code", "-project", "-root", m.project)
}

func TestInstall_OtherServerOfSameName(t *testing.T) {
	m := newMachine(t)
	m.write(`{"mcpServers":{"prog":{"command":"npx","args":["prog"]}}}`, ".claude.json")
	out := m.want(1, "-force replaces it", "install", "claude-code", "-root", m.project)
	if !strings.Contains(out, `+{"mcpServers"`) || !strings.Contains(m.read(".claude.json"), "npx") {
		t.Errorf("it was replaced, or the difference is not shown:\n%s", out)
	}
	m.want(0, "is now in", "install", "claude-code", "-root", m.project, "-name", "prog-2")
	m.want(0, "is now in", "install", "claude-code", "-root", m.project, "-force")
	before := m.read(".claude.json")
	if m.want(1, "for other directories; nothing was changed", "install", "claude-code", "-root", m.home); m.read(".claude.json") != before {
		t.Error("the entry of another project was changed")
	}
	m.want(0, "Note: the server may use all of", "install", "claude-code", "-root", m.home, "-force")
	if link := m.file("link"); os.Symlink(m.home, link) == nil {
		m.want(0, "Note: the server may use all of", "install", "claude-code", "-root", link, "-force")
	}
	m.write("{ half", ".claude.json")
	m.want(1, ".claude.json:1:3: ", "install", "claude-code", "-root", m.project)
	m.want(0, "  1:3: a string", "install")
}

// A file that a project shares has no path of the project; the user's entry has one only for -root.
func TestInstall_NamesProject(t *testing.T) {
	m := newMachine(t)
	sub := filepath.Join(m.project, "sub")
	for _, tc := range []struct {
		client, file string
		flags, args  []string
	}{
		{"cursor", filepath.Join(m.home, ".cursor", "mcp.json"), nil, nil},
		{"cursor", filepath.Join(m.home, ".cursor", "mcp.json"), []string{"-root", m.project, "-force"}, []string{"-root", m.project}},
		{"cursor", filepath.Join(m.project, ".cursor", "mcp.json"), []string{"-project", "-root", m.project}, []string{"-root", "${workspaceFolder}"}},
		{"vscode", filepath.Join(m.project, ".vscode", "mcp.json"), []string{"-root", m.project, "-root", sub, "-root", m.home}, []string{"-root", "${workspaceFolder}", "-root", "${workspaceFolder}/sub", "-root", m.home}},
		{"claude-code", filepath.Join(m.project, ".mcp.json"), []string{"-project", "-root", m.project, "-read-only"}, []string{"-read-only"}},
		{"claude-code", filepath.Join(m.home, ".claude.json"), nil, nil},
		{"claude-desktop", filepath.Join(m.home, ".config", "Claude", "claude_desktop_config.json"), nil, nil},
	} {
		m.want(0, "is now in "+tc.file, append([]string{"install", tc.client}, tc.flags...)...)
		content, err := os.ReadFile(tc.file)
		if err != nil {
			t.Fatal(err)
		}
		client, err := clientconfig.Find(tc.client)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := client.Entries(content)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%s: %+v, %v", tc.file, entries, err)
		}
		if args := entries[0].Args; strings.Join(args, "|") != strings.Join(tc.args, "|") {
			t.Errorf("%s: the arguments are %q, want %q", tc.file, args, tc.args)
		}
	}
}

// The command line in the client's file starts a compiled program.
func TestInstall_EntryStartsProgram(t *testing.T) {
	m := newMachine(t).onDisk()
	for _, tc := range []struct{ client, file, key string }{
		{"cursor", filepath.Join(m.home, ".cursor", "mcp.json"), "mcpServers"},
		{"vscode", filepath.Join(m.project, ".vscode", "mcp.json"), "servers"},
	} {
		if out, err := m.start("install", tc.client); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		content, err := os.ReadFile(tc.file)
		if err != nil {
			t.Fatal(err)
		}
		var config map[string]map[string]struct {
			Command string
			Args    []string
		}
		if err := json.Unmarshal(content, &config); err != nil {
			t.Fatal(err)
		}
		entry := config[tc.key]["prog"]
		if entry.Command != m.path {
			t.Fatalf("the command is %q, want %q", entry.Command, m.path)
		}
		if strings.Contains(string(content), m.project) {
			t.Errorf("the entry has the path of the project:\n%s", content)
		}
		args := strings.ReplaceAll(strings.Join(entry.Args, "|"), "${workspaceFolder}", m.project)
		if wanted := map[string]string{"cursor": "", "vscode": "-root|" + m.project}[tc.client]; args != wanted {
			t.Errorf("%s: the arguments are %q, want %q", tc.client, args, wanted)
		}
		started := transport.Command{Path: entry.Command, Args: strings.FieldsFunc(args, func(r rune) bool { return r == '|' }), Dir: m.project}
		client, err := mcp.Connect(t.Context(), started, mcp.Implementation{Name: "test", Version: "1"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if root, err := mcp.Call[string](t.Context(), client, "tool_0", nil); err != nil || root != m.project {
			t.Errorf("it serves %q, %v; want %q", root, err, m.project)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if out, err := m.start("install", tc.client, "-undo"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		if _, err := os.Stat(tc.file); err == nil {
			t.Errorf("%s is still there", tc.file)
		}
	}
}

// start runs the program's file in the project, as the user of the machine.
func (m *machine) start(args ...string) (string, error) {
	cmd := exec.CommandContext(m.t.Context(), m.path, args...)
	cmd.Dir = m.project
	cmd.Env = append(os.Environ(), "HOME="+m.home, "USERPROFILE="+m.home, "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=", "APPDATA=", "LC_ALL=C.UTF-8", "TMPDIR="+m.t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The entry names the variables of PassEnv without their values, and keeps variables that
// the user has added.
func TestInstall_PassEnv(t *testing.T) {
	m := newMachine(t)
	const before = "{\"mcpServers\": {\"other\": {\"command\": \"npx\", \"env\": {\"PROG_A\": \"very-secret\"}}}}\n"
	m.write(before, ".cursor", "mcp.json")
	m.want(0, "is now in", "install", "cursor", "-root", m.project)
	plain := m.read(".cursor", "mcp.json")
	m.pass = []string{"PROG_A", "PROG_B"}
	out := m.want(0, `"env": {"PROG_A": "${env:PROG_A}", "PROG_B": "${env:PROG_B}"}`, "install", "cursor", "-root", m.project)
	if strings.Contains(out, "very-secret") || !strings.Contains(out, "…") || !strings.Contains(m.read(".cursor", "mcp.json"), before[1:len(before)-5]) {
		t.Errorf("it says\n%s", out)
	}
	m.write(strings.Replace(m.read(".cursor", "mcp.json"), `"${env:PROG_B}"`, `"mine", "KEY": "k"`, 1), ".cursor", "mcp.json")
	m.want(0, "already", "install", "cursor", "-root", m.project)
	m.write(strings.Replace(m.read(".cursor", "mcp.json"), `"mine", "KEY": "k"`, `"${env:PROG_B}"`, 1), ".cursor", "mcp.json")
	for _, want := range []string{plain, before} {
		m.want(0, "has its former content", "install", "cursor", "-undo")
		if got := m.read(".cursor", "mcp.json"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	m.want(0, `"PROG_A": "${PROG_A:-}"`, "install", "claude-code", "-root", m.project)
	m.want(0, `"PROG_A": "${env:PROG_A}"`, "install", "vscode", "-root", m.project)
	if out := m.want(0, "is now in", "install", "claude-desktop", "-root", m.project); strings.Contains(out, "PROG_A") {
		t.Errorf("it says\n%s", out)
	}
	m.pass = []string{"not one"}
	m.want(1, "is not the name of a variable", "install", "cursor", "-root", m.project)
}
