package gateway

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// childVariable makes the test binary a server.
const childVariable = "DOUGU_GATEWAY_EXAMPLE_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		srv := mcp.NewServer(mcp.Implementation{Name: name, Version: "1.0.0"}, &mcp.ServerOptions{Structured: mcp.StructuredAuto})
		err := mcp.AddTool(srv, mcp.Tool{Name: "say", Description: "Says the text again."}, func(_ context.Context, in struct {
			Text string `json:"text"`
		}) (string, error) {
			if in.Text == "" {
				return "", fmt.Errorf("there is nothing to say")
			}
			return name + " says " + in.Text, nil
		})
		if err == nil && name == counter {
			err = mcp.AddTool(srv, mcp.Tool{Name: "count"}, func(context.Context, struct{}) (countResult, error) { return countResult{3}, nil })
		}
		if err == nil {
			err = transport.ServeStdio(context.Background(), srv, nil)
		}
		if err != nil {
			os.Exit(1)
		}
		return
	}
	apptest.Main(m)
}

var update = flag.Bool("update", false, "rewrite the generated documentation")

// in is the program in an environment.
func in(variables ...string) apptest.Program { return programWith(variables, nil) }

// programWith is the program in an environment; show is its browser.
func programWith(variables []string, show func(context.Context, string)) apptest.Program {
	return func() *app.App {
		return newApp(func(name string) (string, bool) {
			for _, v := range variables {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value, true
				}
			}
			return "", false
		}, nil, show)
	}
}

// servers writes a file with servers of these names, each a child, and others.
func servers(t testing.TB, others string, names ...string) string {
	t.Helper()
	program, err := os.Executable()
	apptest.Must(t, err)
	all := make(map[string]any)
	apptest.Must(t, json.Unmarshal([]byte("{"+others+"}"), &all))
	for _, name := range names {
		all[name] = map[string]any{"command": program, "env": map[string]string{childVariable: name, "GORACE": "atexit_sleep_ms=0"}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": all})
	apptest.Must(t, err)
	file := filepath.Join(t.TempDir(), "mcp.json")
	apptest.Must(t, os.WriteFile(file, text, 0o600))
	return file
}

func TestProgram_ToolsAndCall(t *testing.T) {
	file := servers(t, "", "a", "b")
	if got := strings.Join(in().Tools(t, "-config", file), " "); got != "a_say b_say gateway_servers" {
		t.Errorf("the tools are %s", got)
	}
	if got := in("GATEWAY_CONFIG="+file).MustRun(t, "call", "b_say", "text=hello"); got != "b says hello\n" {
		t.Errorf("the call answers %q", got)
	}
	if got := strings.Join(in().Tools(t, "-config", servers(t, "", "a"), "-no-prefix", "-own-tools=false"), " "); got != "say" {
		t.Errorf("without a prefix the tools are %s", got)
	}
	apptest.Contains(t, in().MustRun(t, "call", "-config", file, "gateway_servers"), "a is ", "; tools: ")
}

func TestReport_TextContent(t *testing.T) {
	r := Report{Servers: []ServerReport{
		{Name: "a", State: "ready", Tools: 3, Prompts: 1, LastAnswer: "2026-01-02T03:04:05Z", Problems: []string{"two tools have one name"}},
		{Name: "b", State: "needs_login", Login: "own", Next: "log in with the tool login"},
		{Name: "c", State: "down", Reason: "no such file"},
	}}
	const want = "a is ready; tools: 3, prompts: 1, last answer 2026-01-02T03:04:05Z\n  problem: two tools have one name\n" +
		"b needs a login: log in with the tool login; tools: 0, own login\nc is down: no such file; tools: 0"
	if got := r.TextContent(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := (Report{}).TextContent(); got != "no servers" {
		t.Errorf("without servers: %s", got)
	}
}

func TestProgram_ServersAndDoctor(t *testing.T) {
	broken := servers(t, `"gone":{"command":"/no/such/program"},"twice":{"url":"http://127.0.0.1:1/mcp"}`, "a")
	code, out, errs := in().Run(t, "servers", "-config", broken)
	if code == 0 {
		t.Error("servers succeeds while two servers are down")
	}
	apptest.Contains(t, out, "a       ready  2026-07-28  1      0", "gone    down", "no such file")
	apptest.Contains(t, errs, "2 of 3 servers cannot be used: gone is down: ", "no such file", "twice is down: ")
	apptest.Contains(t, in().MustRun(t, "servers", "-config", servers(t, "", "a")), "a       ready")
	_, out, _ = in().Run(t, "doctor", "-config", broken)
	apptest.Contains(t, out, "the file names 3", "it speaks 2026-07-28 and has 1 tools", "server gone", "it is down")
	_, out, _ = in().Run(t, "doctor", "-config", broken+".none")
	apptest.Contains(t, out, "there is no such file")
}

func TestProgram_Errors(t *testing.T) {
	for says, args := range map[string][]string{
		"there is no such file":     {"tools", "-config", "/none.json"},
		"-no-prefix is for one":     {"tools", "-no-prefix", "-config", servers(t, "", "a", "b")},
		`two upstreams are named`:   {"tools", "-config", servers(t, "", "gateway")},
		"there is no command \"x\"": {"x"},
		"the audit":                 {"tools", "-audit-file", "/dev/null/none", "-config", servers(t, "", "a")},
		"takes no arguments":        {"servers", "more"},
		"choose auto, always or":    {"servers", "-structured", "sometimes"},
	} {
		code, _, errs := in().Run(t, args...)
		if code == 0 || says != "the audit" && !strings.Contains(errs, says) {
			t.Errorf("%q: exit code %d; %q is not in %s", args, code, says, errs)
		}
	}
}

// served is a gateway that serves HTTP until the test ends.
func served(t *testing.T, args ...string) (url string, stderr *apptest.Output) {
	t.Helper()
	server := in()()
	stderr = new(apptest.Output)
	ctx, stop := context.WithCancel(t.Context())
	server.Stdin, server.Stdout, server.Stderr = strings.NewReader(""), io.Discard, stderr
	var running group.Group
	running.Go(func() {
		if code := server.Run(ctx, append([]string{"serve", "-http", "127.0.0.1:0"}, args...)); code != 0 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	pattern := regexp.MustCompile(`serves (http://\S+)`)
	waittest.Until(t, "the gateway listens", func() bool { return pattern.MatchString(stderr.String()) })
	return pattern.FindStringSubmatch(stderr.String())[1], stderr
}

func dial(t *testing.T, url, token string) *mcp.Client {
	t.Helper()
	way := &httpclient.Client{URL: url, Token: func(context.Context, *httpclient.StatusError) (string, error) { return token, nil }}
	c, err := mcp.Connect(t.Context(), way, mcp.Implementation{Name: "test", Version: "1"}, nil)
	apptest.Must(t, err)
	t.Cleanup(func() { apptest.Must(t, c.Close()) })
	return c
}

// One URL serves clients with tokens, each with its own permissions. Calls are recorded,
// and changes of the file of servers are applied.
func TestServe(t *testing.T) {
	file := servers(t, "", "a", "b")
	dir := t.TempDir()
	tokens, audit := filepath.Join(dir, "tokens"), filepath.Join(dir, "audit.jsonl")
	apptest.Must(t, os.WriteFile(tokens, []byte("alice=all-of-it-1234567890\nbob=some-of-it-1234567890[a:*]\n"), 0o600))
	url, _ := served(t, "-config", file, "-token-file", tokens, "-audit-file", audit, "-per-minute", "100")
	alice, bob := dial(t, url, "all-of-it-1234567890"), dial(t, url, "some-of-it-1234567890")
	if got, err := mcp.Call[string](t.Context(), alice, "b_say", map[string]string{"text": "hi"}); got != "b says hi" || err != nil {
		t.Errorf("alice gets %q, %v", got, err)
	}
	if _, err := mcp.Call[string](t.Context(), alice, "b_say", map[string]string{"text": ""}); err == nil || !strings.Contains(err.Error(), "nothing to say") {
		t.Errorf("alice's mistake: %v", err)
	}
	var names []string
	for tool, err := range bob.Tools(t.Context()) {
		apptest.Must(t, err)
		names = append(names, tool.Name)
	}
	if strings.Join(names, " ") != "a_say" {
		t.Errorf("bob sees %q", names)
	}
	if _, err := mcp.Call[string](t.Context(), bob, "b_say", map[string]string{"text": "hi"}); err == nil || !strings.Contains(err.Error(), "PERMISSION_REQUIRED") {
		t.Errorf("what bob may not: %v", err)
	}
	record, err := os.ReadFile(audit)
	apptest.Must(t, err)
	apptest.Contains(t, string(record), `"operation":"b_say"`, `"userId":"alice"`, `"result":"started"`, `"result":"success"`, `"result":"error"`, `"userId":"bob"`)
	base := strings.TrimSuffix(url, "/mcp")
	apptest.Contains(t, get(t, base+"/healthz", "all-of-it-1234567890"), `"name":"a","state":"ready"`)
	apptest.Contains(t, get(t, base+"/livez", "all-of-it-1234567890"), `"status":"alive"`)
	apptest.Contains(t, get(t, base+"/metrics", "all-of-it-1234567890"), "gateway_")
	resp, err := http.Get(url)
	apptest.Must(t, err)
	apptest.Must(t, resp.Body.Close())
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token the status is %d", resp.StatusCode)
	}
	more, err := os.ReadFile(servers(t, "", "a", "b", "c"))
	apptest.Must(t, err)
	apptest.Must(t, os.WriteFile(file, more, 0o600))
	waittest.Until(t, "the new server is there", func() bool {
		_, err := mcp.Call[string](t.Context(), alice, "c_say", map[string]string{"text": "hi"})
		return err == nil
	})
}

// A gateway whose server is down lives and is not ready, and says why.
func TestServe_Readiness(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	apptest.Must(t, os.WriteFile(tokens, []byte("alice=all-of-it-1234567890\n"), 0o600))
	for broken, want := range map[string]int{"": http.StatusOK, `"gone":{"command":"/no/such/program"}`: http.StatusServiceUnavailable} {
		url, _ := served(t, "-config", servers(t, broken, "a"), "-token-file", tokens)
		base := strings.TrimSuffix(url, "/mcp")
		waittest.Until(t, "the readiness is known", func() bool {
			code, body := probe(t, base+"/readyz", "all-of-it-1234567890")
			return code == want && strings.Contains(body, `"name":"a","state":"ready"`) &&
				(broken == "" || strings.Contains(body, `"notReady":"1 of 2 servers cannot be used: gone is down: `) && strings.Contains(body, "no such file"))
		})
		for _, path := range []string{"/livez", "/healthz"} {
			if code, body := probe(t, base+path, "all-of-it-1234567890"); code != http.StatusOK {
				t.Errorf("%s with %s: %d %s", path, broken, code, body)
			}
		}
	}
}

// TestServe_UpstreamDies tells at once that a server over HTTP is gone whose connection nothing has used since.
func TestServe_UpstreamDies(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	apptest.Must(t, os.WriteFile(tokens, []byte("alice=all-of-it-1234567890\n"), 0o600))
	handler := httpserver.NewHandler(mcp.NewServer(mcp.Implementation{Name: "web", Version: "1.0.0"}, nil), nil)
	web := httptest.NewServer(handler)
	t.Cleanup(func() { web.Close(); apptest.Must(t, handler.Shutdown(context.Background())) })
	url, _ := served(t, "-config", servers(t, `"web":{"url":"`+web.URL+`"}`, "a"), "-token-file", tokens)
	base := strings.TrimSuffix(url, "/mcp")
	waittest.Until(t, "all is ready", func() bool {
		code, _ := probe(t, base+"/readyz", "all-of-it-1234567890")
		return code == http.StatusOK
	})
	web.CloseClientConnections()
	web.Listener.Close()
	waittest.Until(t, "the death is told", func() bool {
		ready, reasons := probe(t, base+"/readyz", "all-of-it-1234567890")
		live, health := probe(t, base+"/healthz", "all-of-it-1234567890")
		return ready == http.StatusServiceUnavailable && strings.Contains(reasons, `"notReady":"1 of 2 servers cannot be used: web is `) &&
			live == http.StatusOK && strings.Contains(health, `"name":"web","state":"down"`) && strings.Contains(health, "connection refused") && strings.Contains(health, `"lastAnswer":"20`)
	})
}

func get(t *testing.T, url, token string) string {
	t.Helper()
	_, body := probe(t, url, token)
	return body
}

func probe(t *testing.T, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	apptest.Must(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	apptest.Must(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	apptest.Must(t, err)
	return resp.StatusCode, string(body)
}

// A server that requires OAuth and has no reachable authorization server reports an error
// and does not delay other servers.
func TestOAuth(t *testing.T) {
	file := servers(t, `"web":{"url":"http://127.0.0.1:1/mcp","gateway":{"oauth":{"issuer":"https://as.invalid","clientId":"me","clientSecret":"s"}}},
		"who":{"url":"http://127.0.0.1:1/mcp","gateway":{"oauth":{"clientId":"me"}}}`, "a")
	_, out, _ := in().Run(t, "servers", "-config", file)
	apptest.Contains(t, out, "a       ready", "web     down", "needs the issuer")
}

// The reference is made from the declarations of the flags.
func TestReference_Current(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Reference of gateway\n\nGenerated from the program; `go test ./tools/app/gateway -run Reference -update` updates this page. The format of the file of servers is in [gateway.md](gateway.md).\n\n")
	apptest.Must(t, in()().Reference(&doc))
	const file = "../../../docs/gateway-reference.md"
	if *update {
		apptest.Must(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the program says (%v); run this test with -update", file, err)
	}
}
