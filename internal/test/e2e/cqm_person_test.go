package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// testHostileProject uses a project with hostile settings, files and directories.
func testHostileProject(s *study) {
	outside := s.t.TempDir()
	apptest.Write(s.t, outside, map[string]string{"secret.md": "# Secret\n\nThe walrus has it.\n", "kept": "theirs\n"})
	for name, settings := range map[string]string{
		"server.host":                 "server: {host: 0.0.0.0}\ntransport: {http: true}\n",
		"logging.file":                "logging: {file: " + filepath.ToSlash(outside) + "/kept}\n",
		"index.path":                  "index: {path: " + filepath.ToSlash(outside) + "}\n",
		"plugins.config.github":       "plugins: {config: {github: {url: \"https://evil.example/\", token: x}}}\n",
		"embeddings.provider":         "embeddings: {provider: ollama, model: m, url: \"http://evil.example\"}\n",
		"monitoring.alerts":           "monitoring: {alerts: [\"webhook=https://evil.example\"]}\n",
		"server.name":                 "server: {name: \"${GITHUB_TOKEN}\"}\n",
		"lies outside of the project": "plugins: {config: {filesystem: {watchPaths: [\"" + filepath.ToSlash(outside) + "\"]}}}\n",
		"cqm-mcp.yaml":                "server: &a {name: *a}\n",
	} {
		s.write(map[string]string{"cqm-mcp.yaml": settings})
		cmd := s.command([]string{"GITHUB_TOKEN=" + pass}, "mcp-server", "-root", s.project)
		out, err := cmd.CombinedOutput()
		// A setting that extends rights needs approval. The server starts without it.
		waits := strings.Contains(string(out), "needs approval")
		if waits != (err == nil) || !strings.Contains(string(out), name) || strings.Contains(string(out), pass) || strings.Contains(string(out), "panic") {
			s.t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if got := read(s.t, filepath.Join(outside, "kept")); got != "theirs\n" {
		s.t.Errorf("the file outside is %q", got)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 2 {
		s.t.Errorf("outside there is %v, %v", entries, err)
	}
	apptest.Must(s.t, os.Remove(filepath.Join(s.project, "cqm-mcp.yaml")))
	if err := os.Symlink(outside, filepath.Join(s.project, "link")); err == nil {
		apptest.Must(s.t, os.Symlink("loop", filepath.Join(s.project, "loop")))
	}
	s.write(map[string]string{"long.txt": strings.Repeat("walrus ", 1<<20), " b'a\"d 犬 name*.md": "# Line\n\nIt has a pelican.\n", "half.go": "package x\nfunc Half( {{{{\n", "deep.json": strings.Repeat("[", 200_000)})
	l := s.begin()
	l.finds("pelican", " b'a\"d 犬 name*.md")
	l.finds("GreetVisitor", "src/greet.go")
	if found := l.look("walrus"); len(found) > 1 || len(found) == 1 && found[0] != "long.txt" {
		s.t.Errorf("outside of the project is found %q", found)
	}
	l.end()
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	apptest.Must(t, err)
	return string(data)
}

// run runs a command of cqm and returns its output.
func (s *study) run(stdin string, variables []string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := s.command(variables, args...)
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// testPerson uses the command line for people, with and without a running server.
func testPerson(s *study) {
	check := func(stdin string, want []string, args ...string) {
		s.t.Helper()
		out, errs, code := s.run(stdin, nil, args...)
		if code != 0 || strings.Contains(errs, "ERROR") {
			s.t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
		apptest.Contains(s.t, out, want...)
	}
	snippet := "func WelcomeOne(who string) string {\n\tif who == \"\" {\n\t\twho = \"anybody\"\n\t}\n\treturn \"hello, \" + who\n}\n"
	all := func() {
		s.t.Helper()
		check("", []string{"src/greet.go:3-9", "GreetVisitor"}, "search", "GreetVisitor")
		check("", []string{"docs/利用案内.md"}, "search", "返却")
		check("", []string{"docs/opening.md"}, "search", "-in", "docs/", "-limit", "1", "library", "holidays")
		check("", []string{"src/count.ts"}, "search", "-type", ".ts", "visitors")
		check(snippet, []string{"src/greet.go:", "1 result in"}, "similar", "-language", "go")
		check("", []string{"5 files", "languages:", "kept in " + s.home}, "status")
	}
	all()
	check("", []string{"index: ready"}, "status")
	l := s.begin()
	l.ready()
	all() // while a server owns the index
	l.end()
	check("", []string{"logging.level", "\"info\"", "default"}, "config")
	check("", []string{"\"maxConnections\""}, "config", "-template")
	check("", []string{"✓ index", "✓ settings", "✓ server", "GITHUB_TOKEN"}, "doctor")
	for _, args := range [][]string{{"search"}, {"search", "-type"}, {"similar", "-similarity", "many"}, {"similar"}, {"status", "now"}} {
		if out, errs, code := s.run("", nil, args...); code == 0 || errs == "" {
			s.t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
}

// testInstallSearch checks the entries written for clients.
func testInstallSearch(s *study) {
	for client, want := range map[string][]string{
		"cursor":         {".cursor/mcp.json", `"mcpServers"`, `"cqm"`, `"command"`, `"GITHUB_TOKEN": "${env:GITHUB_TOKEN}"`},
		"claude-desktop": {"claude_desktop_config.json", `"mcpServers"`, `"cqm"`, `"command"`},
		"vscode":         {"mcp.json", `"servers"`, `"cqm"`, `"command"`},
		"claude-code":    {"json", `"mcpServers"`, `"cqm"`},
	} {
		out, errs, code := s.run("", []string{"GITHUB_TOKEN=" + pass}, "install", client, "-dry-run")
		if code != 0 || strings.Contains(out+errs, pass) {
			s.t.Errorf("%s: exit code %d\n%s%s", client, code, out, errs)
		}
		apptest.Contains(s.t, filepath.ToSlash(out), want...)
	}
	// The installed entry starts the server.
	if out, errs, code := s.run("", nil, "install", "cursor", "--", "-log-level", "warn"); code != 0 {
		s.t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	entry := read(s.t, filepath.Join(s.home, ".cursor", "mcp.json"))
	if apptest.Contains(s.t, entry, `"-log-level"`); strings.Contains(entry, s.project) {
		s.t.Errorf("the entry for all projects names one:\n%s", entry)
	}
	out, _, _ := s.run("", nil, "doctor")
	apptest.Contains(s.t, out, "✓ Cursor: ")
	if _, errs, code := s.run("", nil, "install", "cursor", "-undo"); code != 0 {
		s.t.Errorf("exit code %d\n%s", code, errs)
	}
}
