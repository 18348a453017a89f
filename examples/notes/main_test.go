package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// The test binary is the program unless it has flags of go test. Doctor and supervisors start it, too.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], "-test.") {
		main()
	}
	os.Exit(m.Run())
}

// command returns the command that starts the program in a directory, with a home of its own.
func command(t *testing.T, dir, home string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "AppData=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	return cmd
}

func TestCommands(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	for _, step := range []struct{ command, want string }{
		{"tools", "add_note"},
		{"call add_note text=milk", "Noted."},
		{"config", "notes.txt"},
		{"config -file other.txt", "flag -file"},
		{"config -schema", `"file"`},
		{"doctor", "settings: "},
		{"doctor", "server: starts in"},
		{"install", "claude-desktop"},
		{"install cursor -project", "mcp.json"},
		{"version", "notes"},
	} {
		out, err := command(t, dir, home, strings.Fields(step.command)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.want) {
			t.Errorf("notes %s: %v; want %q in\n%s", step.command, err, step.want, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || string(text) != "milk\n" {
		t.Errorf("the notes are %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".cursor", "mcp.json")); err != nil || !strings.Contains(string(text), `"notes"`) {
		t.Errorf("the configuration of the client is %q, %v", text, err)
	}
}

// A setting of the project that moves the file of notes needs the user's approval.
func TestProject_FileNeedsApproval(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.json"), []byte(`{"file":"elsewhere.txt"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ command, want string }{
		{"config", `"notes.txt"`}, {"trust -yes", "elsewhere.txt"}, {"config", `"elsewhere.txt"`}, {"untrust", "1 approvals"}, {"config", `"notes.txt"`},
	} {
		out, err := command(t, dir, home, strings.Fields(step.command)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.want) {
			t.Errorf("notes %s: %v; want %q in\n%s", step.command, err, step.want, out)
		}
	}
}

func TestServe_Stdio(t *testing.T) {
	cmd := command(t, t.TempDir(), t.TempDir())
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"name":"add_note"`) {
		t.Errorf("the answer is %s, %v", out, err)
	}
}

// Over HTTP clients need a token, which the command token prints.
func TestServe_HTTPWithToken(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	token, err := command(t, dir, home, "token").Output()
	if err != nil {
		t.Fatal(err)
	}
	serve := command(t, dir, home, "-http", "127.0.0.1:0")
	stderr, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(serve.Process.Kill(), ignoreExit(serve.Wait())); err != nil {
			t.Error(err)
		}
	}()
	url := ""
	lines := bufio.NewScanner(stderr)
	for url == "" && lines.Scan() {
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`).FindString(lines.Text())
	}
	if url == "" {
		t.Fatalf("the program does not say where it is: %v", lines.Err())
	}
	response, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token the status is %d", response.StatusCode)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := mcp.Connect(ctx, &httpclient.Client{URL: url, Header: http.Header{"Authorization": {"Bearer " + strings.TrimSpace(string(token))}}}, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.CallTool(ctx, "add_note", map[string]any{"text": "bread"}, nil)
	if err != nil || result.IsError {
		t.Errorf("the call: %+v, %v", result, err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || string(text) != "bread\n" {
		t.Errorf("the notes are %q, %v", text, err)
	}
}

// ignoreExit drops the error of a process that exited with an error code.
func ignoreExit(err error) error {
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return nil
	}
	return err
}
