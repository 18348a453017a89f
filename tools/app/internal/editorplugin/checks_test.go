//go:build unix

package editorplugin

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
)

func TestChecks(t *testing.T) {
	m := newMachine(t)
	checks := func() []app.Check { return Checks(t.Context(), m.newApp(), "1.2.3") }
	if all := checks(); len(all) > 0 {
		t.Errorf("without an editor: %+v", all)
	}
	m.add("code")
	for _, tc := range []struct {
		installed, mode string
		status          app.Status
		detail, next    string
	}{
		{"", "", app.Unused, "not installed", `"prog install-extension vscode" installs it`},
		{"1.2.3", "", app.OK, "version 1.2.3, by ", ""},
		{"1.2.3-rc.1", "", app.Warning, "version 1.2.3-rc.1 is older than this program, 1.2.3", "updates it"},
		{"1.10.0", "", app.Warning, "version 1.10.0 is newer than this program, 1.2.3", "Update prog"},
		{"1.2.3", "fail", app.Warning, "no room", "install-extension vscode"},
		{"1.2.3", "garbage", app.Unused, "not installed", "install-extension vscode"},
	} {
		m.set("installed", tc.installed)
		m.set("mode", tc.mode)
		all := checks()
		if len(all) != 1 || all[0].Name != "vscode extension" || all[0].Status != tc.status || !strings.Contains(all[0].Detail, tc.detail) || !strings.Contains(all[0].Next, tc.next) || (tc.next == "") != (all[0].Next == "") {
			t.Errorf("%s %s: %+v", tc.installed, tc.mode, all)
		}
	}
	m.set("mode", "")
	m.add("nvim")
	if all := checks(); len(all) != 2 || all[1].Status != app.Unused || !strings.Contains(all[1].Detail, "needed only for Neovim with --listen") {
		t.Errorf("%+v", all)
	}
}

func TestCompareVersions(t *testing.T) {
	sorted := []string{"0.1.0", "0.2.0-rc.1", "0.2.0-rc.2", "0.2.0-rc.10", "0.2.0-rc.10.x", "0.2.0", "0.10.0", "1.0.0-1", "1.0.0-alpha", "1.0.0", "10.0.0"}
	if !slices.IsSortedFunc(sorted, compareVersions) {
		t.Error("versions have another order")
	}
	for _, v := range sorted {
		if compareVersions(v, v) != 0 {
			t.Errorf("%s is not equal to itself", v)
		}
	}
}
