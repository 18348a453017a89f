package agents_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/transport"
)

// Results match the output schemas, and a waiting client receives progress.
func TestServer_Client(t *testing.T) {
	c := newFixture(t, agents.Options{})
	gate := make(chan struct{})
	c.stage.on("@work", succeedAfter(gate))
	server := mcp.NewServer(mcp.Implementation{Name: "crew", Version: "1"}, nil)
	if _, err := tools.Install(server, "agents", tools.Profile{}, c.Agents); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: server}, mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{CheckResults: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	call := func(name string, args any, o *mcp.CallOptions) map[string]any {
		t.Helper()
		r, err := client.CallTool(t.Context(), name, args, o)
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		var got map[string]any
		if err := json.Unmarshal(r.Structured, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	group := call("create_group", agents.GroupArgs{Description: "a test"}, nil)["groupId"].(string)
	id := call("run_agent", agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "@work"}, nil)["agentId"].(string)
	call("get_agent_status", agents.StatusArgs{AgentID: id}, nil)
	heard := make(chan string, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		call("wait_agent", agents.WaitArgs{AgentIDs: []string{id}}, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { heard <- p.Message }})
	}()
	select {
	case message := <-heard:
		if !strings.HasPrefix(message, id+": ") {
			t.Errorf("the progress is %q", message)
		}
	case <-time.After(time.Minute):
		t.Error("nothing is heard")
	}
	close(gate)
	<-done
	call("report_result", agents.ReportArgs{AgentID: id, Status: "success", Summary: "s", EditedFiles: []string{"a"}}, nil)
	call("get_agent_status", agents.StatusArgs{AgentID: id}, nil)
	call("list_agents", agents.ListArgs{}, nil)
	call("list_roles", agents.RolesArgs{}, nil)
	call("get_agent_output", agents.OutputArgs{AgentID: id}, nil)
	call("cancel_agent", agents.CancelArgs{AgentID: id}, nil)
	call("send_followup", agents.FollowupArgs{AgentID: id, Prompt: "go on"}, nil)
	call("delete_group", agents.DeleteGroupArgs{GroupID: group, Force: true}, nil)
}
