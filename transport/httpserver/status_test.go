package httpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// statused is an error that HTTP has a status for.
type statused struct {
	status int
	error
}

func (e statused) Unwrap() error { return e.error }
func (e statused) HTTPStatus() (int, http.Header) {
	return e.status, http.Header{"Www-Authenticate": {"Bearer x", "DPoP y"}, "Content-Type": {"text/html"}}
}

// refusing is a server whose calls return an error with an HTTP status, which is
// the name of the tool. With arguments it sends a notification before.
type refusing struct{ *mcp.Server }

func (d refusing) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Method != "tools/call" {
		return d.Server.Dispatch(ctx, req)
	}
	name := strings.Trim(strings.Split(strings.SplitAfter(string(req.Params), `"name":`)[1], ",")[0], `"}`)
	status, err := strconv.Atoi(name)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(req.Params), "tell") {
		if err := req.Notify(ctx, &protocol.ProgressNotification{Token: []byte("1"), Progress: 1}); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("asked: %w", statused{status, protocol.Errorf(-32600, "no")})
}

// An error may say which status HTTP has for it, unless the response has begun.
func TestResponse_ErrorStatus(t *testing.T) {
	inBubble(t, &httpserver.Options{Log: noLog}, func() protocol.Dispatcher { return refusing{mcp.NewServer(mcp.Implementation{Name: "s"}, nil)} }, func(s *site) {
		for _, tc := range []struct {
			name, arguments string
			want            int
		}{{"403", `{}`, 403}, {"503", `{}`, 503}, {"200", `{}`, 200}, {"99", `{}`, 200}, {"302", `{}`, 200}, {"403", `{"tell":1}`, 200}} {
			session := s.open(protocol.Rev20251125)
			id := 0 // a session refuses the id of a request that is under way
			for era, send := range map[string][]string{
				"modern": append(modernHeader(tc.name), "Accept", "application/json, text/event-stream"), "streamed": append(modernHeader(tc.name), "Accept", "text/event-stream"),
				"older": {"Mcp-Session-Id", session, "Accept", "application/json, text/event-stream"}, "older, streamed": {"Mcp-Session-Id", session, "Accept", "text/event-stream"},
			} {
				id++
				text := callBody(strconv.Itoa(id), tc.name, tc.arguments)
				if !strings.HasPrefix(era, "older") {
					text = modernBody(strconv.Itoa(id), tc.name, tc.arguments)
				}
				resp := s.send(s.Context(), http.MethodPost, text, send...)
				raw := make([]byte, 4096)
				n, _ := resp.Body.Read(raw)
				_ = resp.Body.Close()
				marked := len(resp.Header.Values("WWW-Authenticate")) == 2
				if resp.StatusCode != tc.want || marked != (tc.want != 200) || tc.want != 200 && (resp.Header.Get("Content-Type") != "application/json" || errorCode(s.T, string(raw[:n])) != -32600) {
					s.Errorf("%s, %+v: status %d, %v: %s", era, tc, resp.StatusCode, resp.Header, raw[:n])
				}
			}
		}
	})
}
