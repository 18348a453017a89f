package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security/auth/usertoken"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// guardedProgram is a program that needs a token, of a user with a directory for settings.
func guardedProgram(settings string, stdout, stderr io.Writer) *app.App {
	server := program(strings.NewReader(""), stdout, stderr)
	server.NeedsToken = true
	server.Environment = &app.Environment{GOOS: "linux", ConfigDir: settings}
	return server
}

// serveOnce serves HTTP, asks for the URL with each token and returns the statuses and
// standard error. An empty token is no header.
func serveOnce(t *testing.T, settings string, args []string, tokens func(stderr string) []string) (statuses []int, stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := new(waittest.Log)
	var running group.Group
	ended := make(chan struct{})
	running.Go(func() {
		defer close(ended)
		if code := guardedProgram(settings, io.Discard, said).Run(ctx, append([]string{"-http", "127.0.0.1:0"}, args...)); code != 0 {
			t.Errorf("exit code %d: %s", code, said)
		}
	})
	pattern := regexp.MustCompile(`serves (\S+)\n(?s:.*)\n\n`)
	waittest.Until(t, "the program serves or has ended", func() bool {
		select {
		case <-ended:
			return true
		default:
			return pattern.MatchString(said.String()) && (len(args) > 0 || strings.Contains(said.String(), "\ntoken: "))
		}
	})
	found := pattern.FindStringSubmatch(said.String())
	if found == nil {
		t.Fatalf("it serves nothing: %s", said)
	}
	for _, token := range tokens(said.String()) {
		statuses = append(statuses, status(t, found[1], token))
	}
	cancel()
	running.Wait()
	return statuses, said.String()
}

// status is the answer to a request that begins a connection.
func status(t *testing.T, url, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode == http.StatusUnauthorized && (!strings.Contains(string(text), "Authorization: Bearer") && !strings.Contains(string(text), "not one that is known") ||
		strings.Contains(string(text), "dougu")) {
		t.Errorf("the client reads %q", text)
	}
	return answer.StatusCode
}

var shownToken = regexp.MustCompile(`\ntoken: ([A-Za-z0-9_-]{43}) `)

func TestServe_TokenIsGeneratedAndShownOnce(t *testing.T) {
	settings := t.TempDir()
	var secret string
	statuses, stderr := serveOnce(t, settings, nil, func(stderr string) []string {
		if found := shownToken.FindStringSubmatch(stderr); found != nil {
			secret = found[1]
		}
		return []string{"", "wrong-token-of-a-stranger", secret}
	})
	if secret == "" || !strings.Contains(stderr, "shown this once") || !strings.Contains(stderr, usertoken.File(settings, "prog")) {
		t.Fatalf("it says\n%s", stderr)
	}
	if statuses[0] != 401 || statuses[1] != 401 || statuses[2] != 200 {
		t.Errorf("without, with a wrong and with the token: %v", statuses)
	}
	info, err := os.Stat(usertoken.File(settings, "prog"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	statuses, stderr = serveOnce(t, settings, nil, func(string) []string { return []string{"", secret} })
	if strings.Contains(stderr, secret) || !strings.Contains(stderr, "token: kept in "+usertoken.File(settings, "prog")) {
		t.Errorf("the second start says\n%s", stderr)
	}
	if statuses[0] != 401 || statuses[1] != 200 {
		t.Errorf("without and with the token of the first start: %v", statuses)
	}
	var out, errs strings.Builder
	if code := guardedProgram(settings, &out, &errs).Run(t.Context(), []string{"token"}); code != 0 || out.String() != secret+"\n" {
		t.Errorf("the command token: %d, %q, %q", code, &out, &errs)
	}
}

func TestServe_NoToken(t *testing.T) {
	settings := t.TempDir()
	statuses, stderr := serveOnce(t, settings, []string{"-no-token"}, func(string) []string { return []string{"", "any"} })
	if statuses[0] != 200 || statuses[1] != 200 || strings.Contains(stderr, "token: ") {
		t.Errorf("%v\n%s", statuses, stderr)
	}
	if left, err := os.ReadDir(settings); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}

func TestServe_UnwritableTokenDirectory(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	statuses, stderr := serveOnce(t, settings, nil, func(stderr string) []string {
		return []string{"", shownToken.FindStringSubmatch(stderr)[1]}
	})
	if statuses[0] != 401 || statuses[1] != 200 || !strings.Contains(stderr, "for this run only; it could not be saved") {
		t.Errorf("%v\n%s", statuses, stderr)
	}
	var out, errs strings.Builder
	if code := guardedProgram(settings, &out, &errs).Run(t.Context(), []string{"token"}); code != 1 || out.String() != "" || !strings.Contains(errs.String(), "cannot be saved") {
		t.Errorf("the command token: %d, %q, %q", code, &out, &errs)
	}
}

func TestServe_ConfiguredTokens(t *testing.T) {
	settings := t.TempDir()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	statuses, stderr := serveOnce(t, settings, []string{"-token-file", file}, func(string) []string { return []string{"", token} })
	if statuses[0] != 401 || statuses[1] != 200 || strings.Contains(stderr, "token: ") {
		t.Errorf("%v\n%s", statuses, stderr)
	}
	if left, err := os.ReadDir(settings); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}

func TestServe_RefusedTokenFlags(t *testing.T) {
	settings := t.TempDir()
	file := usertoken.File(settings, "prog")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("short"), 0o600)); err != nil {
		t.Fatal(err)
	}
	given := filepath.Join(settings, "given")
	if err := os.WriteFile(given, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"with a file of tokens":   {[]string{"-http", "127.0.0.1:0", "-no-token", "-token-file", given}, 2, "-no-token contradicts"},
		"with an issuer":          {[]string{"-http", "127.0.0.1:0", "-no-token", "-auth-issuer", "https://login.example.com"}, 2, "-no-token contradicts"},
		"off loopback":            {[]string{"-http", "0.0.0.0:0", "-no-token"}, 1, "other machines"},
		"an unsafe file":          {[]string{"-http", "127.0.0.1:0"}, 1, "remove it"},
		"an unsafe file, command": {[]string{"token"}, 1, "remove it"},
		"an argument":             {[]string{"token", "more"}, 2, "no arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			stderr := new(strings.Builder)
			if code := guardedProgram(settings, io.Discard, stderr).Run(t.Context(), tc.args); code != tc.code || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
	t.Setenv("DOUGU_TOKEN", token)
	stderr := new(strings.Builder)
	if code := guardedProgram(settings, io.Discard, stderr).Run(t.Context(), []string{"-http", "127.0.0.1:0", "-no-token"}); code != 2 || !strings.Contains(stderr.String(), "DOUGU_TOKEN") {
		t.Errorf("with tokens in the environment: exit code %d: %s", code, stderr)
	}
	stderr.Reset()
	if code := program(strings.NewReader(""), io.Discard, stderr).Run(t.Context(), []string{"-http", "127.0.0.1:0", "-no-token"}); code != 2 {
		t.Errorf("a program without commands has the flag: exit code %d", code)
	}
}

func TestDoctor_Token(t *testing.T) {
	settings := t.TempDir()
	file := filepath.Join(settings, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	report := func(settings string) string {
		var out strings.Builder
		server := guardedProgram(settings, &out, io.Discard)
		server.Executable = filepath.Join(settings, "none") // the server itself is no subject here
		server.Run(t.Context(), []string{"doctor"})
		return out.String()
	}
	if out := report(settings); !strings.Contains(out, "- token: none yet") {
		t.Errorf("before the first start it says\n%s", out)
	}
	kept, err := usertoken.Load(settings, "prog")
	if err != nil {
		t.Fatal(err)
	}
	if out := report(settings); !strings.Contains(out, "token: kept in "+kept.File) || strings.Contains(out, kept.Text) {
		t.Errorf("with a token it says\n%s", out)
	}
	if out := report(file); !strings.Contains(out, "! token: no token can be kept") {
		t.Errorf("without a place for one it says\n%s", out)
	}
	if err := os.WriteFile(kept.File, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := report(settings); !strings.Contains(out, "✗ token: ") || strings.Contains(out, "short") {
		t.Errorf("with a file that is no token it says\n%s", out)
	}
}

// TestServe_OwnerHasNoPrincipal checks that the user's own token is the user's, as standard input is, and that the tokens of a
// file have principals.
func TestServe_OwnerHasNoPrincipal(t *testing.T) {
	settings := t.TempDir()
	for _, tc := range []struct{ tokens, want string }{{"", "you are "}, {token, "you are client"}} {
		t.Setenv("DOUGU_TOKEN", tc.tokens)
		ctx, cancel := context.WithCancel(t.Context())
		said := new(waittest.Log)
		var running group.Group
		running.Go(func() {
			if code := guardedProgram(settings, io.Discard, said).Run(ctx, []string{"-http", "127.0.0.1:0"}); code != 0 {
				t.Errorf("exit code %d: %s", code, said)
			}
		})
		serves := regexp.MustCompile(`serves (\S+)\n`)
		waittest.Until(t, "the program serves", func() bool { return serves.MatchString(said.String()) })
		bearer := tc.tokens
		if bearer == "" {
			own, err := usertoken.Load(settings, "prog")
			if err != nil {
				t.Fatal(err)
			}
			bearer = own.Text
		}
		got, err := whoami(t, &httpclient.Client{URL: serves.FindStringSubmatch(said.String())[1], Header: http.Header{"Authorization": {"Bearer " + bearer}}})
		if err != nil || got != tc.want {
			t.Errorf("with the tokens %q: %q, %v, want %q", tc.tokens, got, err, tc.want)
		}
		cancel()
		running.Wait()
	}
}
