package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/bench/probe"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// serverVariable makes the program the server.
const serverVariable = "DOUGU_BENCH_TASKS_SERVER"

// usage is the processor time and memory of a server.
type usage struct {
	At  time.Time     `json:"at"`
	CPU time.Duration `json:"cpu"`
	probe.Stats
}

// serveTasks runs the server: one tool, whose tasks run until they are cancelled.
func serveTasks() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context) error {
	runner := tasks.New(&tasks.Options{MaxTasks: 1_000_000, MaxPerPrincipal: 1_000_000})
	defer runner.Close()
	srv := mcp.NewServer(mcp.Implementation{Name: "tasks", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	tool := mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
		mcp.Progress(ctx, 1, 2, "half of it is done")
		<-ctx.Done()
		return "", context.Cause(ctx)
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
	if err := srv.Replace("tasks", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
		return err
	}
	calls, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	probing := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stats := probe.Take()
		_ = json.NewEncoder(w).Encode(usage{time.Now(), driver.OwnCPU(), stats}) // an error means that the driver has ended
	})}
	defer probing.Close()
	fmt.Printf("http://%s/mcp http://%s/\n", calls.Addr(), own.Addr())
	ended := make(chan error, 1)
	go func() { ended <- probing.Serve(own) }()
	err = transport.HTTP{Listener: calls, Routes: map[string]transport.Route{"/mcp": httpserver.Options{}}}.Serve(ctx, srv)
	if closing := probing.Close(); closing != nil {
		return errors.Join(err, closing)
	}
	<-ended
	return err
}

// server is the driver's handle of the server process.
type server struct {
	cmd         *exec.Cmd
	calls, own  string
	client      *http.Client
	errorOutput strings.Builder
}

// startServer starts this program as the server.
func startServer(ctx context.Context, b *bench) (*server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{client: &http.Client{Timeout: driver.MeasurementTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: b.workers}}}
	s.cmd = exec.CommandContext(ctx, program)
	s.cmd.Env = append(os.Environ(), serverVariable+"=1")
	s.cmd.Stderr = &s.errorOutput
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.WaitDelay = 20 * time.Second
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, scanned := fmt.Sscan(line, &s.calls, &s.own); err != nil || scanned != nil {
		return nil, errors.Join(fmt.Errorf("the server does not say where it is: %w", errors.Join(err, scanned)), s.end())
	}
	return s, nil
}

func (s *server) end() error {
	s.client.CloseIdleConnections()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the server: %w: %s", err, s.errorOutput.String())
	}
	return nil
}

// usage returns the usage that the server reports.
func (s *server) usage(ctx context.Context) (u usage, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.own, nil)
	if err != nil {
		return u, err
	}
	req.Close = true
	resp, err := s.client.Do(req)
	if err != nil {
		return u, err
	}
	defer resp.Body.Close()
	return u, json.NewDecoder(resp.Body).Decode(&u)
}

// begin starts tasks and returns their ids.
func (s *server) begin(ctx context.Context, n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		answer, err := s.ask(ctx, "tools/call", "wait", `"name":"wait","arguments":{}`)
		if err != nil {
			return nil, fmt.Errorf("starting task %d: %w", i+1, err)
		}
		var got struct {
			Result struct {
				ID string `json:"taskId"`
			} `json:"result"`
		}
		if err := json.Unmarshal(answer, &got); err != nil || got.Result.ID == "" {
			return nil, fmt.Errorf("task %d: %.300s: %w", i+1, answer, errors.Join(err, errors.New("it is none")))
		}
		ids[i] = got.Result.ID
	}
	return ids, nil
}

// ask sends one request and returns the response.
func (s *server) ask(ctx context.Context, method, name, params string) ([]byte, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.calls, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name},
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.300s", resp.Status, answer)
	}
	return answer, err
}
