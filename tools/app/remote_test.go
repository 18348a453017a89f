package app_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/websocket"
)

const token = "a-token-that-nobody-guesses"

// program serves one tool; it knows tokens unless it is told not to.
func program(stdin io.Reader, stdout io.Writer, stderr io.Writer) *app.App {
	return &app.App{
		Name: "prog", Version: "1.2.3", Summary: "says who asks",
		Build: func(context.Context, app.Start) (*app.Program, error) {
			srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1.2.3"}, nil)
			return &app.Program{Server: srv}, mcp.AddTool(srv, mcp.Tool{Name: "whoami"}, func(ctx context.Context, _ struct{}) (string, error) {
				return "you are " + mcp.CallFrom(ctx).Request.Peer.Principal, nil
			})
		},
		Authenticate: func(o app.Resource) (app.Authenticator, error) { return auth.ParseTokens(o.Tokens) },
		Stdin:        stdin, Stdout: stdout, Stderr: stderr,
	}
}

// started runs a program until the test ends, and returns the URLs that it
// serves.
func started(t *testing.T, want int, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stderr, ended := new(waittest.Log), make(chan int, 1)
	go func() { ended <- program(strings.NewReader(""), io.Discard, stderr).Run(ctx, args) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	pattern := regexp.MustCompile(`serves (\S+)\n`)
	for range 3000 {
		if found := pattern.FindAllStringSubmatch(stderr.String(), -1); len(found) == want {
			var urls []string
			for _, match := range found {
				urls = append(urls, match[1])
			}
			return urls
		}
		select {
		case code := <-ended:
			t.Fatalf("exit code %d: %s", code, stderr)
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatalf("it serves nothing: %s", stderr)
	return nil
}

func whoami(t *testing.T, to protocol.Transport) (string, error) {
	t.Helper()
	client, err := mcp.Connect(t.Context(), to, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		return "", err
	}
	defer client.Close()
	return mcp.Call[string](t.Context(), client, "whoami", nil)
}

// freeAddress is one at which nothing is served.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func TestServe_HTTPAndWebSocketAtOneAddress(t *testing.T) {
	address := freeAddress(t)
	urls := started(t, 2, "-http", address, "-ws", address)
	if urls[0] != "http://"+address+"/mcp" || urls[1] != "ws://"+address+"/ws" {
		t.Errorf("it serves %v", urls)
	}
	for _, to := range []protocol.Transport{&httpclient.Client{URL: urls[0]}, &websocket.Client{URL: urls[1]}} {
		if text, err := whoami(t, to); err != nil || text != "you are " {
			t.Errorf("%T: %q, %v", to, text, err)
		}
	}
}

func TestServe_TokenRequired(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("# who may\nalice="+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	urls := started(t, 2, "-http", "127.0.0.1:0", "-ws", "127.0.0.1:0", "-token-file", file)
	with := http.Header{"Authorization": {"Bearer " + token}}
	for _, url := range urls {
		clients := map[bool]protocol.Transport{false: &httpclient.Client{URL: url}, true: &httpclient.Client{URL: url, Header: with}}
		if strings.HasPrefix(url, "ws") {
			clients = map[bool]protocol.Transport{false: &websocket.Client{URL: url}, true: &websocket.Client{URL: url, Header: with}}
		}
		if text, err := whoami(t, clients[true]); err != nil || text != "you are alice" {
			t.Errorf("%s with the token: %q, %v", url, text, err)
		}
		if text, err := whoami(t, clients[false]); err == nil || !strings.Contains(err.Error(), "401") {
			t.Errorf("%s without a token: %q, %v", url, text, err)
		}
	}
}

func TestServe_StdioBesideHTTP(t *testing.T) {
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- program(in, out, io.Discard).Run(context.Background(), []string{"-http", "127.0.0.1:0", "-stdio"})
	}()
	go func() { _, _ = io.WriteString(send, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n") }()
	answer := make([]byte, 100)
	n, err := receive.Read(answer)
	if err != nil || string(answer[:n]) != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
		t.Errorf("answered %q, %v", answer[:n], err)
	}
	if err := send.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != 0 { // the parent is gone, and so is the reason to serve
		t.Errorf("exit code %d", code)
	}
}

func TestServe_RefusedFlags(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := errors.Join(os.WriteFile(large, make([]byte, 2<<20), 0o600), os.WriteFile(filepath.Join(dir, "short"), []byte("alice=x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"all interfaces":            {[]string{"-http", "0.0.0.0:0"}, "other machines"},
		"all interfaces, unnamed":   {[]string{"-ws", ":0"}, "other machines"},
		"all interfaces, IPv6":      {[]string{"-ws", "[::]:0"}, "other machines"},
		"another machine's address": {[]string{"-http", "192.0.2.1:0"}, "other machines"},
		"no port":                   {[]string{"-http", "localhost"}, "127.0.0.1:3000"},
		"a name":                    {[]string{"-http", "no.such.name.invalid:0"}, "no.such.name.invalid:0 can be"},
		"an address that is taken":  {[]string{"-http", taken.Addr().String()}, "listening"},
		"a key without certificate": {[]string{"-http", "127.0.0.1:0", "-tls-key", large}, "belong together"},
		"a certificate that is not": {[]string{"-http", "127.0.0.1:0", "-tls-key", large, "-tls-cert", large}, "certificate"},
		"tokens that are missing":   {[]string{"-http", "0.0.0.0:0", "-token-file", filepath.Join(dir, "none")}, "reading the tokens"},
		"tokens without end":        {[]string{"-http", "0.0.0.0:0", "-token-file", large}, "larger than"},
		"a token that is too short": {[]string{"-http", "0.0.0.0:0", "-token-file", filepath.Join(dir, "short")}, "at least 16"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stderr := new(waittest.Log)
			if code := program(strings.NewReader(""), io.Discard, stderr).Run(t.Context(), tc.args); code != 1 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d, want 1 and %q: %s", code, tc.want, stderr)
			}
		})
	}
}

// The network flags also apply the Wrap of a program that checks tokens itself.
func TestServe_ProgramAuthenticated(t *testing.T) {
	tokens, err := auth.NewTokens("client", token)
	if err != nil {
		t.Fatal(err)
	}
	own := func(server *app.App) *app.App {
		build := server.Build
		server.Build = func(ctx context.Context, start app.Start) (*app.Program, error) {
			p, err := build(ctx, start)
			p.Authenticated, p.Wrap = true, tokens.Wrap
			return p, err
		}
		return server
	}
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := new(waittest.Log), make(chan int, 1)
	go func() {
		ended <- own(program(strings.NewReader(""), io.Discard, stderr)).Run(ctx, []string{"-http", "127.0.0.1:0"})
	}()
	defer func() {
		cancel()
		<-ended
	}()
	served := regexp.MustCompile(`serves (\S+)\n`)
	waittest.Until(t, "it serves", func() bool { return served.MatchString(stderr.String()) })
	for header, want := range map[string]int{"": http.StatusUnauthorized, "Bearer " + token: http.StatusMethodNotAllowed} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, served.FindStringSubmatch(stderr.String())[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", header)
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("with %q the status is %d, want %d", header, response.StatusCode, want)
		}
	}

	t.Setenv("DOUGU_TOKEN", token)
	var told strings.Builder
	if code := own(program(strings.NewReader(""), io.Discard, &told)).Run(t.Context(), []string{"-http", "127.0.0.1:0"}); code != 1 || !strings.Contains(told.String(), "leave out DOUGU_TOKEN") {
		t.Errorf("tokens from both: exit code %d, %s", code, told.String())
	}
}
