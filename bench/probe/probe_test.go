package probe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/bench/probe"
)

func TestHandler_Stats(t *testing.T) {
	server := httptest.NewServer(probe.Handler())
	defer server.Close()
	before, err := probe.Ask(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	const size = 8 << 20
	held := make([]byte, size)
	end := make(chan struct{})
	for range 100 {
		go func() { <-end }()
	}
	during, err := probe.Ask(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(held)
	close(end)
	if grown := during.Heap - before.Heap; grown < size*9/10 {
		t.Errorf("the heap grew by %d bytes, want about %d", grown, size)
	}
	if more := during.Goroutines - before.Goroutines; more < 95 {
		t.Errorf("there are %d goroutines more, want about 100", more)
	}
	if during.Stack <= 0 {
		t.Errorf("stacks have %d bytes", during.Stack)
	}
}

func TestHandler_Profiles(t *testing.T) {
	server := httptest.NewServer(probe.Handler())
	defer server.Close()
	response, err := http.Get(server.URL + "/debug/pprof/goroutine?debug=1")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	profile, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(profile), "goroutine profile") {
		t.Errorf("got %v: %s", err, profile)
	}
}

func TestAsk_NotAProbe(t *testing.T) {
	silent := httptest.NewServer(http.NotFoundHandler())
	defer silent.Close()
	for _, url := range []string{silent.URL, "http://127.0.0.1:1", "://"} {
		if _, err := probe.Ask(t.Context(), url); err == nil || !strings.Contains(err.Error(), "the probe") {
			t.Errorf("%s gave %v, want an error that speaks of the probe", url, err)
		}
	}
}
