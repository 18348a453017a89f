package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// serveChild runs the Child server of an agent, which forwards calls to its parent.
func serveChild() int {
	ctx := context.Background()
	client, err := mcp.Connect(ctx, &httpclient.Client{
		URL:   os.Getenv(agents.EnvParentURL),
		Token: func(context.Context, *httpclient.StatusError) (string, error) { return os.Getenv(agents.EnvToken), nil },
	}, mcp.Implementation{Name: "child", Version: "1"}, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer client.Close()
	server := mcp.NewServer(mcp.Implementation{Name: "child", Version: "1"}, nil)
	var features mcp.Features
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		features.Tools = append(features.Tools, mcp.NewRawTool(tool, func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			return client.CallTool(ctx, tool.Name, args, nil)
		}))
	}
	if err := server.Replace("child", features); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := transport.ServeStdio(ctx, server, nil); err != nil {
		return 1
	}
	return 0
}

// serveParent serves the nested tools over HTTP to agents with a token.
func serveParent(t *testing.T) (url string, serve func(c fixture)) {
	server := mcp.NewServer(mcp.Implementation{Name: "home", Version: "1"}, nil)
	handler := httpserver.NewHandler(server, nil)
	var known func(string) (string, bool)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		id, ok := known(token)
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r.WithContext(protocol.WithPrincipal(r.Context(), id)))
	}))
	t.Cleanup(func() {
		if err := handler.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		front.Close()
	})
	return front.URL, func(c fixture) {
		known = c.AgentByToken
		server.Use(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
				return next(agents.WithCaller(ctx, req.Peer.Principal), req)
			}
		})
		if _, err := tools.Install(server, "agents", tools.Profile{}, c.NestedTools()); err != nil {
			t.Fatal(err)
		}
	}
}

// newReplayFixture returns a set that replays recordings with real processes, without delays.
func newReplayFixture(t *testing.T, dir string, o agents.Options, p command.Options) fixture {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Env = append(os.Environ(), "FAKEAGENT_SPEED=0")
	x, err := cursor.New(cursor.Options{Program: program, Args: []string{"fakeagent"}, ConfigDir: t.TempDir(), Process: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	o.Executors = []executor.Executor{x}
	if o.Child.ParentURL != nil {
		o.Child.Command, o.Child.Args = program, []string{"child"}
	}
	return newFixtureIn(t, dir, o)
}

func TestReplay_Recorded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recordings end as on Unix")
	}
	url, serve := serveParent(t)
	dir := newRepository(t, "README")
	c := newReplayFixture(t, dir, agents.Options{Child: agents.Child{ParentURL: func() string { return url }}}, command.Options{Farewell: 100 * time.Millisecond, Grace: 100 * time.Millisecond, Begin: time.Minute})
	serve(c)
	group := c.group(t)
	for _, tc := range []struct {
		recording string
		timeout   int64
		status    record.Status
		outcome   record.Status
		says      string
		changes   string
	}{
		{"normal", 0, record.Completed, record.Completed, "", ""},
		{"partial", 0, record.Completed, record.Completed, "", ""},
		{"edits", 0, record.Completed, record.Completed, "The greeting is there.", "created src/greet.go (stream git)"},
		{"report", 0, record.ResultReported, record.Completed, "One file was written.", "created report.txt (stream git report)"},
		{"noexit", 0, record.Completed, record.Completed, "All is done.", ""},
		{"noresult", 0, record.Failed, record.Failed, "", ""},
		{"plainerror", 0, record.Failed, record.Failed, "", ""},
		{"nomodel", 0, record.Failed, record.Failed, "", ""},
		{"garbage", 0, record.Completed, record.Completed, "", ""},
		{"silent", 1000, record.TimedOut, record.TimedOut, "", ""},
		{"stubborn", 1000, record.TimedOut, record.TimedOut, "", ""},
		{"strays", 0, record.Completed, record.Completed, "", ""},
	} {
		t.Run(tc.recording, func(t *testing.T) {
			id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "[fake:" + tc.recording + "]", TimeoutMs: tc.timeout})
			c.end(t, id)
			s := c.status(t, id)
			if s.Status != tc.status || s.Outcome != tc.outcome || (tc.outcome == record.Completed) != (s.ErrorMessage == "") {
				t.Fatalf("it is %s, %s: %s\n%+v", s.Status, s.Outcome, s.ErrorMessage, s.Result)
			}
			if tc.says != "" && s.Result.Summary != tc.says {
				t.Errorf("it says %q", s.Result.Summary)
			}
			if got := changesText(s.Result); tc.changes != "" && got != tc.changes {
				t.Errorf("it has changed %s", got)
			}
			checkHistory(t, c, id)
		})
	}
	t.Run("nested", func(t *testing.T) {
		git(t, dir, "clean", "--quiet", "-fd")
		id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "[fake:nested]"})
		c.end(t, id)
		agent, err := c.memory.Agent(t.Context(), id)
		if err != nil || agent.Status != record.ResultReported || agent.Report.Via != "call" || agent.Result.Summary != "One file was written." {
			t.Fatalf("%+v, %+v, %v", agent, agent.Report, err)
		}
		last := agent.RecentToolCalls[len(agent.RecentToolCalls)-1]
		if last.Failed || last.Type != "mcpToolCall" {
			t.Errorf("the call is %+v", last)
		}
	})
	t.Run("followup", func(t *testing.T) {
		first := c.run(t, agents.RunArgs{GroupID: group, Prompt: "[fake:normal]"})
		c.end(t, first)
		r, err := c.Followup(t.Context(), agents.FollowupArgs{AgentID: first, Prompt: "[fake:normal]"})
		if err != nil {
			t.Fatal(err)
		}
		c.end(t, r.AgentID)
		if one, two := c.status(t, first), c.status(t, r.AgentID); one.SessionID == "" || one.SessionID != two.SessionID {
			t.Errorf("the sessions are %q and %q", one.SessionID, two.SessionID)
		}
	})
}

// Many concurrent processes leave no resources behind.
func TestReplay_Concurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	c := newReplayFixture(t, t.TempDir(), agents.Options{MaxConcurrent: 20}, command.Options{Begin: time.Minute})
	group := c.group(t)
	before := descriptors(t)
	var ids []string
	for range 100 {
		ids = append(ids, c.run(t, agents.RunArgs{GroupID: group, Prompt: "[fake:ok]"}))
	}
	for _, e := range c.end(t, ids...).Completed {
		if e.Status != record.Completed {
			t.Errorf("%+v", e)
		}
	}
	if after := descriptors(t); after > before+10 {
		t.Errorf("%d descriptors were open before, %d after", before, after)
	}
}

// descriptors returns the number of open files, or 0 where the system does not report it.
func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
