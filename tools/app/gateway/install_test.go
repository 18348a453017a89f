package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// machine is a user's home directory with the variables of its programs.
type machine struct {
	t         *testing.T
	home      string
	variables []string
}

// wants runs the program, and checks its exit code and output.
func (m machine) wants(code int, says string, args ...string) {
	m.t.Helper()
	a := in(append(m.variables, "HOME="+m.home)...)()
	a.Environment = &app.Environment{GOOS: "linux", Home: m.home, ConfigDir: filepath.Join(m.home, ".config")}
	out := new(apptest.Output)
	a.Stdin, a.Stdout, a.Stderr, a.Executable = strings.NewReader(""), out, out, os.DevNull
	if got := a.Run(m.t.Context(), args); got != code || !strings.Contains(out.String(), says) {
		m.t.Errorf("%q: exit code %d, want %d and %q in\n%s", args, got, code, says, out)
	}
}

// enteredConfig returns the value of -config in the entry of Cursor, which must be its only argument.
func enteredConfig(t *testing.T, home string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	apptest.Must(t, err)
	var config struct {
		MCPServers map[string]struct{ Args []string }
	}
	apptest.Must(t, json.Unmarshal(content, &config))
	args := config.MCPServers["gateway"].Args
	if len(args) != 2 || args[0] != "-config" || !filepath.IsAbs(args[1]) {
		t.Fatalf("the arguments are %q", args)
	}
	return args[1]
}

func TestInstall_NewFile(t *testing.T) {
	m := machine{t, t.TempDir(), nil}
	t.Chdir(t.TempDir())
	file := filepath.Join(m.home, ".config", "dougu", "gateway", "mcp.json")
	m.wants(0, file+" is new", "install", "cursor", "-dry-run")
	if _, err := os.Stat(file); err == nil {
		t.Error("a dry run has made the file")
	}
	m.wants(0, file+" is new", "install", "cursor")
	if got := enteredConfig(t, m.home); got != file {
		t.Errorf("the file is %s", got)
	}
	t.Chdir(t.TempDir()) // a client starts it anywhere
	m.wants(0, "gateway_servers", "tools", "-config", file)
	m.wants(0, "already", "install", "cursor")
}

func TestInstall_NamedFile(t *testing.T) {
	file := servers(t, "", "a")
	t.Chdir(filepath.Dir(file))
	m := machine{t, t.TempDir(), nil}
	m.wants(0, "is now in", "install", "cursor", "-config", "mcp.json")
	if got := enteredConfig(t, m.home); filepath.Base(filepath.Dir(got)) != filepath.Base(filepath.Dir(file)) {
		t.Errorf("the file is %s", got)
	}
	m = machine{t, t.TempDir(), []string{"GATEWAY_CONFIG=" + file}}
	m.wants(0, "is now in", "install", "cursor")
	if got := enteredConfig(t, m.home); got != file {
		t.Errorf("the file is %s", got)
	}
	m.wants(1, "there is no such file", "install", "cursor", "-config", file+".none")
	apptest.Must(t, os.WriteFile(file, []byte(`{"mcpServers": {"a": {}`), 0o600))
	m.wants(1, "would not start", "install", "cursor", "-config", file)
}

func TestInstall_FileOfProject(t *testing.T) {
	file := servers(t, "", "a")
	t.Chdir(filepath.Dir(file))
	m := machine{t, t.TempDir(), nil}
	m.wants(1, "look at it, and then use -config mcp.json", "install", "cursor")
	if _, err := os.Stat(filepath.Join(m.home, ".cursor")); err == nil {
		t.Error("something was entered")
	}
	m.wants(0, "Allowed", "trust", "-yes")
	m.wants(0, "is now in", "install", "cursor")
	if got := enteredConfig(t, m.home); filepath.Base(got) != "mcp.json" {
		t.Errorf("the file is %s", got)
	}
}
