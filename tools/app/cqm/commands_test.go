package cqm

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

func TestSearch(t *testing.T) {
	dir := library(t)
	flags := []string{"-root", dir, "-plugins-enabled", "filesystem"}
	search := func(args ...string) string {
		t.Helper()
		return in().MustRun(t, append(append([]string{"search"}, flags...), args...)...)
	}
	apptest.Contains(t, search("somebody hello"), "src/greet.go:3-9  function Greet", "    func Greet(name string) string {", "… 1 more lines", "1 result in")
	apptest.Contains(t, search("月曜"), "docs/hours.md:5-7  section", "休館日")
	apptest.Contains(t, search("-in", "docs", "-type", "md", "-limit", "1", "library", "nine"), "docs/hours.md:1-")
	apptest.Contains(t, search("-in", "docs", "greet"), "0 results", "note: no results: try the query without filters")
	apptest.Contains(t, in().MustRun(t, append([]string{"status"}, flags...)...), "index: ready, 2 files", "plugin filesystem: healthy", "kept in ")
	memory := in().MustRun(t, append([]string{"status", "-index-path", "memory"}, flags...)...)
	if strings.Contains(memory, "kept in") {
		t.Errorf("an index in memory is kept:\n%s", memory)
	}
}

func TestSimilar(t *testing.T) {
	similar := func(code string, args ...string) (exit int, out, errs string) {
		t.Helper()
		stdout := new(apptest.Output)
		exit, errs = in().RunIn(t.Context(), t, code, stdout, append([]string{"similar", "-root", library(t), "-plugins-enabled", "filesystem"}, args...)...)
		return exit, stdout.String(), errs
	}
	const code = "func Welcome(who string) string {\n\tif who == \"\" {\n\t\twho = \"anybody\"\n\t}\n\treturn \"welcome, \" + who\n}\n"
	exit, out, errs := similar(code, "-language", "go", "-similarity", "0.5", "-limit", "3")
	if exit != 0 {
		t.Errorf("exit code %d\n%s", exit, errs)
	}
	apptest.Contains(t, out, "src/greet.go:", "function Greet", "1 result in")
	for says, args := range map[string][]string{
		"out of range": {"-similarity", "2"}, "there is no language": {"-language", "klingon"}, "the limit 1000": {"-limit", "1000"},
	} {
		if exit, out, errs := similar(code, args...); exit != 1 || !strings.Contains(errs, says) {
			t.Errorf("%q: exit code %d\n%s%s", args, exit, out, errs)
		}
	}
	if exit, _, errs := similar("x"); exit != 1 || !strings.Contains(errs, "must have 10 at least") {
		t.Errorf("of too little code: exit code %d\n%s", exit, errs)
	}
}

// A wrong flag or setting ends the program with an error that names it.
func TestRun_WrongFlags(t *testing.T) {
	dir := library(t)
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	apptest.Write(t, filepath.Dir(bad), map[string]string{"bad.yaml": "connection: {maxConnections: 0}\n"})
	for _, tc := range []struct {
		code int
		says string
		args []string
	}{
		{2, "-nope", []string{"tools", "-nope"}},
		{2, "there is no command \"serch\"", []string{"serch", "words"}},
		{2, "search needs words", []string{"search", "-root", dir}},
		{2, "takes no arguments", []string{"status", "now"}},
		{2, "takes no arguments", []string{"mcp-server", "now"}},
		{2, "is no number", []string{"similar", "-similarity", "much"}},
		{2, "-project", []string{"search", "-project", dir, "x"}},
		{1, "Name a directory that exists", []string{"tools", "-root", filepath.Join(dir, "none")}},
		{1, "flag -port", []string{"tools", "-root", dir, "-port", "-1"}},
		{1, "bad.yaml:1:30: connection.maxConnections", []string{"tools", "-root", dir, "-config", bad}},
		{1, "does not exist", []string{"tools", "-root", dir, "-config", bad + ".none"}},
		{1, "GITHUB_TOKEN", []string{"tools", "-root", dir, "-strict"}},
		{1, "are all false", []string{"tools", "-root", dir, "-transport-stdio=false"}},
		{1, "plugins.enabled", []string{"tools", "-root", dir, "-plugins-enabled", "files"}},
		{1, "there is no token", []string{"tools", "-root", dir, "-security-authentication-enabled"}},
		{1, "the tool failed", []string{"call", "-root", dir, "searchDocuments", "query="}},
	} {
		in().MustFail(t, tc.code, tc.says, tc.args...)
	}
	in("CQM_LOG_LEVELS=info").MustFail(t, 1, "CQM_LOG_LEVELS: there is no such setting", "tools", "-root", dir)
}

// Settings are shown with where they come from, and without secrets.
func TestConfig(t *testing.T) {
	const token, card = "ghp_0123456789abcdefghij", "0123456789abcdef0123"
	file := filepath.Join(t.TempDir(), "cqm.yaml")
	apptest.Write(t, filepath.Dir(file), map[string]string{"cqm.yaml": "security: {authentication: {enabled: true, tokenSecret: " + card + "}}\nmonitoring: {alerts: [\"slack=https://hooks.example/" + card + "\"]}\nembeddings: {key: " + card + "}\n"})
	code, out, errs := in("GITHUB_TOKEN="+token, "CQM_LOG_LEVEL=warn").Run(t, "config", "-root", library(t), "-config", file, "-server-name", "Mine")
	if code != 0 || strings.Contains(out+errs, token) || strings.Contains(out+errs, card) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	apptest.Contains(t, out, "cqm.yaml:1:57", `"slack=[redacted]"`, `"[redacted]"`, `"Mine"`, "flag -server-name", "environment variable CQM_LOG", "connection.maxConnections", "default")
	template := in().MustRun(t, "config", "-template")
	apptest.Write(t, filepath.Dir(file), map[string]string{"cqm.yaml": template})
	if code, _, errs := in().Run(t, "config", "-config", file); code != 0 {
		t.Errorf("the template is no file of settings: exit code %d\n%s", code, errs)
	}
}

func TestInstall(t *testing.T) {
	dir := library(t)
	apptest.Contains(t, in().MustRun(t, "install", "cursor", "-dry-run", "--", "-root", dir), `"mcpServers"`, `"cqm"`, `"GITHUB_TOKEN": "${env:GITHUB_TOKEN}"`, filepath.Base(dir))
	apptest.Contains(t, in().MustRun(t, "install", "claude-desktop", "-dry-run", "--", "-root", dir), "claude_desktop_config.json", `"mcpServers"`, `"cqm"`)
}

func TestDoctor(t *testing.T) {
	dir := library(t)
	doctor := func(args ...string) string {
		_, out, _ := in().Run(t, append([]string{"doctor", "-root", dir}, args...)...)
		return out
	}
	apptest.Contains(t, doctor(), "✓ directory: ", "✓ settings: defaults", "! plugins: the plugin github is disabled", "✓ index: ")
	apptest.Contains(t, doctor("-log-level", "loud"), "✗ settings: ", "Correct ")
	apptest.Contains(t, doctor("-config", "/none/cqm.yaml"), "✗ settings: ", "does not exist")
}

// A server that is interrupted ends in order, wherever it is served.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := new(apptest.Output), make(chan struct{})
	app := in()()
	app.Stdin, app.Stdout, app.Stderr = strings.NewReader(""), io.Discard, stderr
	var running group.Group
	code := 0
	dir := library(t)
	running.Go(func() {
		defer close(ended)
		code = app.Run(ctx, []string{"mcp-server", "-project", dir, "-plugins-enabled", "filesystem", "-transport-stdio=false", "-transport-http", "-transport-websocket", "-transport-tcp", "-port", "0"})
	})
	for _, scheme := range []string{"http", "ws", "tcp"} {
		if !stderr.Await("cqm serves "+scheme+"://127.0.0.1:", ended) {
			t.Errorf("it does not serve %s", scheme)
		}
	}
	cancel()
	running.Wait()
	if code != 0 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
