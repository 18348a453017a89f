package cursorcli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// run is the program with a command line and an environment.
func run(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	app := newApp(func() []string { return env }, Options{Sandbox: helper})
	app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), &out, &errs
	code = app.Run(t.Context(), args)
	return code, out.String(), errs.String()
}

func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	apptest.Write(t, dir, map[string]string{"main.go": "package main\n", "docs/guide.md": "# Guide\n", ".env": "SECRET=1\n"})
	return dir
}

func TestRun_Commands(t *testing.T) {
	dir := newProject(t)
	other := t.TempDir()
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	for _, tc := range []struct {
		args []string
		code int
		want string // part of either output
	}{
		{[]string{"tools", "-root", dir}, 0, "write_file "},
		{[]string{"tools", "-root", dir, "-read-only"}, 0, "read_file "},
		{[]string{"tools", "-root", dir, "-tools-allowed-tools", "read_*"}, 0, "1 tools"},
		{[]string{"tools", "-root", dir, "-profile", "cursorcli-strict", "-tools-allowed-tools", "*_file"}, 0, "2 tools"},
		{[]string{"call", "-root", dir, "read_file", "path=main.go"}, 0, "package main"},
		{[]string{"call", "-root", dir, "readFile", "path=main.go"}, 0, "package main"},
		{[]string{"call", "-root", dir, "read_file", "path=mian.go"}, 1, "main.go"},
		{[]string{"call", "-root", dir, "read_file", "path=.env"}, 1, "BLOCKED_PATTERN"},
		{[]string{"call", "-root", dir, "read_file", "path=../x"}, 1, "PERMISSION_DENIED"},
		{[]string{"call", "-root", dir, "list_directory", "recursive=true"}, 0, "docs/guide.md"},
		{[]string{"call", "-root", dir, "-audit", audit, "write_file", "path=new.txt", "content=text"}, 0, "new.txt"},
		{[]string{"call", "-root", dir, "-read-only", "write_file", "path=more.txt", "content=text"}, 1, "write_file"},
		{[]string{"call", "-root", dir, "-root", other, "write_file", "path=" + filepath.Join(other, "far.txt"), "content=text"}, 0, "far.txt"},
		{[]string{"call", "-root", dir, "-log-level", "info", "read_file", "path=main.go"}, 0, "outcome=ok"},
		{[]string{"call", "-root", dir, "-model", "gpt-5", "get_current_model"}, 0, "gpt-5"},
		{[]string{"tools", "-root", filepath.Join(dir, "none")}, 1, "none"},
		{[]string{"tools", "-root", dir, "-audit", dir}, 1, "audit"},
		{[]string{"tools", "-root", dir, "-prices", filepath.Join(dir, "none")}, 1, "prices"},
		{[]string{"tools", "-root", dir, "-prices", filepath.Join(dir, "main.go")}, 1, "prices"},
		{[]string{"tools", "-root", dir, "-profile", "curserclü"}, 1, "choose one of cursorcli, cursorcli-editor, cursorcli-strict, coding"},
		{[]string{"tools", "-root", dir, "-loging-level", "info"}, 2, "-loging-level"},
		{[]string{"tools", "-root", dir, "-logging-level", "loud"}, 0, "one of debug, info, warn, error"},
	} {
		code, out, errs := run(t, nil, tc.args...)
		if code != tc.code || !strings.Contains(out+errs, tc.want) {
			t.Errorf("%v: exit code %d, want %d; want %q in\n%s%s", tc.args, code, tc.code, tc.want, out, errs)
		}
	}
	if content, err := os.ReadFile(filepath.Join(dir, "new.txt")); err != nil || string(content) != "text" {
		t.Errorf("new.txt: %q, %v", content, err)
	}
	if records, err := os.ReadFile(audit); err != nil || bytes.Count(records, []byte("\n")) != 2 || !bytes.Contains(records, []byte("new.txt")) {
		t.Errorf("the audit log: %s, %v", records, err)
	}
	if _, err := os.Stat(filepath.Join(dir, settingsDir)); err == nil {
		t.Error("a command other than serve has left something behind")
	}
}

func TestConfig_Command(t *testing.T) {
	dir := newProject(t)
	apptest.Write(t, dir, map[string]string{settingsFile: `{"server":{"name":"mine"},"logging":{"level":"loud"}}`})
	env := []string{variablePrefix + "SERVER_REQUEST_TIMEOUT_MS=100", variablePrefix + "MODEL=gpt-5", variablePrefix + "API_TOKEN=hunter2-hunter2", variablePrefix + "LOGGING_ROTATION_COUNT=many"}
	code, out, errs := run(t, env, "config", "-root", dir, "-concurrency", "3", "-tools-allowed-tools", "raed_file,write_file")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		settingsFile + ":1:19\n", "100 ", "environment variable " + variablePrefix + "SERVER_REQUEST_TIMEOUT_MS\n", "flag -concurrency\n",
		`["write_file"] `, "default, instead of the wrong value in ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the settings lack %q:\n%s", want, out)
		}
	}
	for _, want := range []string{
		settingsFile + `:1:46: logging.level: received "loud": allowed is one of debug, info, warn, error`, `did you mean "read_file"?`, variablePrefix + "API_TOKEN: there is no such setting",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("the problems lack %q:\n%s", want, errs)
		}
	}
	if n := strings.Count(errs, "\n"); n != 5 || strings.Contains(errs, "hunter2") {
		t.Errorf("the problems are\n%s", errs)
	}

	if code, out, errs := run(t, nil, "config", "-json", "-root", t.TempDir()); code != 0 || errs != "" || !strings.Contains(out, `"maxConcurrentRequests": 10`) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs := run(t, nil, "config", "more"); code != 2 || !strings.Contains(errs, "no arguments") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if code, _, errs := run(t, nil, "config", "-root", filepath.Join(dir, "none")); code != 1 || !strings.Contains(errs, "opening the project") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestDoctor_Settings(t *testing.T) {
	dir, other := newProject(t), t.TempDir()
	apptest.Write(t, dir, map[string]string{settingsFile: nested("logging.level", `"loud"`)})
	environ := func() []string {
		return []string{variablePrefix + "TOOLS_FILE_OPERATIONS_ALLOWED_DIRECTORIES=" + other}
	}
	app, p := newApp(environ, Options{Sandbox: helper}), newProgram(environ, Options{Sandbox: helper})
	look := func(args ...string) string {
		flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
		p.options.flags(flags)
		p.options.values.Flags(flags)
		apptest.Must(t, flags.Parse(args))
		text, err := json.Marshal(append(p.options.values.Checks(t.Context(), "cursorcli"), p.checks(app)...))
		apptest.Must(t, err)
		return string(text)
	}
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{[]string{"-root", dir}, []string{`"settings","status":"warning","detail":"` + dir, `"directory","status":"ok"`, `"allowed directory","status":"ok","detail":"` + other, `"lock files"`}},
		{[]string{"-root", other, "-read-only"}, []string{`"settings","status":"ok"`, "read-only"}},
		{[]string{"-root", filepath.Join(dir, "none")}, []string{`"settings","status":"broken"`, "opening the project"}},
	} {
		got := look(tc.args...)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q lacks %s:\n%s", tc.args, want, got)
			}
		}
	}
}

// The schema that the program prints fits the file that it makes.
func TestConfig_Schema(t *testing.T) {
	code, out, _ := run(t, nil, "config", "-schema")
	schema, err := jsonschema.CompileString("config.schema.json", out)
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, out)
	}
	for file, valid := range map[string]bool{newSettings().Template().JSON(): true, `{"server":{"port":1}}`: false, nested("logging.level", `"loud"`): false} {
		var value any
		apptest.Must(t, json.Unmarshal([]byte(file), &value))
		if err := schema.Validate(value); (err == nil) != valid {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The configuration reference is made from the declarations of the flags and the
// settings.
func TestConfigurationReference_Current(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Configuration\n\nGenerated from the program; `go test ./tools/app/cursorcli -run Reference -update` updates this page.\n\n")
	apptest.Must(t, newApp(os.Environ, Options{Sandbox: helper}).Reference(&doc))
	apptest.Must(t, writeSettingsReference(&doc, newSettings()))
	const file = "../../../docs/configuration.md"
	if *update {
		apptest.Must(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the flags say (%v); run this test with -update", file, err)
	}
}
