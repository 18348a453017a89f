package cursorcli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/oauth"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// aServer runs the program as a process that accepts the tokens of an issuer. It returns
// the URL and the log.
func aServer(t *testing.T, issuer *authtest.Server) (url string, stderr *waittest.Log) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-root", newProject(t), "-http", "127.0.0.1:0", "-auth-issuer", issuer.URL, "-logging-outputs", "console", "-logging-level", "info")
	cmd.Env = append(os.Environ(), "DOUGU_TEST_CURSORCLI=1")
	stderr = new(waittest.Log)
	cmd.Stderr = stderr
	apptest.Must(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.Process.Signal(os.Interrupt) != nil { // as on Windows
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			return
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v: %s", err, stderr)
		}
	})
	serves := regexp.MustCompile(`serves (\S+)\n`)
	waittest.Until(t, "the server serves", func() bool { return serves.MatchString(stderr.String()) })
	return serves.FindStringSubmatch(stderr.String())[1], stderr
}

// aUser gets tokens as a person with a browser does.
func aUser(t *testing.T, key oauth.Prover) (*oauth.Client, *http.Transport) {
	t.Helper()
	base := new(http.Transport)
	user := &oauth.Client{Name: "test", DPoP: key, HTTP: base, Log: new(waittest.Log).Logger(), Authorizer: &oauth.Loopback{
		Prompt: func(string, error) {},
		Open: func(ctx context.Context, page string) error {
			r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, page, nil)
			if err != nil {
				return err
			}
			response, err := (&http.Client{Transport: base}).Do(r)
			if err != nil {
				return err
			}
			return response.Body.Close()
		},
	}}
	t.Cleanup(func() {
		apptest.Must(t, user.Close())
		base.CloseIdleConnections()
	})
	return user, base
}

// A server is used by several programs at once, of every revision and with bound tokens,
// while its authorization server changes its keys and is away for a while.
func TestServe_Authorization(t *testing.T) {
	issuer := authtest.New(t)
	url, stderr := aServer(t, issuer)
	key, err := dpop.NewKey()
	apptest.Must(t, err)
	revisions := []protocol.Revision{"", protocol.Rev20251125, protocol.Rev20250618, protocol.Rev20250326}
	var clients []*mcp.Client
	for i := range 2 * len(revisions) {
		var prover oauth.Prover
		if i >= len(revisions) {
			prover = key
		}
		user, base := aUser(t, prover)
		client, err := mcp.Connect(t.Context(), &httpclient.Client{URL: url, HTTPClient: &http.Client{Transport: user.Transport(url, base)}},
			mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{Revision: revisions[i%len(revisions)]})
		apptest.Must(t, err)
		clients = append(clients, client)
	}
	use := func(times int) {
		var all sync.WaitGroup
		for i, client := range clients {
			all.Go(func() {
				for range times {
					result, err := client.CallTool(t.Context(), "read_file", map[string]any{"path": "main.go"}, nil)
					if err != nil || result.IsError || !strings.Contains(fmt.Sprint(result.Content), "package main") {
						t.Errorf("client %d: %+v, %v", i, result, err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	use(20)
	issuer.Rotate() // tokens of the old key are accepted until the next refresh of the keys
	use(10)
	issuer.Down(true)
	use(10)
	issuer.Down(false)
	for _, client := range clients {
		apptest.Must(t, client.Close())
	}
	if log := stderr.String(); strings.Contains(log, "eyJ") || strings.Contains(log, "panic") || strings.Contains(log, "RACE") {
		t.Errorf("the log has a token, or worse: %s", log)
	}
}

// Many concurrent requests with invalid tokens are refused, and valid requests are still
// served.
func TestServe_InvalidTokens(t *testing.T) {
	issuer, stranger := authtest.New(t), authtest.New(t)
	url, stderr := aServer(t, issuer)
	base := &http.Transport{MaxConnsPerHost: 32}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: base, Timeout: time.Minute}
	ask := func(token string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, nil)
		apptest.Must(t, err)
		r.Header["Authorization"] = []string{token}
		response, err := client.Do(r)
		if err != nil {
			t.Error(err)
			return 0
		}
		apptest.Must(t, response.Body.Close())
		return response.StatusCode
	}
	good := "Bearer " + issuer.Token(url, nil)
	bad := []string{
		"Bearer " + stranger.Token(url, map[string]any{"iss": issuer.URL}), "Bearer " + stranger.Token(url, nil), "Bearer x", "Bearer " + strings.Repeat("a", 12<<10),
		"Bearer " + issuer.Token(url+"/", nil), "Bearer " + issuer.Token(url, map[string]any{"exp": 1}), "DPoP " + issuer.Token(url, nil), "Basic eDp5", "Bearer " + strings.Repeat("e30.", 500) + "e30",
	}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 60 {
				token, want := bad[(i+n)%len(bad)], map[int]bool{401: true, 400: true}
				if n%5 == 0 {
					token, want = good, map[int]bool{405: true}
				}
				if got := ask(token); !want[got] {
					t.Errorf("%.60s: status %d", token, got)
				}
			}
		})
	}
	all.Wait()
	if n := stranger.Requests(authtest.MetadataPath) + stranger.Requests(authtest.KeysPath); n > 0 {
		t.Errorf("%d requests to a stranger", n)
	}
	if n := issuer.Requests(authtest.KeysPath); n > 2 {
		t.Errorf("the issuer was asked for its keys %d times", n)
	}
	log := stderr.String()
	if strings.Contains(log, "eyJ") || strings.Contains(log, "panic") || strings.Count(log, "refused") > 60 {
		t.Errorf("the log has a token, or much: %s", log)
	}
}
