//go:build unix

package security_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// hostile creates a project with links and names that could lead a tool outside. It returns the project and the
// directory around it.
func hostile(t *testing.T) (project, around string) {
	t.Helper()
	around = layout(t, map[string]string{
		"secret.txt":               secret,
		"project-secret/key":       secret,
		"project/src/main.go":      "package main",
		"project/notes.txt":        "notes",
		"project/.env":             secret,
		"project/.env.local":       secret,
		"project/.env.example":     "example",
		"project/.ssh/id_rsa":      secret,
		"project/certs/a.pem":      secret,
		"project/sub/.npmrc":       secret,
		"project/.git/config":      "[core]",
		"project/.git/hooks/x":     "hook",
		"project/.git/HEAD":        "ref: refs/heads/main",
		"project/café.txt":         "composed",
		"project/.aws/config":      "region",
		"project/.aws/credentials": secret,
	})
	project = filepath.Join(around, "project")
	links := map[string]string{
		"toAbsolute":    filepath.Join(around, "secret.txt"),
		"toRelative":    "../secret.txt",
		"toChain":       "toRelative",
		"toLongChain":   "src/back",
		"src/back":      "../toChain",
		"toParent":      "..",
		"toTop":         "/",
		"toBeside":      filepath.Join(around, "project-secret"),
		"toDangling":    filepath.Join(around, "new.txt"),
		"toLoop":        "toLoop",
		"toPing":        "toPong",
		"toPong":        "toPing",
		"toEnv":         ".env",
		"toEnvAbsolute": filepath.Join(project, ".env"),
		"src/toEnv":     "../.env",
		"toEnvChain":    "src/toEnv",
		"toSSH":         ".ssh",
		"toNewEnv":      ".env.new",
		"toHook":        ".git/hooks/x",
		"toHooks":       ".git/hooks",
		"toGit":         ".git",
		"toNewHook":     ".git/hooks/pre-commit",
		"toProcRoot":    "/proc/self/root",
		"toEnviron":     "/proc/self/environ",
		"toStdin":       "/dev/fd/0",
		"toZero":        "/dev/zero",
		"toTTY":         "/dev/tty",
		"toSneaky":      "src/../../secret.txt",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(project, ".git", "config"), filepath.Join(project, "hardlink")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(project, ".env"), filepath.Join(project, "src", "hardenv")); err != nil {
		t.Fatal(err)
	}
	return project, around
}

const (
	traversal = security.PathTraversal
	outside   = security.OutsideProjectRoot
	hidden    = security.BlockedPattern
	protected = security.ProtectedFile
	unsafe    = security.UnsafeName
)

// TestRoot_Escapes tries the known ways out of the project and around its rules: for reading, describing, listing and
// writing. A case without a reason has the code of an ordinary failure instead.
func TestRoot_Escapes(t *testing.T) {
	project, around := hostile(t)
	tests := []struct {
		what   string
		path   string
		reason security.Reason
		code   security.Code
	}{
		// Climbing out.
		{"parent", "..", traversal, ""},
		{"file beside the project", "../secret.txt", traversal, ""},
		{"climbing from below", "src/../../secret.txt", traversal, ""},
		{"climbing far", strings.Repeat("../", 40) + "etc/passwd", traversal, ""},
		{"climbing behind dots", "./././../secret.txt", traversal, ""},
		{"climbing behind double slashes", "src//..//..//secret.txt", traversal, ""},
		{"climbing through a missing directory", "missing/../../secret.txt", traversal, ""},
		{"leaving and coming back", "../project/notes.txt", traversal, ""},
		{"climbing out of an absolute path", "ROOT/../secret.txt", traversal, ""},
		{"climbing to a name with the same beginning", "../project-secret/key", traversal, ""},

		// Absolute paths.
		{"system file", "/etc/passwd", outside, ""},
		{"top", "/", outside, ""},
		{"directory with the same beginning", "ROOT-secret/key", outside, ""},
		{"process memory", "/proc/self/environ", outside, ""},
		{"root of the process", "/proc/self/root/etc/passwd", outside, ""},
		{"standard input", "/dev/fd/0", outside, ""},
		{"endless device", "/dev/zero", outside, ""},
		{"terminal", "/dev/tty", outside, ""},

		// Links that lead out.
		{"absolute link", "toAbsolute", outside, ""},
		{"relative link", "toRelative", outside, ""},
		{"chain of links", "toChain", outside, ""},
		{"chain through a directory", "toLongChain", outside, ""},
		{"link with a detour", "toSneaky", outside, ""},
		{"link to the parent", "toParent/secret.txt", outside, ""},
		{"link to the top", "toTop/etc/passwd", outside, ""},
		{"link to the top, through the project itself", "toTop" + filepath.ToSlash(around) + "/secret.txt", outside, ""},
		{"link to a directory with the same beginning", "toBeside/key", outside, ""},
		{"dangling link outside", "toDangling", outside, ""},
		{"link to itself", "toLoop", "", security.FileNotFound},
		{"links to each other", "toPing", "", security.FileNotFound},
		{"link to the root of the process", "toProcRoot/etc/passwd", outside, ""},
		{"link to the environment", "toEnviron", outside, ""},
		{"link to standard input", "toStdin", outside, ""},
		{"link to an endless device", "toZero", outside, ""},
		{"link to the terminal", "toTTY", outside, ""},

		// Secrets inside.
		{"secret", ".env", hidden, ""},
		{"secret in absolute words", "ROOT/.env", hidden, ""},
		{"secret of a kind", ".env.local", hidden, ""},
		{"secret that does not exist", ".env.production", hidden, ""},
		{"secret after cleaning", "src/../.env", hidden, ""},
		{"secret in another case", ".ENV", hidden, ""},
		{"secret in mixed case", ".Env.Local", hidden, ""},
		{"secret directory", ".ssh", hidden, ""},
		{"file in a secret directory", ".ssh/id_rsa", hidden, ""},
		{"file in a secret directory that does not exist", "deep/.ssh/known_hosts", hidden, ""},
		{"secret directory in another case", ".SSH/id_rsa", hidden, ""},
		{"key by its ending", "certs/a.pem", hidden, ""},
		{"key by its ending in another case", "certs/A.PEM", hidden, ""},
		{"secret in a subdirectory", "sub/.npmrc", hidden, ""},
		{"secret path", ".aws/credentials", hidden, ""},
		{"letter that folds to another", ".\u017fsh/id_rsa", hidden, ""},
		{"sign that folds to a letter", ".\u212aube/config", hidden, ""},
		{"selector that file systems ignore", ".e\ufe0fnv", hidden, ""},
		{"link to a secret", "toEnv", hidden, ""},
		{"absolute link to a secret", "toEnvAbsolute", hidden, ""},
		{"link out of a directory to a secret", "src/toEnv", hidden, ""},
		{"chain to a secret", "toEnvChain", hidden, ""},
		{"link to a secret directory", "toSSH/id_rsa", hidden, ""},
		{"missing file behind a link to a secret directory", "toSSH/missing", hidden, ""},
		{"dangling link to a secret", "toNewEnv", hidden, ""},
		{"hard link to a secret", "src/hardenv", hidden, ""},

		// Deceptive names.
		{"nothing", "", unsafe, ""},
		{"NUL", "notes.txt\x00.png", unsafe, ""},
		{"line break", "notes\n.txt", unsafe, ""},
		{"escape", "notes\x1b[2J.txt", unsafe, ""},
		{"delete", "notes\x7f.txt", unsafe, ""},
		{"C1 control", "notes\u0085.txt", unsafe, ""},
		{"right-to-left override", "notes\u202etxt.exe", unsafe, ""},
		{"isolate", "notes\u2066.txt", unsafe, ""},
		{"zero-width space", ".e\u200bnv", unsafe, ""},
		{"zero-width joiner", ".e\u200dnv", unsafe, ""},
		{"byte-order mark", "\ufeff.env", unsafe, ""},
		{"soft hyphen", ".e\u00adnv", unsafe, ""},
		{"tag character", ".env\U000e0041", unsafe, ""},
		{"filler", ".env\u3164", unsafe, ""},
		{"line separator", "a\u2028b", unsafe, ""},
		{"invalid UTF-8", "notes\xff.txt", unsafe, ""},
		{"overlong slash", "..\xc0\xafsecret.txt", unsafe, ""},
		{"overlong dot", "\xc0\xae\xc0\xae/secret.txt", unsafe, ""},
		{"surrogate in UTF-8", "notes\xed\xa0\x80.txt", unsafe, ""},
		{"network path", "//server/share/x", unsafe, ""},
		{"device path with slashes", "//?/C:/Windows", unsafe, ""},
		{"URL", "file:///etc/passwd", unsafe, ""},
		{"URL in capitals", "FILE://localhost/etc/passwd", unsafe, ""},
		{"other URL", "https://example.com/x", unsafe, ""},
		{"long name", strings.Repeat("a", 256), unsafe, ""},
		{"long path", strings.Repeat("a/", 2100), unsafe, ""},
		{"name of a file being written", "src/.dougu-tmp-0123456789abcdef0123456789abcdef", unsafe, ""},

		// Other spellings, on file systems of Windows, of names that a rule knows.
		{"trailing dot", ".env.", hidden, ""},
		{"trailing space", ".env ", hidden, ""},
		{"trailing dots and spaces", ".ENV. . .", hidden, ""},
		{"trailing space in a directory", ".ssh /config", hidden, ""},
		{"trailing dot in a directory of a path", ".aws./credentials", hidden, ""},
		{"default data stream", ".env::$DATA", hidden, ""},
		{"alternate data stream", "certs/a.pem:stream", hidden, ""},
		{"directory stream", ".ssh:$I30:$INDEX_ALLOCATION/config", hidden, ""},

		// Names that only look like a way out.
		{"three dots", ".../secret.txt", "", security.FileNotFound},
		{"dots and a space", ".. /secret.txt", "", security.FileNotFound},
		{"backslashes", `..\..\secret.txt`, "", security.FileNotFound},
		{"drive", `C:\Windows\win.ini`, "", security.FileNotFound},
		{"network path with backslashes", `\\server\share\x`, "", security.FileNotFound},
		{"device path", `\\?\C:\Windows`, "", security.FileNotFound},
		{"encoded dots", "%2e%2e/secret.txt", "", security.FileNotFound},
		{"encoded slash", "..%2fsecret.txt", "", security.FileNotFound},
		{"fullwidth dots", "．．/secret.txt", "", security.FileNotFound},
		{"fullwidth slash", "..／secret.txt", "", security.FileNotFound},
		{"two-dot leader", "‥/secret.txt", "", security.FileNotFound},
		{"home", "~/secret.txt", "", security.FileNotFound},
		{"home of root", "~root/secret.txt", "", security.FileNotFound},
		{"variable", "$HOME/secret.txt", "", security.FileNotFound},
		{"file as a directory", "notes.txt/../secret.txt", "", security.FileNotFound},
		{"below a file", "notes.txt/x", "", security.NotDirectory},
	}
	if len(tests) < 60 {
		t.Fatalf("only %d cases", len(tests))
	}
	r := open(t, quick, project)
	for _, tt := range tests {
		path := strings.ReplaceAll(tt.path, "ROOT", project)
		calls := []struct {
			name string
			call func() (string, error)
		}{
			{"read", func() (string, error) {
				content, _, err := r.ReadFile(t.Context(), path, 1<<20)
				return string(content), err
			}},
			{"stat", func() (string, error) {
				info, err := r.Stat(t.Context(), path)
				return info.Path, err
			}},
			{"list", func() (string, error) {
				d, err := r.OpenDir(t.Context(), path)
				if err == nil {
					d.Close()
				}
				return "", err
			}},
			{"write", func() (string, error) {
				result, err := r.Write(t.Context(), path, []byte("overwritten"), security.WriteOptions{Overwrite: true})
				return result.Path, err
			}},
		}
		for _, c := range calls {
			name := c.name
			got, err := c.call()
			if err == nil && name == "write" && tt.code == security.FileNotFound {
				continue // an odd name of a new file inside; checkUntouched runs below
			}
			if err == nil && name == "stat" && tt.what == "hard link to a secret" {
				continue // only a description
			}
			if err == nil {
				t.Errorf("%s: %s %q succeeded with %q", tt.what, name, tt.path, got)
				continue
			}
			e := asError(t, err)
			if tt.reason != "" && e.Reason != tt.reason && (name != "list" || e.Code != security.NotDirectory) {
				t.Errorf("%s: %s %q is refused as %s %q, want %q: %v", tt.what, name, tt.path, e.Code, e.Reason, tt.reason, e)
			}
			if tt.code != "" && e.Code != tt.code && name == "read" {
				t.Errorf("%s: %s %q is refused as %s, want %s: %v", tt.what, name, tt.path, e.Code, tt.code, e)
			}
			checkText(t, e, around, path)
		}
	}
	checkUntouched(t, around)
}

// checkText checks that an error has a next step and reveals nothing that the caller does not know.
func checkText(t *testing.T, e *security.Error, around, given string) {
	t.Helper()
	text := e.Error() + e.NextStep()
	if e.Error() == "" || e.NextStep() == "" {
		t.Errorf("%q: no help in %+v", given, e)
	}
	if strings.Contains(text, secret) || strings.Contains(text, around) && !strings.Contains(given, around) {
		t.Errorf("%q: the error tells too much: %s", given, text)
	}
	for _, r := range text {
		if r < ' ' || r == '\u202e' {
			t.Errorf("%q: the error repeats a control character: %q", given, text)
		}
	}
}

// checkUntouched checks that no attempt has written a file.
func checkUntouched(t *testing.T, around string) {
	t.Helper()
	want := map[string]string{
		"secret.txt": secret, "project-secret/key": secret, "project/.env": secret, "project/.ssh/id_rsa": secret,
		"project/.env.local": secret, "project/certs/a.pem": secret, "project/sub/.npmrc": secret, "project/.aws/credentials": secret,
		"project/.git/config": "[core]", "project/.git/hooks/x": "hook", "project/src/hardenv": secret,
	}
	for name, content := range want {
		if got := onDisk(t, around, name); got != content {
			t.Errorf("%s now holds %q", name, got)
		}
	}
	entries, err := os.ReadDir(around)
	if err != nil || len(entries) != 3 {
		t.Errorf("the directory around the project holds %v, %v", entries, err)
	}
}
