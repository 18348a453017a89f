package serverinstall_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

// The registry of npm serves the packages of a recipe with the checksums of its lock file.
func TestInstall_RealNPM(t *testing.T) {
	testrequire.Deep(t, has("npm"), "npm", "install Node.js with npm, and connect to the registry of npm")
	r, err := serverinstall.Find("yaml")
	must(t, err)
	i := &serverinstall.Installer{Dir: t.TempDir()}
	got, err := i.Install(t.Context(), r)
	must(t, err)
	// The server requires one of its transports.
	out, _ := exec.Command(got.Programs["yaml-language-server"]).CombinedOutput()
	if !strings.Contains(string(out), "Connection input stream is not set") {
		t.Errorf("the server prints %q", out)
	}
}

// A recipe is marked as tested if a test installs its real package.
func TestRecipes_Tested(t *testing.T) {
	var tested []string
	for _, r := range serverinstall.Recipes() {
		if r.Tested {
			tested = append(tested, r.Name)
		}
	}
	if want := []string{"yaml-language-server"}; !slices.Equal(tested, want) {
		t.Errorf("the recipes %q are marked, not %q", tested, want)
	}
}
