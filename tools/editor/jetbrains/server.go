package jetbrains

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

// The tools of the MCP server that are used.
const (
	toolProblems  = "get_file_problems"
	toolOpenFiles = "get_all_open_file_paths"
	toolOpen      = "open_file_in_editor"
)

const (
	connectPatience = 10 * time.Second
	retryPause      = time.Second      // after the first failure to connect; doubled after each
	longestPause    = 30 * time.Second // between attempts
	callPatience    = 30 * time.Second
	mostTools       = 500 // of a server that are looked at
)

// server is the MCP server of an IDE, which comes and goes.
type server struct {
	o       Options
	changed func()
	tried   chan struct{} // closed when a connection was made or not, for the first time

	mu     sync.Mutex
	client *mcp.Client          // nil: not connected
	name   string               // of the IDE
	tools  map[string]arguments // that it lists
}

// arguments are the arguments of a tool; the value is true for a required one.
type arguments map[string]bool

func newServer(o Options, changed func()) *server {
	return &server{o: o, changed: changed, tried: make(chan struct{})}
}

// connected tells the name of the IDE. A nil server is never connected.
func (s *server) connected() (name string, ok bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.name, s.client != nil
}

// run keeps a connection until ctx ends.
func (s *server) run(ctx context.Context) {
	delay := retryPause
	tried := sync.OnceFunc(func() { close(s.tried) })
	defer tried()
	for ctx.Err() == nil {
		client, err := s.connect(ctx)
		tried()
		if err != nil {
			s.o.Log.Debug("the MCP server of the IDE does not answer", "error", err)
			if wait.Sleep(ctx, delay) != nil {
				return
			}
			delay = min(2*delay, longestPause)
			continue
		}
		delay = retryPause
		s.changed()
		select {
		case <-client.Done():
		case <-ctx.Done():
		}
		s.mu.Lock()
		s.client, s.tools = nil, nil
		s.mu.Unlock()
		_ = client.Close()
		s.changed()
	}
}

// connect connects and lists the tools of the server.
func (s *server) connect(ctx context.Context) (*mcp.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	client, err := mcp.Connect(ctx, s.o.Server, mcp.Implementation{Name: s.o.Name, Version: s.o.Version}, &mcp.ClientOptions{
		Timeout: callPatience, HardTimeout: callPatience, Log: s.o.Log,
	})
	if err != nil {
		return nil, err
	}
	tools := make(map[string]arguments)
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			_ = client.Close()
			return nil, err
		}
		if len(tools) == mostTools {
			break
		}
		tools[tool.Name] = argumentsOf(tool.InputSchema)
	}
	name := truncate.Line(client.Server().Server.Name, 100)
	s.mu.Lock()
	s.client, s.name, s.tools = client, name, tools
	s.mu.Unlock()
	s.o.Log.Info("connected to the MCP server of the IDE", "name", name)
	return client, nil
}

// argumentsOf returns the arguments of a schema.
func argumentsOf(schema json.RawMessage) arguments {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	all := make(arguments, len(s.Properties))
	for name := range s.Properties {
		all[name] = slices.Contains(s.Required, name)
	}
	return all
}

// call calls a tool with the arguments that it supports. A tool that lacks the essential argument, or requires an unknown one,
// counts as missing.
func (s *server) call(ctx context.Context, tool, essential string, args map[string]any, answer any) error {
	if s == nil {
		return adapter.ErrUnsupported
	}
	s.mu.Lock()
	client, known := s.client, s.tools[tool]
	s.mu.Unlock()
	if client == nil {
		return fmt.Errorf("its MCP server is not there: %w", adapter.ErrNotRunning)
	}
	if known == nil {
		return fmt.Errorf("its MCP server has no tool %s: %w", tool, adapter.ErrUnsupported)
	}
	all := map[string]any{"projectPath": s.o.Root}
	for name, value := range args {
		all[name] = value
	}
	_, ok := known[essential]
	if !ok && essential != "" {
		return fmt.Errorf("the tool %s of its MCP server has no argument %s: %w", tool, essential, adapter.ErrUnsupported)
	}
	sent := make(map[string]any)
	for name, required := range known {
		value, ok := all[name]
		if !ok && required {
			return fmt.Errorf("the tool %s of its MCP server wants %.60q, which is not known here: %w", tool, name, adapter.ErrUnsupported)
		}
		if ok {
			sent[name] = value
		}
	}
	result, err := client.CallTool(ctx, tool, sent, nil)
	if err != nil {
		return err
	}
	return decode(result, answer)
}

// decode takes an answer: structured, or as JSON in its first text.
func decode(result *mcp.ToolResult, answer any) error {
	text := ""
	for _, block := range result.Blocks() {
		if t, ok := block.(mcp.TextContent); ok {
			text = t.Text
			break
		}
	}
	if result.IsError {
		return fmt.Errorf("the IDE says: %s", truncate.Line(text, maxErrorText))
	}
	if answer == nil {
		return nil
	}
	data := []byte(result.Structured)
	if len(data) == 0 {
		data = []byte(text)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("the response of the IDE is not understood: %w", err)
	}
	return nil
}

var errOutside = errors.New("it is not in the project")

// relative is the path of a file as the MCP server takes it.
func (s *server) relative(path string) (string, error) {
	if s == nil || !presence.Within(s.o.Root, path) {
		return "", fmt.Errorf("%w: %w", errOutside, adapter.ErrUnsupported)
	}
	rel, err := filepath.Rel(s.o.Root, path)
	return filepath.ToSlash(rel), err
}

// open has the IDE show a file.
func (s *server) open(ctx context.Context, path string) error {
	rel, err := s.relative(path)
	if err != nil {
		return err
	}
	return s.call(ctx, toolOpen, "filePath", map[string]any{"filePath": rel}, nil)
}
