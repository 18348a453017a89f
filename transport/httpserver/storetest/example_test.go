package storetest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/httpserver/storetest"
)

// A session that one Handler has opened is served by another.
func ExampleMemory() {
	shared := new(storetest.Memory)
	srv := mcp.NewServer(mcp.Implementation{Name: "demo", Version: "1"}, nil)
	one := httpserver.NewHandler(srv, &httpserver.Options{Shared: shared})
	two := httpserver.NewHandler(srv, &httpserver.Options{Shared: shared})
	defer one.Shutdown(context.Background())
	defer two.Shutdown(context.Background())

	opened := post(one, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	answer := post(two, opened.Header.Get("Mcp-Session-Id"), `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	fmt.Println(answer.StatusCode)
	// Output: 200
}

func post(h http.Handler, session, body string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}
