package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type lookArgs struct {
	Path  string `json:"path,omitempty" jsonschema:"default=."`
	Depth int    `json:"depth,omitempty" jsonschema:"default=1,enum=1,enum=2,enum=3"`
}

// house is a set of three tools, one of which waits for its door.
type house struct {
	name   string
	door   chan struct{}
	closed atomic.Bool
	fails  bool
}

func (h *house) Features() mcp.Features {
	return mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "look", Annotations: mcp.ReadOnly()}, func(_ context.Context, in lookArgs) (string, error) {
			return h.name + " " + in.Path + " " + strings.Repeat("*", in.Depth), nil
		}),
		mcp.NewTool(mcp.Tool{Name: "change"}, func(context.Context, struct{}) (string, error) { return h.name + " changed", nil }),
		mcp.NewTool(mcp.Tool{Name: "wait", Annotations: mcp.Additive()}, func(context.Context, struct{}) (string, error) {
			<-h.door
			if h.closed.Load() {
				return "", errors.New("the set was closed under a running call")
			}
			return h.name + " waited", nil
		}),
	}}
}

func (h *house) Close(context.Context) error {
	if h.closed.Swap(true) {
		return errors.New(h.name + " was closed twice")
	}
	if h.fails {
		return errors.New(h.name + " cannot be closed")
	}
	return nil
}

func newHouse(name string) *house { return &house{name: name, door: make(chan struct{})} }

// call calls a tool of a server and returns its text or error.
func call(srv *mcp.Server, name, args string) string {
	params := json.RawMessage(`{"name":"` + name + `","arguments":` + args + `}`)
	result, err := srv.Dispatch(context.Background(), &protocol.Request{Method: "tools/call", Params: params, Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if err != nil {
		return "error: " + err.Error()
	}
	return result.(*mcp.ToolResult).Blocks()[0].(mcp.TextContent).Text
}

func names(srv *mcp.Server) string {
	var all []string
	for _, tool := range srv.Tools() {
		all = append(all, tool.Name)
	}
	return strings.Join(all, " ")
}

func TestProfiles(t *testing.T) {
	for name, tc := range map[string]struct {
		profile tools.Profile
		listed  string
		calls   map[string]string // tool and arguments -> part of the answer
	}{
		"everything":    {tools.Profile{}, "look change wait", map[string]string{"look {}": "A . *"}},
		"some":          {tools.Profile{Allow: []string{"wait", "look"}}, "look wait", map[string]string{"change {}": "Unknown tool"}},
		"none":          {tools.Profile{Allow: []string{}}, "", nil},
		"all but one":   {tools.Profile{Deny: []string{"change"}}, "look wait", map[string]string{"change {}": "Unknown tool"}},
		"read-only":     {tools.Profile{ReadOnly: true}, "look", map[string]string{"change {}": "Unknown tool"}},
		"another name":  {tools.Profile{Aliases: map[string]string{"lookAt": "look"}}, "look change wait", map[string]string{`lookAt {"path":"x"}`: "A x *"}},
		"alias of none": {tools.Profile{Deny: []string{"look"}, Aliases: map[string]string{"lookAt": "look"}}, "change wait", map[string]string{"lookAt {}": "Unknown tool"}},
		"other defaults": {tools.Profile{
			Defaults: map[string]map[string]any{"look": {"depth": 3, "path": "/"}},
			Enums:    map[string]map[string][]any{"look": {"depth": {2, 3}}},
		}, "look change wait", map[string]string{"look {}": "A / ***", `look {"depth":1}`: "INVALID_PARAMS"}},
		"adapted": {tools.Profile{Deny: []string{"wait"}, Adapt: func(t mcp.ServerTool) mcp.ServerTool {
			return t.With(mcp.ToolOptions{InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)})
		}}, "look change", map[string]string{`look {"path":"x"}`: "A x", `look {"path":"x","depth":2}`: "INVALID_PARAMS", "look {}": "INVALID_PARAMS"}},
		"wrapped": {tools.Profile{Wrap: []mcp.ToolMiddleware{func(next mcp.RawHandler) mcp.RawHandler {
			return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				return mcp.Text("wrapped"), nil
			}
		}}}, "look change wait", map[string]string{"change {}": "wrapped"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
			installed, err := tools.Install(srv, "test", tc.profile, newHouse("A"))
			if err != nil {
				t.Fatal(err)
			}
			if got := names(srv); got != tc.listed {
				t.Errorf("listed %q, want %q", got, tc.listed)
			}
			for request, want := range tc.calls {
				tool, args, _ := strings.Cut(request, " ")
				if got := call(srv, tool, args); !strings.Contains(got, want) {
					t.Errorf("%s: %q, want %q", request, got, want)
				}
			}
			if err := installed.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if names(srv) != "" {
				t.Error("tools are left after Close")
			}
		})
	}
}

func TestInstall_InvalidProfile(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	a := newHouse("A")
	installed, err := tools.Install(srv, "test", tools.Profile{}, a)
	if err != nil {
		t.Fatal(err)
	}
	err = installed.Update(tools.Profile{
		Allow: []string{"lok"}, Deny: []string{"chnge"}, Aliases: map[string]string{"x": "none", "wait": "look"},
		Defaults: map[string]map[string]any{"look": {"deep": 1}, "lost": nil}, Enums: map[string]map[string][]any{"gone": nil},
	}, newHouse("B"))
	if err == nil {
		t.Fatal("the profile was taken")
	}
	for _, want := range []string{`"lok"`, `"chnge"`, `"none"`, `"wait"`, `deep`, `"lost"`, `"gone"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not mention %s", err, want)
		}
	}
	if got := call(srv, "look", "{}"); got != "A . *" || a.closed.Load() {
		t.Errorf("the failed update left %q, closed: %v", got, a.closed.Load())
	}
	if err := installed.Close(t.Context()); err != nil || !a.closed.Load() {
		t.Errorf("closing: %v", err)
	}
}

// A set that is replaced is closed when its last call has ended, no sooner, and
// calls that come meanwhile are the new one's.
func TestUpdate_ClosesOldSets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		a, b, kept := newHouse("A"), newHouse("B"), &cellar{}
		installed, err := tools.Install(srv, "test", tools.Profile{}, a, kept)
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan string, 1)
		go func() { waited <- call(srv, "wait", "{}") }()
		synctest.Wait()
		if err := installed.Update(tools.Profile{}, b, kept); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := call(srv, "look", "{}"); got != "B . *" || a.closed.Load() {
			t.Errorf("during the old call: %q, closed: %v", got, a.closed.Load())
		}
		close(a.door)
		if got := <-waited; got != "A waited" {
			t.Errorf("the old call: %q", got)
		}
		synctest.Wait()
		if !a.closed.Load() || kept.closed.Load() {
			t.Error("the old set must be closed, and the one that stays must not")
		}
		if err := installed.Close(t.Context()); err != nil || !b.closed.Load() || !kept.closed.Load() {
			t.Errorf("closing: %v", err)
		}
	})
}

// cellar is a set without tools.
type cellar struct{ closed atomic.Bool }

func (c *cellar) Features() mcp.Features      { return mcp.Features{} }
func (c *cellar) Close(context.Context) error { c.closed.Store(true); return nil }

func TestClose_Errors(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	a := newHouse("A")
	a.fails = true
	installed, err := tools.Install(srv, "test", tools.Profile{}, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := installed.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "A cannot be closed") {
		t.Errorf("closing: %v", err)
	}
}

func TestClose_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		a := newHouse("A")
		installed, err := tools.Install(srv, "test", tools.Profile{}, a)
		if err != nil {
			t.Fatal(err)
		}
		go call(srv, "wait", "{}")
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("in a hurry"))
		if err := installed.Close(ctx); err == nil || !strings.Contains(err.Error(), "in a hurry") || a.closed.Load() {
			t.Errorf("closing: %v, closed: %v", err, a.closed.Load())
		}
		close(a.door)
		synctest.Wait()
		if !a.closed.Load() {
			t.Error("the set was never closed")
		}
	})
}

func TestLimits(t *testing.T) {
	if got, want := (tools.Limits{}).WithDefaults(), (tools.Limits{Answer: 32 << 10, MaxAnswer: 10_000_000, MaxFile: 10 << 20}); got != want {
		t.Errorf("defaults are %+v, want %+v", got, want)
	}
	if got := (tools.Limits{Answer: 500, MaxAnswer: 100}).WithDefaults(); got.Answer != 100 {
		t.Errorf("an answer may have %d bytes, more than any", got.Answer)
	}
	if (tools.Env{}).Logger() == nil {
		t.Error("there is no logger")
	}
}

// A call that has found its tool before an exchange runs after it, if the set is still installed.
func TestInstallation_CallDuringExchange(t *testing.T) {
	kept, other := newHouse("A"), newHouse("B")
	var installed *tools.Installation
	var next []tools.Set
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Authorize: func(context.Context, *protocol.Request, mcp.ServerTool) error {
		return installed.Update(tools.Profile{}, next...) // after the look-up of the tool, before its call
	}})
	var err error
	if installed, err = tools.Install(srv, "test", tools.Profile{}, kept); err != nil {
		t.Fatal(err)
	}
	next = []tools.Set{kept}
	if got := call(srv, "look", `{}`); !strings.HasPrefix(got, "A ") {
		t.Errorf("after an exchange of the profile: %q", got)
	}
	next = []tools.Set{other}
	if got := call(srv, "look", `{}`); !strings.Contains(got, "UNAVAILABLE") || !strings.Contains(got, "call again") {
		t.Errorf("after an exchange of the set: %q", got)
	}
	if got := call(srv, "look", `{}`); !strings.HasPrefix(got, "B ") {
		t.Errorf("after that: %q", got)
	}
	if err := installed.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
