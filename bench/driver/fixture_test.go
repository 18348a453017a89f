package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/bench/catalog"
)

// Tests of clients use these servers. The features that the flag -fixture enables exist in legacy and modern revisions.
func TestServers_Fixture(t *testing.T) {
	t.Parallel()
	for _, server := range Servers() {
		if server.Name == Floor {
			continue
		}
		for _, era := range []struct {
			name string
			args []string
			dial func(context.Context, *url.URL, int) (*posts, error)
		}{
			{"stateless", nil, dialPosts},
			{"session", []string{"-sessions"}, dialSession},
		} {
			t.Run(server.Name+" "+era.name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				p, err := startListening(ctx, built(t, server), 3, false, append(era.args, "-fixture")...)
				if err != nil {
					t.Fatal(err)
				}
				defer p.stop()
				posts, err := era.dial(ctx, p.endpoint, 1)
				if err != nil {
					t.Fatal(err)
				}
				defer posts.close()
				says(t, ctx, posts, "resources/read", catalog.AboutURI, map[string]any{"uri": catalog.AboutURI}, catalog.AboutText)
				says(t, ctx, posts, "prompts/get", catalog.PromptName, map[string]any{
					"name": catalog.PromptName, "arguments": map[string]string{catalog.PromptArgument: "Ada"},
				}, catalog.Introduce("Ada"))
			})
		}
	}
}

// says makes a request and checks that its result contains a text.
func says(t *testing.T, ctx context.Context, p *posts, method, name string, params map[string]any, text string) {
	t.Helper()
	if p.revision == modern {
		params = inModern(params)
	}
	r, err := newRequest(method, params)
	if err != nil {
		t.Fatal(err)
	}
	r.name = name
	x := exchange{request: r, first: firstID, calls: 1, inFlight: 1, every: 1}
	answers, err := p.carry(ctx, x)
	if err == nil {
		err = x.verify(answers, func(result json.RawMessage) error {
			if want, _ := json.Marshal(text); !strings.Contains(string(result), string(want)) {
				return fmt.Errorf("it should say %q", text)
			}
			return nil
		})
	}
	if err != nil {
		t.Errorf("%s: %v", method, err)
	}
}
