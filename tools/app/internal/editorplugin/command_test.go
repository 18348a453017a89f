//go:build unix

package editorplugin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/editor/neovim/plugin"
)

func TestInstallExtension(t *testing.T) {
	m := newMachine(t)
	program := m.add("code")
	apptest.Contains(t, m.mustRun("install-extension", "-dry-run"), "Visual Studio Code: "+program+" --install-extension dougu-1.2.3.vsix --force", "Nothing was done")
	if m.get("installed") != "" {
		t.Error("a dry run installs")
	}
	m.mustFail(1, []string{"install-extension"}, "nothing was done", "add -yes")
	apptest.Contains(t, m.mustRun("install-extension", "vscode", "-yes"), "version 1.2.3 is installed", "Developer: Reload Window")
	if m.get("installed") != "1.2.3" || m.get("signature") != "PK" {
		t.Errorf("version %q is installed, from a file that begins with %q", m.get("installed"), m.get("signature"))
	}
	calls := strings.Split(m.get("calls"), "\n")
	install := calls[len(calls)-2]
	if file, ok := strings.CutPrefix(install, "--install-extension "); !ok || !strings.HasSuffix(file, "/dougu-1.2.3.vsix --force") || calls[len(calls)-1] != "--list-extensions --show-versions" {
		t.Errorf("the calls are %q", calls)
	} else if _, err := os.Stat(filepath.Dir(file)); err == nil {
		t.Errorf("the temporary directory of %s is left", file)
	}
	apptest.Contains(t, m.mustRun("install-extension", "-yes"), "version 1.2.3 is installed")
	m.set("installed", "1.2.2")
	apptest.Contains(t, m.mustRun("install-extension", "-yes"), "replaces version 1.2.2")
	apptest.Contains(t, m.mustRun("uninstall-extension", "-yes"), "remove version 1.2.3", "it is removed")
	apptest.Contains(t, m.mustRun("uninstall-extension", "-yes"), "it is not installed")
	if m.get("installed") != "" {
		t.Error("it is still installed")
	}
}

func TestInstallExtension_SeveralEditors(t *testing.T) {
	m := newMachine(t)
	for _, command := range []string{"code", "codium", "cursor", "windsurf", "code-insiders", "code-server"} {
		m.add(command)
	}
	// They share the directory of the stand-ins, and so the extension.
	apptest.Contains(t, m.mustRun("install-extension", "-dry-run"), "Visual Studio Code:", "Visual Studio Code Insiders:", "VSCodium:", "Cursor:", "Windsurf:", "code-server:")
	out := m.mustRun("install-extension", "-dry-run", "cursor", "vscodium")
	if strings.Contains(out, "Windsurf") || !strings.Contains(out, "Cursor:") || !strings.Contains(out, "VSCodium:") {
		t.Errorf("not the named editors:\n%s", out)
	}
}

func TestInstallExtension_Neovim(t *testing.T) {
	m := newMachine(t)
	m.add("nvim")
	dir := filepath.Join(m.Home, ".local", "share", "nvim", "site", "pack", "dougu", "start", "dougu")
	apptest.Contains(t, m.mustRun("install-extension", "neovim", "-yes"), "copy the plugin to "+dir, "version 1.2.3 is installed", "lazy.nvim")
	if version, err := plugin.Version(dir); version != "1.2.3" || err != nil {
		t.Errorf("%q, %v", version, err)
	}
	if m.get("calls") != "" {
		t.Errorf("Neovim was run: %s", m.get("calls"))
	}
	apptest.Contains(t, m.mustRun("uninstall-extension", "neovim", "-yes"), "remove version 1.2.3")
	if _, err := os.Stat(filepath.Join(m.Home, ".local", "share", "nvim", "site", "pack")); err == nil {
		t.Error("directories are left")
	}
	apptest.Write(t, dir, map[string]string{"lua/mine.lua": "mine"})
	m.mustFail(1, []string{"install-extension", "-yes"}, "other files", "move "+dir+" away")
	m.variables["XDG_DATA_HOME"], m.variables["NVIM_APPNAME"] = filepath.Join(m.dir, "data"), "other"
	apptest.Contains(t, m.mustRun("install-extension", "-dry-run"), filepath.Join(m.dir, "data", "other", "site"))
}

func TestInstallExtension_Output(t *testing.T) {
	m := newMachine(t)
	file := filepath.Join(m.dir, "dougu.vsix")
	apptest.Contains(t, m.mustRun("install-extension", "-output", file), file+" has version 1.2.3")
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "PK") {
		t.Errorf("the file is %.10q, %v", text, err)
	}
	dry := filepath.Join(m.dir, "dry.vsix")
	apptest.Contains(t, m.mustRun("install-extension", "-output", dry, "-dry-run"), "would write version 1.2.3 to "+dry)
	if _, err := os.Stat(dry); err == nil {
		t.Error("a dry run writes the file")
	}
	m.mustFail(2, []string{"install-extension", "-output", file, "vscode"}, "installs nothing")
	m.mustFail(1, []string{"install-extension", "-output", filepath.Join(m.dir, "none", "x.vsix")}, "none")
}

func TestInstallExtension_NoEditor(t *testing.T) {
	m := newMachine(t)
	m.mustFail(1, []string{"install-extension"}, "no editor was found", "-output dougu.vsix")
	m.mustFail(1, []string{"install-extension", "cursor"}, "Cursor was not found", "add its directory to PATH", "-output dougu.vsix")
	m.mustFail(1, []string{"uninstall-extension", "neovim"}, "Neovim was not found", "add its directory to PATH")
	m.mustFail(2, []string{"install-extension", "emacs"}, `there is no editor "emacs"`, "code-server")
}

// A named editor that is missing does not keep the extension from another.
func TestInstallExtension_OneMissing(t *testing.T) {
	m := newMachine(t)
	m.add("code")
	m.mustFail(1, []string{"install-extension", "cursor", "vscode", "-yes"}, "Cursor was not found")
	if m.get("installed") != "1.2.3" {
		t.Error("it is not installed in the other editor")
	}
}

func TestInstallExtension_OnlySkipped(t *testing.T) {
	m := newMachine(t)
	m.variables["PATH"] = filepath.Join(m.dir, "remote-cli")
	m.add("code")
	m.mustFail(1, []string{"install-extension"}, "none of the editors that were found can be used", "works only in a terminal")
	m.mustFail(1, []string{"install-extension", "vscode"}, "works only in a terminal")
}

// Programs that fail, lie or print garbage never lead to a report of success.
func TestInstallExtension_FaultyProgram(t *testing.T) {
	for mode, says := range map[string]string{
		"fail":        "no room",
		"garbage":     "does not list the extension",
		"refuse":      "Extension is not compatible",
		"refuse-late": "it said nothing",
		"other":       "lists version 0.0.1 after the installation of version 1.2.3",
	} {
		t.Run(mode, func(t *testing.T) {
			m := newMachine(t)
			m.add("code")
			m.set("mode", mode)
			code, out, errs := m.run("install-extension", "-yes")
			if code != 1 || strings.Contains(out, "is installed") || len(errs) > 3000 || strings.Contains(errs, "\x1b") || !utf8.ValidString(errs) {
				t.Errorf("exit code %d\n%s%q", code, out, errs)
			}
			apptest.Contains(t, errs, "Visual Studio Code: ", says)
		})
	}
	m := newMachine(t)
	m.add("code")
	m.set("installed", "1.2.3")
	m.set("mode", "keep")
	m.mustFail(1, []string{"uninstall-extension", "-yes"}, "lists version 1.2.3 of the extension after it was uninstalled")
}

// A failure in one editor does not keep the extension from another.
func TestInstallExtension_OneFails(t *testing.T) {
	m := newMachine(t)
	m.add("code")
	m.set("mode", "fail")
	m.add("codium", m.Home, ".local", "bin")
	m.List = func(dir string) []string {
		entries, _ := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	code, out, errs := m.run("install-extension", "vscode", "vscodium", "-yes")
	if code != 1 || !strings.Contains(out, "VSCodium: version 1.2.3 is installed") || !strings.Contains(errs, "no room") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func TestNames(t *testing.T) {
	if names := Names(); !slices.Contains(names, "vscode") || !slices.Contains(names, "neovim") {
		t.Errorf("%q", names)
	}
}
