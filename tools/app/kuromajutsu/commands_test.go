package kuromajutsu

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The demonstration ends by itself, and nothing of it stays.
func TestDemo(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("os.TempDir does not ask TMPDIR")
	}
	t.Setenv("FAKEAGENT_SPEED", "50")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	home := t.TempDir()
	code, out, errs := in("HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "FAKEAGENT_SPEED=50", "KUROMAJUTSU_CONFIG=/none", "KUROMAJUTSU_HISTORY_PATH="+filepath.Join(home, "history.db")).Run(t, "demo", "-once", "-port", "0", "-agent-stagger_ms", "0")
	if code != 0 || out != "" {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	apptest.Contains(t, errs, "dashboard: http://localhost:", "#token=", "your files are not changed")
	if strings.Contains(errs, "level=") {
		t.Errorf("something was wrong:\n%s", errs)
	}
	for _, dir := range []string{temporary, home} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("in %s stay %v, %v", dir, left, err)
		}
	}
}

// A demonstration that is interrupted leaves nothing either.
func TestDemoInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	begun := running(t, in(), "demo", "-port", "0")
	begun.said("your files are not changed")
	begun.end()
	if left, err := os.ReadDir(os.TempDir()); err != nil || os.PathSeparator == '/' && len(left) > 0 {
		t.Errorf("there stay %v, %v", left, err)
	}
}

// The dashboard alone shows roles and history until it is interrupted.
func TestDashboard(t *testing.T) {
	dir := t.TempDir()
	d := running(t, withState(t), "dashboard", "-root", dir, "-port", "0", "-agent-cursor-program", fakeCursor(t))
	d.said("#token=")
	url := regexp.MustCompile(`http://\S+/`).FindString(d.stderr.String())
	token := printedToken(t)
	if !strings.Contains(d.stderr.String(), url+"#token="+token+"\n") {
		t.Errorf("it says\n%s", d.stderr)
	}
	for path, want := range map[string]string{"": "<!doctype html>", "api/history": `"agents"`, "api/health": ""} {
		code, body := get(t, url+path, token)
		if code != http.StatusOK || !strings.Contains(strings.ToLower(body), want) {
			t.Errorf("%s: %d %.300s", path, code, body)
		}
	}
	if code, _ := get(t, url+"api/history", ""); code != http.StatusUnauthorized {
		t.Errorf("the history without the token: %d", code)
	}
	if code, _ := get(t, url+"mcp", token); code != http.StatusUnauthorized {
		t.Errorf("what agents report to answers everybody: %d", code)
	}
	d.end()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the project has got %v, %v", left, err)
	}
}

// printedToken returns the output of the command token.
func printedToken(t *testing.T) string {
	t.Helper()
	r := running(t, in(), "token")
	<-r.ended
	if r.end(); len(r.stdout.String()) < 43 {
		t.Fatalf("it prints %q", r.stdout)
	}
	return strings.TrimSpace(r.stdout.String())
}

// The log of a client does not get the token, which stays the same over restarts.
func TestServe_DashboardNeedsTheToken(t *testing.T) {
	token := printedToken(t)
	for _, noToken := range []bool{false, false, true} {
		args := []string{"serve", "-root", t.TempDir(), "-port", "0", "-agent-cursor-program", fakeCursor(t), "-http", "127.0.0.1:0", fmt.Sprint("-no-token=", noToken)}
		s := running(t, withState(t), args...)
		s.said("serves http://")
		at := regexp.MustCompile(`dashboard: (http://\S+/) \(with #token=TOKEN at its end; "kuromajutsu token"`).FindStringSubmatch(s.stderr.String())
		if at == nil || strings.Contains(s.stderr.String(), token) {
			t.Fatalf("it says\n%s", s.stderr)
		}
		want := http.StatusUnauthorized
		if noToken {
			want = http.StatusOK
		}
		if code, _ := get(t, at[1]+"api/history", ""); code != want {
			t.Errorf("-no-token=%v: without the token: %d", noToken, code)
		}
		if code, _ := get(t, at[1]+"api/history", token); code != http.StatusOK {
			t.Errorf("-no-token=%v: with the token: %d", noToken, code)
		}
		s.end()
	}
}

// get asks for a URL; an empty token is no header.
func get(t *testing.T, url, token string) (code int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
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

// runner is a command that runs until it is interrupted.
type runner struct {
	t              *testing.T
	stdout, stderr *apptest.Output
	interrupt      context.CancelFunc
	ended          chan struct{}
	command        group.Group
	code           int
}

// running starts a command.
func running(t *testing.T, p apptest.Program, args ...string) *runner {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	r := &runner{t: t, stdout: new(apptest.Output), stderr: new(apptest.Output), interrupt: cancel, ended: make(chan struct{})}
	program := func() *app.App {
		server := p()
		server.Stdin, server.Stdout, server.Stderr = strings.NewReader(""), r.stdout, r.stderr
		return server
	}
	r.command.Go(func() {
		defer close(r.ended)
		r.code = program().Run(ctx, args)
	})
	t.Cleanup(r.end)
	return r
}

// said waits for words on standard error.
func (r *runner) said(words string) {
	r.t.Helper()
	if !r.stderr.Await(words, r.ended) {
		r.t.Fatalf("it ended without %q:\n%s", words, r.stderr)
	}
}

// end interrupts it.
func (r *runner) end() {
	r.t.Helper()
	r.interrupt()
	<-r.ended
	if r.code != 0 {
		r.t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}

// A role that cannot be used costs the demonstration its agents, and not its end;
// without any role there is nothing to play.
func TestDemo_WithoutRole(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("os.TempDir does not ask TMPDIR")
	}
	t.Setenv("FAKEAGENT_SPEED", "50")
	t.Setenv("TMPDIR", t.TempDir())
	for roles, says := range map[string]string{
		"  - {id: impl-code, model: auto, systemPrompt: You write.}\n  - {id: impl-test, model: no-such-model, systemPrompt: You test.}\n": "role impl-test cannot be used",
		"  - {id: other, model: auto, systemPrompt: You wait.}\n":                                                                          "there is no role",
	} {
		file := filepath.Join(t.TempDir(), "roles.yaml")
		apptest.Must(t, os.WriteFile(file, []byte("roles:\n"+roles), 0o600))
		code, _, errs := in("HOME="+t.TempDir(), "FAKEAGENT_SPEED=50").Run(t, "demo", "-once", "-port", "0", "-config", file, "-agent-stagger_ms", "0")
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
		apptest.Contains(t, errs, "is left out", says)
	}
}

// The demonstration repeats until the user ends it.
func TestDemo_Repeats(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "roles.yaml")
	apptest.Must(t, os.WriteFile(file, []byte("roles:\n  - {id: other, model: auto, systemPrompt: You wait.}\n"), 0o600))
	begun := running(t, in("HOME="+t.TempDir(), "FAKEAGENT_SPEED=1000"), "demo", "-port", "0", "-config", file)
	waittest.Until(t, "all scenes are played twice", func() bool {
		return strings.Count(begun.stderr.String(), `role=text-review`) > 2
	})
	begun.end()
}
