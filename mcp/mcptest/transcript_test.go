package mcptest_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func TestMain(m *testing.M) { testleak.Main(m) }

var _ = flag.Bool("update", false, "rewrite the transcripts to what the server does")

func server(t *testing.T) protocol.Dispatcher {
	return mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "echo"}, func(_ context.Context, in struct {
			Text string `json:"text"`
		}) (string, error) {
			return in.Text, nil
		}),
	}})
}

func TestTranscripts(t *testing.T) {
	mcptest.Transcripts(t, "testdata/*.txt", func() protocol.Dispatcher { return server(t) })
}

// With -update a transcript becomes what the server really does, and then it
// passes.
func TestTranscripts_Update(t *testing.T) {
	const (
		ping   = "-> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
		wrong  = "<- something else\n"
		answer = "<- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
	)
	for name, tc := range map[string]struct{ before, after string }{
		"one":     {ping + wrong, ping + answer},
		"several": {"Two of them.\n-- first --\n" + ping + wrong + "-- second --\n" + ping, "Two of them.\n-- first --\n" + ping + answer + "-- second --\n" + ping + answer},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "t.txt")
			if err := os.WriteFile(file, []byte(tc.before), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := flag.Set("update", "true"); err != nil {
				t.Fatal(err)
			}
			mcptest.Transcripts(t, file, func() protocol.Dispatcher { return server(t) })
			if err := flag.Set("update", "false"); err != nil {
				t.Fatal(err)
			}
			mcptest.Transcripts(t, file, func() protocol.Dispatcher { return server(t) })
			if got, err := os.ReadFile(file); err != nil || string(got) != tc.after {
				t.Errorf("the transcript is now %q, %v", got, err)
			}
		})
	}
}

func TestSections(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		"no section\n":                    nil,
		"-- a --\n":                       {"a"},
		"before\n-- a --\n1\n-- b/c --\n": {"a", "b/c"},
		"-- a --\n-- b --":                {"a", "b"},
		"--a--\n-- a\n --  --\n-- -- --":  {"--"},
		"-> -- a --\n -- b --\n":          nil,
	} {
		again, names := mcptest.Rejoined(text)
		if !slices.Equal(names, want) {
			t.Errorf("%q has the sections %q, want %q", text, names, want)
		}
		if again != text && again != text+"\n" {
			t.Errorf("%q has become %q", text, again)
		}
	}
}

func TestFirstDifference(t *testing.T) {
	for _, tc := range []struct{ want, got, message string }{
		{"a\nb", "a\nc", "line 8\n want: b\n  got: c"},
		{"a", "a\nb", "line 8\n want: (nothing)\n  got: b"},
		{"a\nb", "a", "line 8\n want: b\n  got: (nothing)"},
		{"a", "a", ""},
	} {
		if got := mcptest.FirstDifference(tc.want, tc.got, 7); got != tc.message {
			t.Errorf("FirstDifference(%q, %q) = %q, want %q", tc.want, tc.got, got, tc.message)
		}
	}
}
