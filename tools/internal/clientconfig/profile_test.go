package clientconfig_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

func TestClient_LocateProfile(t *testing.T) {
	d := newDesk(t)
	e := clientconfig.Environment{GOOS: "linux", Home: d.home}
	const user = ".config/Code/User/"
	if at, err := client(t, "vscode").LocateProfile(e, "Default"); err != nil || at.File != d.file(user+"mcp.json") {
		t.Errorf("without profiles: %s, %v", at.File, err)
	}
	d.write(user+"globalStorage/storage.json", `{"userDataProfiles": [
		{"name": "Work", "location": "-6b3f", "icon": "x"},
		{"name": "Old", "location": {"$mid": 1, "path": "/home/me/.config/Code/User/profiles/5a", "scheme": "file"}},
		{"name": "Shared", "location": "77", "useDefaultFlags": {"mcp": true}},
		{"name": "Evil", "location": ".."}, {"name": "None", "location": 7}]}`)
	for profile, want := range map[string]string{"Default": "mcp.json", "Work": "profiles/-6b3f/mcp.json", "Old": "profiles/5a/mcp.json", "Shared": "mcp.json"} {
		at, err := client(t, "vscode").LocateProfile(e, profile)
		if err != nil || at.File != filepath.Join(d.home, filepath.FromSlash(user+want)) || at.Scope != clientconfig.User {
			t.Errorf("%s: %s, scope %d, %v", profile, at.File, at.Scope, err)
		}
	}
	for profile, want := range map[string]string{"Evil": "is not known", "None": "is not known", "Home": "known are Default, Work, Old"} {
		if _, err := client(t, "vscode").LocateProfile(e, profile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", profile, err)
		}
	}
	if _, err := client(t, "cursor").LocateProfile(e, "Work"); err == nil || !strings.Contains(err.Error(), "vscode-insiders") {
		t.Errorf("%v", err)
	}
	d.write(user+"globalStorage/storage.json", "{")
	if _, err := client(t, "vscode").LocateProfile(e, "Work"); err == nil {
		t.Error("a broken file")
	}
}
