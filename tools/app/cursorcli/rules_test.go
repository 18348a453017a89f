package cursorcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The settings file of a cloned project cannot give tools access outside of the project.
func TestRules_Project(t *testing.T) {
	home, err := os.UserHomeDir()
	apptest.Must(t, err)
	outside := t.TempDir()
	apptest.Must(t, os.MkdirAll(filepath.Join(home, "work", "other"), 0o755))
	apptest.Write(t, home, map[string]string{".ssh/config": "x", ".config/gcloud/x": "x", "work/other/.vscode/tasks.json": "{}", "work/keys/server.key": "x"})
	for name, tc := range map[string]struct {
		key, value string // in the file
		problem    string // empty: it is allowed
	}{
		"another project":             {"tools.fileOperations.allowedDirectories", `["~/work/other"]`, ""},
		"a directory beside":          {"tools.fileOperations.allowedDirectories", `["../beside"]`, ""},
		"a directory inside":          {"tools.fileOperations.allowedDirectories", `["docs"]`, ""},
		"the project itself":          {"tools.fileOperations.allowedDirectories", `["."]`, ""},
		"a link to another project":   {"tools.fileOperations.allowedDirectories", `["other-link"]`, ""},
		"the home directory":          {"tools.fileOperations.allowedDirectories", `["~"]`, "home directory"},
		"the home directory by a lnk": {"tools.fileOperations.allowedDirectories", `["home-link"]`, "home directory"},
		"above the home directory":    {"tools.fileOperations.allowedDirectories", `["~/.."]`, "home directory"},
		"the file system":             {"tools.fileOperations.allowedDirectories", `["/"]`, "home directory"},
		"above the project":           {"tools.fileOperations.allowedDirectories", `[".."]`, "hold the project"},
		"keys":                        {"tools.fileOperations.allowedDirectories", `["~/.ssh"]`, "kept from tools"},
		"above keys":                  {"tools.fileOperations.allowedDirectories", `["~/.config"]`, "kept from tools"},
		"what starts programs":        {"tools.fileOperations.allowedDirectories", `["~/work/other/.vscode"]`, "kept from tools"},
		"a file":                      {"tools.fileOperations.allowedDirectories", `["README.md"]`, "a directory that exists"},
		"nothing":                     {"tools.fileOperations.allowedDirectories", `["none"]`, "a directory that exists"},
		"secrets to show":             {"tools.fileOperations.blockedPatterns", `["!.env"]`, "by flags alone"},
		"a pattern that is none":      {"tools.fileOperations.blockedPatterns", `["{a"]`, "a glob"},
		"a log in its directory":      {"logging.logFile", `".cursorcli-mcp/x.log"`, ""},
		"a log elsewhere":             {"logging.logFile", `"src/x.log"`, "by flags alone"},
		"a log outside":               {"logging.logFile", `"` + filepath.ToSlash(filepath.Join(outside, "x.log")) + `"`, "by flags alone"},
		"a log at home":               {"logging.logFile", `"~/x.log"`, "by flags alone"},
		"a log that climbs":           {"logging.logFile", `".cursorcli-mcp/../../x.log"`, "by flags alone"},
		"a log over the settings":     {"logging.logFile", `".cursorcli-mcp/config.json"`, "by flags alone"},
		"no root":                     {"security.enforceProjectRoot", `false`, "-allow-outside-root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir := filepath.Join(top, "project")
			apptest.Write(t, top, map[string]string{"beside/x": "", "project/docs/x": "", "project/README.md": "", "project/" + settingsFile: nested(tc.key, tc.value)})
			if strings.Contains(tc.value, "-link") {
				for link, target := range map[string]string{"other-link": filepath.Join(home, "work", "other"), "home-link": home} {
					if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
						t.Skip("no links here: ", err)
					}
				}
			}
			v, stderr, err := open(t, dir, sources{quiet: true})
			apptest.Must(t, err)
			defer func() { apptest.Must(t, v.close(t.Context())) }()
			if problems := v.loaded.Problems(); len(problems) > 1 || len(problems) == 1 != (tc.problem != "") || tc.problem != "" && !strings.Contains(problems[0].Error(), tc.problem) {
				t.Errorf("problems %v, want %q\n%s", problems, tc.problem, stderr)
			}
		})
	}
}

// Variables and flags can give more rights than the project's file.
func TestRules_User(t *testing.T) {
	outside := t.TempDir()
	files := map[string]string{".env": "SECRET=1", "private/x": "x"}
	s := serve(t, files, sources{
		env:   []string{variablePrefix + "TOOLS_FILE_OPERATIONS_BLOCKED_PATTERNS=!.env,private/**"},
		flags: []string{"-logging-log-file", filepath.Join(outside, "logs", "any.txt"), "-logging-outputs", toFile},
	})
	if got := s.call(t.Context(), "read_file", map[string]any{"path": ".env"}); !strings.Contains(got, "SECRET=1") {
		t.Errorf(".env: %s", got)
	}
	if got := s.call(t.Context(), "read_file", map[string]any{"path": "private/x"}); !strings.Contains(got, "hidden") {
		t.Errorf("private/x: %s", got)
	}
	text, err := os.ReadFile(filepath.Join(outside, "logs", "any.txt"))
	if err != nil || !strings.Contains(string(text), `"tool":"read_file"`) {
		t.Errorf("the log is %q, %v", text, err)
	}
	if err := s.service.loaded.Err(); err != nil {
		t.Error(err)
	}
}

// A client may start the server anywhere.
func TestRules_FileSystemRoot(t *testing.T) {
	top := fileSystems(newDirectory(t.TempDir()))[0]
	if v, _, err := open(t, top, sources{quiet: true}); err == nil || !strings.Contains(err.Error(), "whole file system") {
		t.Errorf("%s was opened: %v, %v", top, v, err)
	}
	v, _, err := open(t, top, sources{quiet: true, flags: []string{"-allow-outside-root"}})
	apptest.Must(t, err)
	apptest.Must(t, v.close(t.Context()))
}

func TestRules_WritableFiles(t *testing.T) {
	for name, flags := range map[string][]string{
		"in the project":             {"-stats-file", "PROJECT/stats.json"},
		"in another root":            {"-root", "OTHER", "-stats-file", "OTHER/stats.json"},
		"in an allowed directory":    {"-tools-file-operations-allowed-directories", "OTHER", "-stats-file", "OTHER/stats.json"},
		"where everything is theirs": {"-allow-outside-root", "-security-enforce-project-root=false", "-stats-file", "OTHER/stats.json"},
		"outside":                    {"-stats-file", "OTHER/stats.json"},
		"in its directory":           {"-stats-file", "PROJECT/.cursorcli-mcp/stats.json"},
		"nobody writes":              {"-read-only", "-stats-file", "OTHER/stats.json", "-root", "OTHER"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, other := t.TempDir(), t.TempDir()
			apptest.Write(t, dir, map[string]string{settingsFile: "{}"})
			var args []string
			for _, arg := range flags {
				args = append(args, strings.NewReplacer("PROJECT", dir, "OTHER", other).Replace(arg))
			}
			v, _, err := open(t, dir, sources{quiet: true, flags: args})
			if allowed := name == "outside" || strings.HasPrefix(name, "in its") || name == "nobody writes"; (err == nil) != allowed {
				t.Errorf("%q: %v", args, err)
			}
			if err == nil {
				apptest.Must(t, v.close(t.Context()))
			}
		})
	}
}
