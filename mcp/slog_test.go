package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// What is logged in a call goes to the client that asked for it, with its
// attributes as JSON; everything else goes where logs went before.
func TestLogHandler_ClientLevel(t *testing.T) {
	for _, tc := range []struct {
		asked  protocol.LogLevel
		client []string
		local  []string
	}{
		{"", nil, []string{"begins", "odd", "fails"}},
		{protocol.LevelDebug, []string{
			`debug {"message":"looks"}`,
			`info {"disk":{"free":3},"message":"begins","run":7}`,
			`notice {"message":"between","run":7}`,
			`warning {"at":"1970-01-01T00:00:00Z","err":"broken","message":"odd","run":7,"took":"2s"}`,
			`error {"disk":{"f":"(1+2i)","io":{"n":1}},"message":"fails","run":7}`,
		}, nil},
		{protocol.LevelError, []string{`error {"disk":{"f":"(1+2i)","io":{"n":1}},"message":"fails","run":7}`}, []string{"begins", "odd"}},
	} {
		t.Run("asked for "+string(tc.asked), func(t *testing.T) {
			var local bytes.Buffer
			log := slog.New(mcp.NewLogHandler(slog.NewJSONHandler(&local, &slog.HandlerOptions{Level: slog.LevelInfo})))
			srv := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "work"}, func(ctx context.Context, _ struct{}) (string, error) {
				log.DebugContext(ctx, "looks")
				run := log.With("run", 7)
				run.WithGroup("disk").InfoContext(ctx, "begins", "free", 3)
				run.Log(ctx, slog.LevelInfo+1, "between")
				run.WarnContext(ctx, "odd", "err", errors.New("broken"), "took", 2*time.Second, "at", time.Unix(0, 0).UTC(), slog.Group("none"), slog.Attr{})
				run.WithGroup("disk").With(slog.Group("io", "n", 1)).ErrorContext(ctx, "fails", slog.Group("", "f", complex(1, 2)))
				return "done", nil
			}))
			var client []string
			req := &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"work"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest, LogLevel: tc.asked},
				Notify: func(_ context.Context, n protocol.Notification) error {
					l := n.(*protocol.LogNotification)
					client = append(client, string(l.Level)+" "+string(l.Data))
					return nil
				}}
			if _, err := srv.Dispatch(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			compare(t, "client", client, tc.client)
			var messages []string
			for line := range bytes.Lines(local.Bytes()) {
				var record struct{ Msg string }
				if err := json.Unmarshal(line, &record); err != nil {
					t.Fatal(err)
				}
				if record.Msg != "between" {
					messages = append(messages, record.Msg)
				}
			}
			compare(t, "local log", messages, tc.local)
		})
	}
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s, message %d: %s, want %s", what, i+1, g, w)
		}
	}
}

// Outside of a call, and with nowhere to go, nothing breaks.
func TestLogHandler_OutsideCall(t *testing.T) {
	log := slog.New(mcp.NewLogHandler(nil))
	log.Info("nobody hears this", "n", 1)
	if log.Enabled(t.Context(), slog.LevelError) {
		t.Error("a log without a reader is enabled")
	}
}

// A server can change its name while it serves.
func TestSetInfo(t *testing.T) {
	srv := newServer(t, nil, mcp.NewTool(echoTool, echo))
	for _, name := range []string{"before", "after"} {
		srv.SetInfo(mcp.Implementation{Name: name, Version: "2"})
		for _, method := range []string{"server/discover", "tools/list"} {
			got, err := dispatch(t, srv, method, `{}`)
			if err != nil || !bytes.Contains([]byte(got), []byte(`{"name":"`+name+`","version":"2"}`)) {
				t.Errorf("%s: %s, %v", method, got, err)
			}
		}
	}
}
