package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/trust"
)

// The user sees the complete value, with variables, and with control characters escaped.
func TestTrust_ShowsWhatIsApproved(t *testing.T) {
	home := t.TempDir()
	store := trust.New("prog", func(name string) string { return map[string]string{"XDG_CONFIG_HOME": home}[name] })
	request := config.Request{
		File: "/p/settings.json", Key: "servers.a = nothing\n\x1b[8mb", Meaning: "a server", Used: "nothing",
		Value: `{"command":"sh","args":["` + strings.Repeat("a", 3000) + `; evil"],"env":{"TOKEN":"${SECRET}"}}`, Shown: "[redacted]",
	}
	server := func(out *strings.Builder) *app.App {
		return &app.App{
			Name: "prog", Version: "1", Summary: "tests", Stdin: strings.NewReader(""), Stdout: out, Stderr: out,
			Build: func(context.Context, app.Start) (*app.Program, error) { return nil, errors.New("no server is needed") },
			Trust: func(context.Context) ([]app.ProjectSettings, error) {
				r := request
				r.Approved = store.Approved(r.File, r.Key, r.Value)
				return []app.ProjectSettings{{Store: store, File: r.File, Requests: []config.Request{r}}}, nil
			},
		}
	}
	for _, args := range [][]string{{"trust"}, {"trust", "-yes"}, {"trust"}} { // refused without a terminal, allowed, allowed already
		var out strings.Builder
		code := server(&out).Run(t.Context(), args)
		for _, part := range []string{request.Value, `servers.a = nothing\u000a\u001b[8mb`} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%q ends with %d and does not show %.60q:\n%.200s", args, code, part, out.String())
			}
		}
		if strings.ContainsAny(out.String(), "\x1b") {
			t.Errorf("%q shows a control character", args)
		}
	}
	if !store.Approved(request.File, request.Key, request.Value) {
		t.Error("the value is not approved")
	}
}
