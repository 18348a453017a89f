package lsp_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func server(t *testing.T, script lsptest.Script) *lsp.Server {
	s := &lsp.Server{Config: config(t, script), Backoff: time.Millisecond}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

// Each start is wrapped, and ended is called when the server is gone.
func TestServer_Wrap(t *testing.T) {
	var wrapped, ended atomic.Int32
	s := server(t, lsptest.Script{})
	s.Config.Wrap = func(cmd *exec.Cmd) (func(), error) {
		if len(cmd.Env) == 0 {
			t.Error("the environment is not complete")
		}
		wrapped.Add(1)
		return func() { ended.Add(1) }, nil
	}
	for n := range int32(2) {
		if _, err := s.Session(patient(t)); err != nil || wrapped.Load() != n+1 || ended.Load() != n {
			t.Errorf("start %d: %d were wrapped and %d ended, %v", n, wrapped.Load(), ended.Load(), err)
		}
		if err := s.Stop(patient(t)); err != nil || ended.Load() != n+1 {
			t.Errorf("end %d: %d ended, %v", n, ended.Load(), err)
		}
	}
	s.Config.Wrap = func(*exec.Cmd) (func(), error) { return nil, errors.New("no sandbox") }
	if _, err := s.Session(patient(t)); err == nil || !strings.Contains(err.Error(), "no sandbox") {
		t.Errorf("a command that cannot be wrapped: %v", err)
	}
}

// ended is also called if the wrapped command cannot be started.
func TestServer_WrapWithoutStart(t *testing.T) {
	var ended atomic.Int32
	s := server(t, lsptest.Script{})
	s.Config.Wrap = func(cmd *exec.Cmd) (func(), error) {
		cmd.Path = filepath.Join(t.TempDir(), "missing")
		return func() { ended.Add(1) }, nil
	}
	if _, err := s.Session(patient(t)); err == nil || ended.Load() != 1 {
		t.Errorf("%d ended, %v", ended.Load(), err)
	}
}

func TestServer_Restart(t *testing.T) {
	var changes atomic.Int32
	s := server(t, lsptest.Script{Does: map[string]string{"textDocument/definition": lsptest.Die}})
	s.Changed = func() { changes.Add(1) }
	first, err := s.Session(patient(t))
	if err != nil {
		t.Fatal(err)
	}
	for life := range lsp.MaxFailures {
		session, err := s.Session(patient(t))
		if err != nil {
			t.Fatalf("life %d: %v", life, err)
		}
		if again, err := s.Session(patient(t)); again != session || err != nil {
			t.Errorf("life %d: two sessions at once, %v", life, err)
		}
		if err := session.Call(patient(t), "textDocument/definition", nil, nil); err == nil {
			t.Errorf("life %d: it did not die", life)
		}
		if life > 0 && session == first {
			t.Error("a dead session was answered")
		}
	}
	if _, err := s.Session(patient(t)); !errors.Is(err, lsp.ErrGivenUp) {
		t.Errorf("after %d deaths: %v", lsp.MaxFailures, err)
	} else if failed, _ := errors.AsType[*lsp.Error](err); failed.Words != "out of cheese" {
		t.Errorf("why it was given up: %v, %q", err, failed.Words)
	}
	s.Forgive()
	if _, err := s.Session(patient(t)); err != nil {
		t.Errorf("forgiven: %v", err)
	}
	if changes.Load() < 2*lsp.MaxFailures {
		t.Errorf("%d changes were told", changes.Load())
	}
}

func TestServer_FailuresExpire(t *testing.T) {
	s := server(t, lsptest.Script{Does: map[string]string{"initialize": lsptest.Die}})
	s.Window = time.Millisecond // shorter than it takes to start
	for range 2 * lsp.MaxFailures {
		if _, err := s.Session(patient(t)); err == nil || errors.Is(err, lsp.ErrGivenUp) {
			t.Fatalf("%v", err)
		}
	}
}

func TestServer_StartWithoutCaller(t *testing.T) {
	s := server(t, lsptest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Session(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if session, err := s.Session(patient(t)); err != nil || session == nil {
		t.Errorf("later: %v", err)
	}
}

func TestServer_Stop(t *testing.T) {
	s := server(t, lsptest.Script{Does: map[string]string{"initialize": lsptest.Hang}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Session(ctx); err == nil {
		t.Error("it started")
	}
	if err := s.Stop(patient(t)); err != nil {
		t.Errorf("while it starts: %v", err)
	}
	if err := s.Close(patient(t)); err != nil {
		t.Errorf("closing: %v", err)
	}
	if _, err := s.Session(patient(t)); !errors.Is(err, lsp.ErrClosed) {
		t.Errorf("a closed server: %v", err)
	}
}
