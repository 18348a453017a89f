package card_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/card"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// idle is an executor that runs no agents.
type idle struct{}

func (idle) Name() string                                     { return "idle" }
func (idle) Models(context.Context) ([]executor.Model, error) { return nil, nil }
func (idle) Close() error                                     { return nil }
func (idle) Role(string) (roles.Role, bool)                   { return roles.Role{ID: "r"}, true }
func (idle) Roles() []roles.Role                              { return nil }
func (idle) Run(ctx context.Context, _ executor.Spec, _ func(executor.Event)) (executor.Exit, error) {
	return executor.Exit{}, errors.New("it does nothing")
}

// newAgents returns a set of agents in a new directory.
func newAgents(t *testing.T) *agents.Agents {
	t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	a, err := agents.New(t.Context(), tools.Env{Root: root}, agents.Options{Executors: []executor.Executor{idle{}}, Roles: idle{}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Tools about agents show the page, and the page may call only the tools that it needs.
func TestAddCard_Visibility(t *testing.T) {
	a := newAgents(t)
	set, err := card.AddCard(a)
	if err != nil {
		t.Fatal(err)
	}
	var offer mcp.ServerOptions
	apps.Offer(&offer)
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &offer)
	installed, err := tools.Install(srv, "agents", tools.Profile{NoOutputSchemas: true}, set)
	if err != nil {
		t.Fatal(err)
	}
	var shows mcp.ClientOptions
	apps.Declare(&shows)
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "host", Version: "1"}, &shows)
	if err != nil {
		t.Fatal(err)
	}
	var shown, called []string
	for tool, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if !apps.VisibleTo(tool, apps.Model) {
			t.Errorf("%s is not for models", tool.Name)
		}
		if apps.VisibleTo(tool, apps.App) {
			called = append(called, tool.Name)
		}
		if uri, ok := apps.URI(tool); ok {
			shown = append(shown, tool.Name)
			view, err := apps.Read(t.Context(), client, tool)
			if err != nil || uri != card.URI || view.HTML != card.HTML() || view.Allow != "" || len(view.CSP.Connect)+len(view.CSP.Resource)+len(view.CSP.Frame)+len(view.CSP.BaseURI) > 0 {
				t.Errorf("%s: %+v, %v", tool.Name, view, err)
			}
		}
	}
	slices.Sort(shown)
	slices.Sort(called)
	if got := strings.Join(shown, " "); got != "get_agent_status list_agents run_agent send_followup wait_agent" {
		t.Errorf("it is shown by %s", got)
	}
	if got := strings.Join(called, " "); got != "cancel_agent get_agent_status list_agents" {
		t.Errorf("it may call %s", got)
	}
	if _, err := apps.Call(t.Context(), client, "run_agent", nil, nil); err == nil {
		t.Error("the page may start agents")
	}
	if result, err := apps.Call(t.Context(), client, "list_agents", nil, nil); err != nil || result.Structured == nil {
		t.Errorf("the page is told %+v, %v", result, err)
	}
	for _, end := range []func() error{client.Close, func() error { return installed.Close(t.Context()) }} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
}

// Except for the page, the tools are unchanged.
func TestAddCard_KeepsTools(t *testing.T) {
	a := newAgents(t)
	defer a.Close(t.Context())
	set, err := card.AddCard(a)
	if err != nil {
		t.Fatal(err)
	}
	before, after := a.Features(), set.Features()
	if len(before.Resources) != 0 || len(after.Resources) != 1 || len(before.Tools) != len(after.Tools) {
		t.Fatalf("%d tools and %d resources have become %d and %d", len(before.Tools), len(before.Resources), len(after.Tools), len(after.Resources))
	}
	for i, tool := range before.Tools {
		old, now := tool.Tool(), after.Tools[i].Tool()
		if len(old.Meta) != 0 {
			t.Errorf("%s itself has become %v", old.Name, old.Meta)
		}
		meta := maps.Clone(now.Meta)
		now.Meta = nil
		one, _ := json.Marshal(old)
		other, _ := json.Marshal(now)
		if string(one) != string(other) || meta["ui"] == nil {
			t.Errorf("%s has become %s", one, other)
		}
	}
}

// broken is an invalid tool set.
type broken struct{ tools.Set }

func (broken) Features() mcp.Features {
	return mcp.Features{Tools: []mcp.ServerTool{mcp.NewRawTool(mcp.Tool{Name: "run_agent"}, nil)}}
}

func TestAddCard_BrokenSet(t *testing.T) {
	if _, err := card.AddCard(broken{}); err == nil || !strings.Contains(err.Error(), "run_agent") {
		t.Errorf("%v", err)
	}
}

// The page matches its source, is small, and loads nothing from the network.
func TestHTML_Content(t *testing.T) {
	built, err := os.ReadFile("web/dist/card.html")
	if err != nil || string(built) != card.HTML() {
		t.Fatal("the page is not what was built: ", err)
	}
	if n := len(built); n > 60_000 {
		t.Errorf("it has %d bytes", n)
	}
	text := strings.ReplaceAll(string(built), "http://www.w3.org/2000/svg", "")
	for _, no := range []string{"http:", "https:", "innerHTML", "eval(", "@import", "url(", "localStorage"} {
		if strings.Contains(text, no) {
			t.Errorf("it has %s in it", no)
		}
	}
	if !strings.Contains(text, `content="default-src 'none'; script-src 'sha256-`) {
		t.Error("it lets more run than its own script")
	}
}
