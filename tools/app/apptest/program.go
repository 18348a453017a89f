package apptest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
)

// Program makes the program under test. Each method call makes a new App with an empty home
// directory, without any MCP client.
type Program func() *app.App

// RunIn runs a command line with stdin as input and returns the exit code and the standard
// error. Standard output goes to stdout. doctor cannot start the server, since Executable
// is the null device.
func (p Program) RunIn(ctx context.Context, t testing.TB, stdin string, stdout *Output, args ...string) (code int, stderr string) {
	t.Helper()
	errs := new(Output)
	server := p()
	server.Stdin, server.Stdout, server.Stderr = strings.NewReader(stdin), stdout, errs
	server.Executable = os.DevNull // so that doctor does not start the tests
	home := t.TempDir()
	server.Environment = &app.Environment{GOOS: "linux", Home: home, ConfigDir: filepath.Join(home, ".config"), Getenv: func(string) string { return "" }}
	code = server.Run(ctx, args)
	return code, errs.String()
}

// Run runs a command line without input.
func (p Program) Run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	out := new(Output)
	code, stderr = p.RunIn(t.Context(), t, "", out, args...)
	return code, out.String(), stderr
}

// MustRun runs a command line and returns its standard output. A non-zero exit code or any
// text on standard error ends the test.
func (p Program) MustRun(t testing.TB, args ...string) string {
	t.Helper()
	code, out, errs := p.Run(t, args...)
	if code != 0 || errs != "" {
		t.Fatalf("%q: exit code %d, %s%s", args, code, out, errs)
	}
	return out
}

// MustFail runs a command line that must end with the exit code and print the text says to
// standard error. The message must not say that a default is used, because the program has
// ended.
func (p Program) MustFail(t testing.TB, code int, says string, args ...string) {
	t.Helper()
	got, out, errs := p.Run(t, args...)
	if got != code || !strings.Contains(errs, says) {
		t.Errorf("%q: exit code %d, want %d; want %q in\n%s%s", args, got, code, says, out, errs)
	}
	if defaultIsUsed.MatchString(errs) {
		t.Errorf("%q: the program ends, but reports that a default is used:\n%s", args, errs)
	}
}

// defaultIsUsed matches the messages of package config about replaced values.
var defaultIsUsed = regexp.MustCompile(`the default .* is used|nothing in the file is used|it is left out`)

// Tools returns the sorted names of the tools that the program lists with the flags.
func (p Program) Tools(t testing.TB, flags ...string) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(p.MustRun(t, append([]string{"tools", "-json"}, flags...)...)) {
		var tool struct {
			Name string `json:"name"`
		}
		Must(t, json.Unmarshal([]byte(line), &tool))
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write creates files in dir, by slash-separated path, with their parent directories.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		Must(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// Contains reports an error for each wanted text that is missing in text.
func Contains(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
