package lsp_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/lsp"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

func TestSession_Work(t *testing.T) {
	report := func(value string) string {
		return `{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{` + value + `}}}`
	}
	c := config(t, lsptest.Script{Sends: map[string][]string{
		"textDocument/definition": {report(`"kind":"report","percentage":9`), report(`"kind":"begin","title":"Indexing","percentage":-5`), report(`"kind":"report","message":"a.rs","percentage":4300`), report(`"kind":"report"`)},
		"textDocument/references": {report(`"kind":"end"`)},
	}})
	s := start(t, c)
	if s.StatesVersions() {
		t.Error("it has published nothing")
	}
	if err := s.Call(patient(t), "textDocument/definition", nil, nil); err != nil {
		t.Fatal(err)
	}
	if work := s.Work(); len(work) != 1 || work[0] != (lsp.Work{Title: "Indexing", Message: "a.rs", Percentage: 100}) {
		t.Errorf("work: %+v", work)
	}
	if err := s.Call(patient(t), "textDocument/references", nil, nil); err != nil {
		t.Fatal(err)
	}
	if work := s.Work(); len(work) != 0 {
		t.Errorf("work after its end: %+v", work)
	}
}

func TestSession_Ready(t *testing.T) {
	message := func(text string) string {
		return `{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3,"message":"` + text + `"}}`
	}
	c := config(t, lsptest.Script{Sends: map[string][]string{
		"textDocument/definition": {message("Found no files")},
		"textDocument/references": {message("Found 3 files")},
	}})
	if s := start(t, c); !s.Ready() {
		t.Error("a session without a message to wait for is not ready")
	}
	c.ReadyMessage = regexp.MustCompile(`^(Found \d+|No) `)
	s := start(t, c)
	for n, method := range []string{"textDocument/definition", "textDocument/references"} {
		if err := s.Call(patient(t), method, nil, nil); err != nil {
			t.Fatal(err)
		}
		if s.Ready() != (n == 1) {
			t.Errorf("ready is %v after %s", s.Ready(), method)
		}
	}
}

func TestServer_GivenUp(t *testing.T) {
	server := lsp.Server{Config: config(t, lsptest.Script{Does: map[string]string{"initialize": lsptest.Die}}), Backoff: 1}
	server.Config.Command = []string{filepath.Join(t.TempDir(), "missing")}
	for n := range lsp.MaxFailures {
		if server.GivenUp() {
			t.Errorf("given up after %d failures", n)
		}
		if _, err := server.Session(patient(t)); err == nil {
			t.Fatal("it has started")
		}
	}
	if !server.GivenUp() {
		t.Error("it is not given up")
	}
	if err := server.Close(patient(t)); err != nil {
		t.Error(err)
	}
}
