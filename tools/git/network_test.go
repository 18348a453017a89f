package git_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/git"
)

// A remote that needs a password ends the call without a question.
func TestPull_Authentication(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	for _, user := range []string{"", "bob@", "bob:hunter2hunter2@"} {
		p.git("config", "remote.origin.url", strings.Replace(server.URL, "://", "://"+user, 1)+"/x.git")
		p.git("config", "branch.main.remote", "origin")
		p.git("config", "branch.main.merge", "refs/heads/main")
		_, err := p.Pull(t.Context(), git.PullArgs{})
		wants(t, err, "AUTHENTICATION_REQUIRED", "credential helper", "127.0.0.1")
		lacks(t, err.Error(), "hunter2")
		_, err = p.Push(t.Context(), git.PushArgs{})
		wants(t, err, "AUTHENTICATION_REQUIRED")
		lacks(t, err.Error(), "hunter2")
	}
	for _, r := range p.audit.Recent(100) {
		lacks(t, r.Params, "hunter2")
	}
}

// The credential helper of the repository does not run; the helper of the user runs.
func TestPull_CredentialHelpers(t *testing.T) {
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); ok {
			asked <- user + ":" + password
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.git("remote", "add", "origin", server.URL+"/x.git")
	p.git("config", "--global", "credential.helper", "!echo username=user; echo password=own; true")
	p.git("config", "credential.helper", "")
	p.git("config", "--add", "credential.helper", "!echo username=evil; echo password=theirs; true")
	_, err := p.Pull(t.Context(), git.PullArgs{Remote: "origin", Branch: "main"})
	wants(t, err, "AUTHENTICATION_REQUIRED")
	close(asked)
	got := []string{}
	for one := range asked {
		got = append(got, one)
	}
	if len(got) == 0 || got[0] != "user:own" || strings.Contains(strings.Join(got, " "), "theirs") {
		t.Errorf("the server was told %q", got)
	}
}

// A slow remote does not block a call, and the next call waits for the same operation.
func TestPull_SlowRemote(t *testing.T) {
	release := make(chan struct{})
	requests := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	p := newProject(t, setup{options: git.Options{WaitTimeout: 300 * time.Millisecond}, files: map[string]string{"a.txt": "a\n"}})
	p.git("remote", "add", "origin", server.URL+"/x.git")
	args := git.PullArgs{Remote: "origin", Branch: "main"}
	r := must(p.Pull(t.Context(), args))(t)
	if !r.Running {
		t.Fatalf("%+v", r)
	}
	contains(t, r.TextContent(), "still fetching from http://127.0.0.1", "waits on")
	push := must(p.Push(t.Context(), git.PushArgs{SetUpstream: true}))(t)
	contains(t, push.TextContent(), "still sending")
	close(release)
	deadline := time.Now().Add(hang)
	for {
		r, err := p.Pull(t.Context(), args)
		if err != nil {
			wants(t, err, "REMOTE_UNREACHABLE")
			break
		}
		if !r.Running || time.Now().After(deadline) {
			t.Fatalf("%+v", r)
		}
	}
	if len(requests) > 4 { // each of both may ask again
		t.Errorf("%d requests", len(requests))
	}
}

// Cancellation of a call and Close end the operation.
func TestPull_Cancellation(t *testing.T) {
	begun, over := make(chan struct{}, 10), make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-r.Context().Done()
		over <- struct{}{}
	}))
	t.Cleanup(server.Close)
	p := newProject(t, setup{options: git.Options{WaitTimeout: 100 * time.Millisecond}, files: map[string]string{"a.txt": "a\n"}})
	p.git("remote", "add", "origin", server.URL+"/x.git")
	must(p.Pull(t.Context(), git.PullArgs{Remote: "origin", Branch: "main"}))(t)
	<-begun
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	<-over

	p.reopen(setup{})
	ctx, cancel := contextWithCancel(t)
	done := make(chan error, 1)
	var call group.Group
	defer call.Wait()
	call.Go(func() { _, err := p.Pull(ctx, git.PullArgs{Remote: "origin", Branch: "main"}); done <- err })
	<-begun
	cancel()
	wants(t, <-done, "CANCELLED")
	<-over
}

// The consent of the user is requested through a client that can ask.
func TestPush_UserConsent(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	p.git("checkout", "--quiet", "-b", "side")
	p.write("b.txt", "b\n")
	tip := p.commit("b")
	p.git("checkout", "--quiet", "main")
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125} {
		answer, question := mcp.Decline, ""
		client := mcptest.Connect(t, mcptest.Server(t, p.Features()), &mcp.ClientOptions{Revision: rev, Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			question = form.Message
			return mcp.Answer[json.RawMessage]{Action: answer}, nil
		}})
		remove := map[string]any{"action": "delete", "name": "side"}
		_, err := mcp.Call[git.BranchResult](t.Context(), client, "git_branch", remove)
		if security.CodeOf(err) != "DECLINED" {
			t.Errorf("%s: %v", rev, err)
		}
		contains(t, question, `Delete the branch "side"`, "1 commit")
		answer = mcp.Accept
		r, err := mcp.Call[git.BranchResult](t.Context(), client, "git_branch", remove)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, r.Done, "deleted branch side")
		p.git("branch", "side", tip)
	}
}
