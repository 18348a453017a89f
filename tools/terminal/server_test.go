package terminal_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
	"github.com/dougu-go/dougu/transport"
)

// connect serves the tools of a project to a client.
func (p project) connect(t *testing.T) *mcp.Client {
	t.Helper()
	server := mcp.NewServer(mcp.Implementation{Name: "terminal", Version: "1"}, nil)
	if _, err := tools.Install(server, "terminal", tools.Profile{}, p.Terminal); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: server}, mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{CheckResults: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// A client receives progress of a long command, and the result fits its schema.
func TestServer_Progress(t *testing.T) {
	p := newProject(t, setup{})
	client := p.connect(t)
	var once sync.Once
	said := ""
	r, err := client.CallTool(t.Context(), "execute_command", terminal.CommandArgs{Command: "echo working hard; while ! test -e go; do sleep 0.05; done; echo done"}, &mcp.CallOptions{
		OnProgress: func(n protocol.ProgressNotification) {
			if n.Message == "" {
				return
			}
			once.Do(func() {
				said = n.Message
				if err := os.WriteFile(p.dir+"/go", nil, 0o644); err != nil {
					t.Error(err)
				}
			})
		},
	})
	if err != nil || r.IsError || !strings.HasSuffix(toolsettest.Text(t, r), "working hard\ndone\n") {
		t.Fatalf("got %+v, %v", r, err)
	}
	if said != "working hard" {
		t.Errorf("the progress was %q", said)
	}
}

// A cancelled call ends the command.
func TestServer_Cancellation(t *testing.T) {
	p := newProject(t, setup{})
	client := p.connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.CallTool(ctx, "execute_command", terminal.CommandArgs{Command: "echo $$ >pid; sleep 1000"}, nil)
	}()
	pid := awaitFile(t, p.dir+"/pid")
	cancel()
	<-done
	awaitDeath(t, pid)
}
