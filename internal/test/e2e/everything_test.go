//lint:file-ignore SA1019 sampling and roots are deprecated, and tested all the same

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// TestServerEverything uses the reference server with every feature of the protocol, over each of its transports.
func TestServerEverything(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	script := filepath.Join("node", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	listening := func(t *testing.T, kind, path string) protocol.Transport {
		port := freePort(t)
		cmd := exec.Command(node, script, kind)
		cmd.Env = append(os.Environ(), "PORT="+port)
		runServer(t, cmd, "127.0.0.1:"+port)
		return &httpclient.Client{URL: "http://127.0.0.1:" + port + path}
	}
	for name, transport := range map[string]func(t *testing.T) protocol.Transport{
		"stdio": func(*testing.T) protocol.Transport {
			return transport.Command{Path: node, Args: []string{script, "stdio"}}
		},
		"http": func(t *testing.T) protocol.Transport { return listening(t, "streamableHttp", "/mcp") },
		"sse":  func(t *testing.T) protocol.Transport { return listening(t, "sse", "/sse") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visitEverything(t, transport(t))
		})
	}
}

// visitor is a client that records notifications and questions.
type visitor struct {
	*mcp.Client
	logs chan protocol.LogNotification
}

func visitEverything(t *testing.T, tr protocol.Transport) {
	v := newVisitor(t, tr, "")
	if got := v.Server().Server.Name; v.Revision() != protocol.Rev20251125 || got != "mcp-servers/everything" {
		t.Errorf("connected to %q at %s", got, v.Revision())
	}
	v.lookAround(t)
}

// newVisitor connects a visitor, in a revision if one is named.
func newVisitor(t *testing.T, tr protocol.Transport, rev protocol.Revision) visitor {
	t.Helper()
	v := visitor{logs: make(chan protocol.LogNotification, 100)}
	options := answering()
	options.LogLevel = protocol.LevelDebug
	options.OnLog = func(n protocol.LogNotification) {
		select {
		case v.logs <- n:
		default: // further notifications are not needed
		}
	}
	options.CheckResults = true
	options.Revision = rev
	v.Client = connect(t, tr, options)
	return v
}

// lookAround uses all features, except the ones in without.
func (v visitor) lookAround(t *testing.T, without ...string) {
	for _, check := range []struct {
		name string
		run  func(t *testing.T, v visitor)
	}{
		{"tools", visitTools}, {"content", visitContent}, {"refusals", visitRefusals},
		{"resources", visitResources}, {"prompts", visitPrompts}, {"completion", visitCompletion},
		{"progress", visitProgress}, {"subscription", visitSubscription}, {"logging", visitLogging},
		{"questions", visitQuestions},
	} {
		if !slices.Contains(without, check.name) {
			t.Run(check.name, func(t *testing.T) { check.run(t, v) })
		}
	}
}

func visitTools(t *testing.T, v visitor) {
	names := all(t, v.Tools(t.Context()), func(tool mcp.Tool) string { return tool.Name })
	for _, wanted := range []string{"echo", "get-sum", "trigger-elicitation-request", "trigger-sampling-request"} {
		if !slices.Contains(names, wanted) {
			t.Errorf("%s is not among the tools %q", wanted, names)
		}
	}
	if text, err := mcp.Call[string](t.Context(), v.Client, "echo", map[string]string{"message": "道具"}); err != nil || text != "Echo: 道具" {
		t.Errorf("echo: %q, %v", text, err)
	}
	type weather struct {
		Temperature float64 `json:"temperature"`
		Conditions  string  `json:"conditions"`
	}
	got, err := mcp.Call[weather](t.Context(), v.Client, "get-structured-content", map[string]string{"location": "Chicago"})
	if err != nil || got.Temperature != 36 || got.Conditions == "" {
		t.Errorf("get-structured-content: %+v, %v", got, err)
	}
	if err := v.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
}

func visitContent(t *testing.T, v visitor) {
	result, err := v.CallTool(t.Context(), "get-annotated-message", map[string]any{"messageType": "error", "includeImage": true}, nil)
	if err != nil || len(result.Content) != 2 {
		t.Fatalf("get-annotated-message: %+v, %v", result, err)
	}
	if text, ok := result.Content[0].(mcp.TextContent); !ok || text.Annotations == nil || *text.Annotations.Priority != 1 {
		t.Errorf("the annotated text: %+v", result.Content[0])
	}
	if image, ok := result.Content[1].(mcp.ImageContent); !ok || !strings.HasPrefix(string(image.Data), "\x89PNG") {
		t.Errorf("the image: %T", result.Content[1])
	}
	links, err := v.CallTool(t.Context(), "get-resource-links", map[string]int{"count": 2}, nil)
	if err != nil || len(links.Content) != 3 {
		t.Fatalf("get-resource-links: %+v, %v", links, err)
	}
	link, ok := links.Content[2].(mcp.ResourceLink)
	if !ok {
		t.Fatalf("the link: %+v", links.Content[2])
	}
	if read, err := v.ReadResource(t.Context(), link.URI, nil); err != nil || read.Contents[0].Text == "" {
		t.Errorf("reading %s: %+v, %v", link.URI, read, err)
	}
}

func visitRefusals(t *testing.T, v visitor) {
	for name, args := range map[string]any{"get-sum": map[string]string{"a": "one"}, "no-such-tool": nil} {
		if result, err := v.CallTool(t.Context(), name, args, nil); err == nil && !result.IsError {
			t.Errorf("%s: %+v", name, result)
		}
	}
	if _, err := v.ReadResource(t.Context(), "demo://resource/none", nil); !mcp.IsResourceNotFound(err) {
		t.Errorf("reading what is not there: %v", err)
	}
}

func visitResources(t *testing.T, v visitor) {
	uris := all(t, v.Resources(t.Context()), func(r mcp.Resource) string { return r.URI })
	if len(uris) == 0 {
		t.Fatal("there are no resources")
	}
	if read, err := v.ReadResource(t.Context(), uris[0], nil); err != nil || read.Contents[0].Text == "" {
		t.Errorf("reading %s: %+v, %v", uris[0], read, err)
	}
	templates := all(t, v.Templates(t.Context()), func(r mcp.ResourceTemplate) string { return r.URITemplate })
	if !slices.Contains(templates, "demo://resource/dynamic/blob/{resourceId}") {
		t.Errorf("the templates are %q", templates)
	}
	read, err := v.ReadResource(t.Context(), "demo://resource/dynamic/blob/7", nil)
	if err != nil || !strings.HasPrefix(string(read.Contents[0].Blob), "Resource 7") {
		t.Errorf("reading from a template: %+v, %v", read, err)
	}
}

func visitPrompts(t *testing.T, v visitor) {
	names := all(t, v.Prompts(t.Context()), func(p mcp.Prompt) string { return p.Name })
	if len(names) < 4 { // a gateway adds prompts of other servers
		t.Errorf("the prompts are %q", names)
	}
	got, err := v.GetPrompt(t.Context(), "args-prompt", map[string]string{"city": "Kyoto"}, nil)
	if err != nil || said(got) != "What's weather in Kyoto?" {
		t.Errorf("args-prompt: %+v, %v", got, err)
	}
	got, err = v.GetPrompt(t.Context(), "resource-prompt", map[string]string{"resourceType": "Text", "resourceId": "3"}, nil)
	if err != nil || len(got.Messages) != 2 {
		t.Fatalf("resource-prompt: %+v, %v", got, err)
	}
	if embedded, ok := got.Messages[1].Content.(mcp.EmbeddedResource); !ok || !strings.HasPrefix(embedded.Resource.Text, "Resource 3") {
		t.Errorf("the embedded resource: %+v", got.Messages[1])
	}
	if _, err := v.GetPrompt(t.Context(), "args-prompt", nil, nil); err == nil {
		t.Error("a prompt without its argument was given")
	}
}

func visitCompletion(t *testing.T, v visitor) {
	departments, err := v.CompletePrompt(t.Context(), "completable-prompt", "department", "S", nil)
	if err != nil || !slices.Equal(departments.Values, []string{"Sales", "Support"}) {
		t.Errorf("departments: %+v, %v", departments, err)
	}
	names, err := v.CompletePrompt(t.Context(), "completable-prompt", "name", "", map[string]string{"department": "Sales"})
	if err != nil || !slices.Equal(names.Values, []string{"David", "Eve", "Frank"}) {
		t.Errorf("names in Sales: %+v, %v", names, err)
	}
	ids, err := v.CompleteResource(t.Context(), "demo://resource/dynamic/text/{resourceId}", "resourceId", "7", nil)
	if err != nil || !slices.Equal(ids.Values, []string{"7"}) {
		t.Errorf("identifiers: %+v, %v", ids, err)
	}
}

func visitProgress(t *testing.T, v visitor) {
	var steps []float64
	_, err := v.CallTool(t.Context(), "trigger-long-running-operation", map[string]float64{"duration": 0.1, "steps": 4},
		&mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { steps = append(steps, p.Progress) }})
	if err != nil || !slices.Equal(steps, []float64{1, 2, 3, 4}) {
		t.Errorf("progress %v, %v", steps, err)
	}
}

func visitSubscription(t *testing.T, v visitor) {
	const uri = "demo://resource/dynamic/text/1"
	updated := make(chan string, 100)
	s, err := v.Subscribe(t.Context(), protocol.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, func(n protocol.Notification) {
		if n, ok := n.(*protocol.ResourceUpdatedNotification); ok {
			updated <- n.URI
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	toggle(t, v, "toggle-subscriber-updates")
	if got := receive(t, updated, "an update"); got != uri {
		t.Errorf("an update of %s", got)
	}
	toggle(t, v, "toggle-subscriber-updates")
	if err := s.Close(); err != nil || s.Err() != nil {
		t.Errorf("ending the subscription: %v, %v", err, s.Err())
	}
}

func visitLogging(t *testing.T, v visitor) {
	toggle(t, v, "toggle-simulated-logging")
	for !strings.Contains(string(receive(t, v.logs, "a log message").Data), "level") {
	}
	toggle(t, v, "toggle-simulated-logging")
}

func toggle(t *testing.T, v visitor, tool string) {
	t.Helper()
	if _, err := mcp.Call[string](t.Context(), v.Client, tool, nil); err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
}

// visitQuestions lets the server ask the user, the model and the client.
func visitQuestions(t *testing.T, v visitor) {
	text, err := mcp.Call[string](t.Context(), v.Client, "trigger-elicitation-request", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{"- Name: Ada", "- Favorite Integer: 42", "- Favorite Number: 3.14"} { // defaults are filled in
		if !strings.Contains(text, wanted) {
			t.Errorf("%q is missing in %s", wanted, text)
		}
	}
	text, err = mcp.Call[string](t.Context(), v.Client, "trigger-sampling-request", map[string]any{"prompt": "hello", "maxTokens": 10})
	if err != nil || !strings.Contains(text, "the model's words") {
		t.Errorf("trigger-sampling-request: %s, %v", text, err)
	}
	text, err = mcp.Call[string](t.Context(), v.Client, "get-roots-list", nil)
	if err != nil || !strings.Contains(text, "file:///project") {
		t.Errorf("get-roots-list: %s, %v", text, err)
	}
}

// answering returns options of a client that supports all questions.
func answering() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
		},
		Sample: func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: "the model's words"}}, Model: "none"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "file:///project", Name: "project"}}, nil
		},
	}
}
