package searchservice_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
	"github.com/dougu-go/dougu/transport"
)

// A server with all features requires a token on every transport, and serves health and metrics.
func TestServer_AllTransports(t *testing.T) {
	p := newPlace(t, "", "")
	apptest.Write(t, p.project, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
	if git, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://github.com/some/thing.git"}} {
			command := exec.CommandContext(t.Context(), git, args...)
			command.Dir = p.project
			apptest.Must(t, command.Run())
		}
	}
	const token = "a-token-that-nobody-guesses"
	tokens := filepath.Join(p.home, "tokens")
	apptest.Must(t, os.WriteFile(tokens, []byte("other="+token+"-2[issues:write]\n"), 0o600))
	file := filepath.Join(p.home, "cqm.yaml")
	apptest.Must(t, os.WriteFile(file, []byte(`server: {port: 0}
transport: {stdio: false, http: true, websocket: true, tcp: true}
security: {authentication: {enabled: true, tokenSecret: `+token+`, tokenFile: "`+tokens+`"}}
logging: {file: "`+filepath.Join(p.home, "cqm.log")+`", structured: true}
index: {path: memory}
plugins: {config: {github: {token: not-a-token}}}
embeddings: {provider: ollama, url: "http://127.0.0.1:1", model: m}
monitoring: {alerts: ["webhook=http://127.0.0.1:1/alerts"]}
`), 0o600))
	o := searchservice.NewOptions("1", func() []string { return []string{"HOME=" + p.home} })
	o.Directory, o.ConfigFile = p.project, file
	stderr := new(waittest.Log)
	why := searchservice.Purpose{Stderr: stderr, Serves: true}
	s, err := searchservice.Open(t.Context(), o, why)
	apptest.Must(t, err)
	server, err := searchservice.NewServer(s, why, false)
	apptest.Must(t, err)
	endpoints, err := server.Endpoints(t.Context(), nil, new(transport.Options))
	apptest.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var serving group.Group
	serving.Go(func() {
		if err := transport.Serve(ctx, server.Server, endpoints...); err != nil {
			t.Error(err)
		}
	})
	defer func() {
		cancel()
		serving.Wait()
		apptest.Must(t, server.Close(context.Background()))
	}()
	at := regexp.MustCompile(`http://[0-9.:]+`).FindString(stderr.String())
	if at == "" || !strings.Contains(stderr.String(), "serves ws://") || !strings.Contains(stderr.String(), "serves tcp://") {
		t.Fatalf("it serves\n%s", stderr)
	}
	get := func(path, token string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, nil)
		apptest.Must(t, err)
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(req)
		apptest.Must(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		apptest.Must(t, err)
		return response.StatusCode, string(text)
	}
	for _, path := range []string{"/livez", "/readyz", "/healthz", "/metrics", "/mcp"} {
		if code, _ := get(path, ""); code != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, code)
		}
	}
	if code, text := get("/livez", token); code != http.StatusOK || text != "{\"status\":\"alive\"}\n" {
		t.Errorf("it lives: %d %s", code, text)
	}
	if code, text := get("/readyz", token); !strings.Contains(text, `"checks":[{"name":"mcp-server","status":"healthy"`) {
		t.Errorf("it is ready: %d %s", code, text)
	}
	_, text := get("/healthz", token)
	var health struct{ Checks []struct{ Name string } }
	if err := json.Unmarshal([]byte(text), &health); err != nil || len(health.Checks) != 4 || health.Checks[1].Name != "rag-engine" {
		t.Errorf("the health is %s, %v", text, err)
	}
	if code, text := get("/metrics", token+"-2"); code != http.StatusOK || !strings.Contains(text, "cqm_index_files") || !strings.Contains(text, `cqm_breaker_state{breaker="github"`) {
		t.Errorf("the metrics are %d %s", code, text)
	}
}
