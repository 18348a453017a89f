package driver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// posting returns the URL of an HTTP server with a scripted response.
func posting(t *testing.T, answer http.HandlerFunc) *url.URL {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func echoPost(w http.ResponseWriter, r *http.Request) {
	line, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, echo(string(line)))
}

func TestPosts_Carry(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	peers := make(map[string]bool)
	u := posting(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		peers[r.RemoteAddr] = true
		mu.Unlock()
		h := r.Header
		if r.URL.Path != "/mcp" || h.Get("Mcp-Protocol-Version") != modern || h.Get("Mcp-Method") != "test" || h.Get("Mcp-Name") != "tool" {
			http.Error(w, fmt.Sprintf("%s with %v", r.URL, h), http.StatusBadRequest)
			return
		}
		echoPost(w, r)
	})
	posts, err := dialPosts(t.Context(), u, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer posts.close()
	x := newExchange(t, 100, 4)
	x.request.name = "tool"
	answers, err := posts.carry(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != 100 || len(peers) > 4 {
		t.Errorf("kept %d answers, over %d connections", len(answers), len(peers))
	}
	if err := x.verify(answers, wantOK); err != nil {
		t.Error(err)
	}
	x.every, x.usual = 25, len(answers[0])+1 // an echo has a newline
	if answers, err = posts.carry(t.Context(), x); err != nil || len(answers) != 4 {
		t.Errorf("kept %d answers of the usual length, want one of 25: %v", len(answers), err)
	}
}

func TestPosts_InvalidResponses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"refused", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "too busy", http.StatusServiceUnavailable) }, "too busy"},
		{"hung up on", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "receive the answer"},
		{"answered wrongly", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"result":{}}`) }, "identifier"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			posts, err := dialPosts(t.Context(), posting(t, test.answer), 2)
			if err != nil {
				t.Fatal(err)
			}
			defer posts.close()
			x := newExchange(t, 20, 2)
			answers, err := posts.carry(t.Context(), x)
			if err == nil {
				err = x.verify(answers, wantOK)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

// session serves a server that opens sessions named "s".
func session(answer func(method string) (int, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     int
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		status, result := answer(req.Method)
		if req.Method == "initialize" && status == http.StatusOK {
			w.Header().Set("Mcp-Session-Id", "s")
		} else if r.Header.Get("Mcp-Session-Id") != "s" || r.Header.Get("Mcp-Protocol-Version") != protocol {
			status, result = http.StatusNotFound, "" // neither session
		}
		w.WriteHeader(status)
		if status == http.StatusOK {
			fmt.Fprintf(w, `{"id":%d,"result":%s}`, req.ID, result)
		}
	}
}

func handshake(method string) (int, string) {
	switch method {
	case "initialize":
		return http.StatusOK, `{"protocolVersion":"` + protocol + `"}`
	case "notifications/initialized":
		return http.StatusAccepted, ""
	}
	return http.StatusOK, `{"ok":true}`
}

func TestPosts_Session(t *testing.T) {
	t.Parallel()
	posts, err := dialSession(t.Context(), posting(t, session(handshake)), 3)
	if err != nil {
		t.Fatal(err)
	}
	defer posts.close()
	x := newExchange(t, 30, 3)
	answers, err := posts.carry(t.Context(), x)
	if err == nil {
		err = x.verify(answers, wantOK)
	}
	if err != nil || len(answers) != 30 {
		t.Errorf("got %d answers and %v", len(answers), err)
	}
}

func TestDialSession_Refused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"refused", session(func(string) (int, string) { return http.StatusTeapot, "" }), "initialize: the server answers 404"},
		{"without a name", echoPost, "the server speaks"},
		{"nameless", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"id":%d,"result":{"protocolVersion":%q}}`, firstID, protocol)
		}, "names no session"},
		{"not ended", session(func(string) (int, string) { return http.StatusOK, `{"protocolVersion":"` + protocol + `"}` }), "end the handshake"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := dialSession(t.Context(), posting(t, test.answer), 1)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

func TestDialPosts_NoServer(t *testing.T) {
	t.Parallel()
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/mcp"}
	if _, err := dialPosts(t.Context(), u, 1); err == nil {
		t.Error("a connection to nobody was made")
	}
	if _, err := dialSocket(t.Context(), u); err == nil {
		t.Error("a WebSocket connection to nobody was made")
	}
	plain := posting(t, echoPost)
	if _, err := dialSocket(t.Context(), plain); err == nil || !strings.Contains(err.Error(), "200 OK") {
		t.Errorf("a WebSocket connection to what is none gave %v", err)
	}
}
