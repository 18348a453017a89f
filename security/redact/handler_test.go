package redact_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/security/redact"
)

type failing struct{}

func (*failing) Error() string { panic("nil") }

type lazy struct{}

func (lazy) LogValue() slog.Value { return slog.StringValue("password=resolved") }

type shown struct{}

func (shown) String() string { return "token=abc" }

func TestHandler_Redacts(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(redact.NewHandler(slog.NewJSONHandler(&out, nil), nil))
	log.With("apiKey", "abc", "n", 1).WithGroup("credentials").With("x", "y").Info("login with password=hunter2",
		"user", "ada", slog.Group("inner", "ok", true, "count", 3))
	log.WithGroup("request").Info("done",
		"text", "Bearer abcdefgh1", "token", 5, "took", time.Second, "failure", errors.New("secret: abc"), "raw", []byte("pwd=x"),
		"value", map[string]any{"password": "a", "b": 1}, "resolved", lazy{}, "shown", shown{}, "address", netip.MustParseAddr("127.0.0.1"),
		"nothing", nil, "panics", (*failing)(nil), "odd", make(chan int), "json", json.RawMessage(`{"cookie":"x"}`), "float", 1.5,
		slog.Group("cookies", "session", "abc"))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	wants := []string{
		`{"level":"INFO","msg":"login with password=[redacted]","apiKey":"[redacted]","n":1,"credentials":{"x":"[redacted]","user":"[redacted]","inner":{"ok":true,"count":"[redacted]"}}}`,
		`{"level":"INFO","msg":"done","request":{"text":"Bearer [redacted]","token":"[redacted]","took":1000000000,"failure":"secret: [redacted]","raw":"pwd=[redacted]",
		"value":{"b":1,"password":"[redacted]"},"resolved":"password=[redacted]","shown":"token=[redacted]","address":"127.0.0.1",
		"nothing":null,"panics":"value of type *redact_test.failing that cannot be shown","odd":"?","json":{"cookie":"[redacted]"},"float":1.5,
		"cookies":{"session":"[redacted]"}}}`,
	}
	for i, want := range wants {
		var got, expected map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want), &expected); err != nil {
			t.Fatal(err)
		}
		delete(got, "time")
		if request, ok := got["request"].(map[string]any); ok {
			request["odd"] = "?" // an address
		}
		if diff := testdiff.Diff(expected, got); diff != "" {
			t.Error(diff)
		}
	}
	quiet := redact.NewHandler(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}), nil)
	if quiet.Enabled(context.Background(), slog.LevelInfo) {
		t.Error("the level of the next handler is not asked")
	}
}
