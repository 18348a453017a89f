package mcptest_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
)

var _ = flag.Bool("update", false, "rewrite the transcripts to what the server does")

func server(t *testing.T) mcp.Dispatcher {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "echo"}, func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (string, error) {
		return in.Text, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

func TestTranscripts(t *testing.T) {
	mcptest.Transcripts(t, "testdata/*.txt", func() mcp.Dispatcher { return server(t) })
}

// With -update a transcript becomes what the server really does, and then it
// passes.
func TestUpdate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(file, []byte("-> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n<- something else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := flag.Set("update", "true"); err != nil {
		t.Fatal(err)
	}
	mcptest.Transcripts(t, file, func() mcp.Dispatcher { return server(t) })
	if err := flag.Set("update", "false"); err != nil {
		t.Fatal(err)
	}
	mcptest.Transcripts(t, file, func() mcp.Dispatcher { return server(t) })
	got, err := os.ReadFile(file)
	if want := "-> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n<- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"; err != nil || string(got) != want {
		t.Errorf("the transcript is now %q, %v", got, err)
	}
}

func TestFirstDifference(t *testing.T) {
	for _, tc := range []struct{ want, got, message string }{
		{"a\nb", "a\nc", "line 2\n want: b\n  got: c"},
		{"a", "a\nb", "line 2\n want: (nothing)\n  got: b"},
		{"a\nb", "a", "line 2\n want: b\n  got: (nothing)"},
		{"a", "a", ""},
	} {
		if got := mcptest.FirstDifference(tc.want, tc.got); got != tc.message {
			t.Errorf("FirstDifference(%q, %q) = %q, want %q", tc.want, tc.got, got, tc.message)
		}
	}
}

// A test of one's own server: the files say what is sent and what must come.
func ExampleTranscripts() {
	newServer := func() mcp.Dispatcher { return mcp.NewServer(mcp.Implementation{Name: "mine", Version: "1"}, nil) }
	_ = func(t *testing.T) { mcptest.Transcripts(t, "testdata/*.txt", newServer) }
	// Output:
}
