package apps

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/test/e2e/browser"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/tools/agents/card"
	"github.com/dougu-go/dougu/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestApps runs the suites of this directory: live.test.mjs with the example and recorded agents, hostile.test.mjs without a
// server. Screenshots go to the directory DOUGU_SCREENSHOTS.
func TestApps(t *testing.T) {
	suites := browser.Need(t, "@modelcontextprotocol/ext-apps", "playwright-core", "axe-core", "esbuild")
	dir := t.TempDir()
	kuromajutsu, fakeagent := filepath.Join(dir, "kuromajutsu.exe"), filepath.Join(dir, "fakeagent.exe")
	for program, pkg := range map[string]string{kuromajutsu: "examples/kuromajutsu", fakeagent: "tools/agents/replay/fakeagent"} {
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/dougu-go/dougu/"+pkg).CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", pkg, err, out)
		}
	}
	policy := testView(t, kuromajutsu, fakeagent)
	suites.Run(t, []string{"DOUGU_KUROMAJUTSU=" + kuromajutsu, "DOUGU_FAKEAGENT=" + fakeagent, "DOUGU_APPS_POLICY=" + policy},
		func(*testing.T, string) {})
}

// testView reads the card like a host in Go and returns the content security policy for the browser. The card is served only if it
// is enabled.
func testView(t *testing.T, kuromajutsu, fakeagent string) (policy string) {
	t.Helper()
	for _, on := range []bool{false, true} {
		home := t.TempDir()
		server := transport.Command{
			Path: kuromajutsu, Args: []string{"-root", t.TempDir(), "-port", "0", "-agent-cursor-program", fakeagent},
			Env: []string{"HOME=" + home, "XDG_STATE_HOME=" + home, "FAKEAGENT_SPEED=0"},
		}
		if on {
			server.Args = append(server.Args, "-apps")
		}
		o := &mcp.ClientOptions{Timeout: time.Minute}
		apps.Declare(o)
		client, err := mcp.Connect(t.Context(), server, mcp.Implementation{Name: "e2e", Version: "1.0.0"}, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, offered := client.Server().Capabilities.Extensions[apps.ID]; offered != on {
			t.Errorf("-apps=%v: the extension is offered: %v", on, offered)
		}
		for tool, err := range client.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			uri, shows := apps.URI(tool)
			if shows != (on && strings.Contains("run_agent send_followup wait_agent list_agents get_agent_status", tool.Name)) || shows && uri != card.URI {
				t.Errorf("-apps=%v: %s shows %q", on, tool.Name, uri)
			}
			if !shows || policy != "" {
				continue
			}
			view, err := apps.Read(t.Context(), client, tool)
			if err != nil || view.HTML != card.HTML() || len(view.Refused) > 0 || view.Allow != "" {
				t.Fatalf("the page of %s: %+v, %v", tool.Name, view, err)
			}
			policy = view.Policy
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
	return policy
}
