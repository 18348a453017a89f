package childrpc_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

func TestLife_Failure(t *testing.T) {
	for name, tt := range map[string]struct {
		part bool
		exit *process.Exit
		want string
	}{
		"the first":        {false, nil, "gopls, hover: it has closed its output"},
		"an end by itself": {false, &process.Exit{Code: 2}, "gopls, hover: it has ended by itself with exit code 2"},
		"told to end":      {true, nil, "gopls, hover: it was ended"},
	} {
		l := childrpc.NewLife("gopls")
		select {
		case <-l.Failing():
			t.Errorf("%s: it fails before a failure", name)
		default:
		}
		if tt.part {
			l.Part()
		}
		l.Fail(io.EOF)
		l.Fail(errors.New("another"))
		<-l.Failing()
		l.Explain(tt.exit, "output")
		l.HearLine("panic")
		err := l.Gone("hover")
		if failed, ok := errors.AsType[*childrpc.Error](err); err.Error() != tt.want || !ok || !failed.Gone || failed.Words != "panic" || errors.Is(err, childrpc.ErrClosed) != tt.part {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLife_Words(t *testing.T) {
	for name, tt := range map[string]struct {
		heard []string
		want  string
	}{
		"nothing":          {nil, ""},
		"parts of lines":   {[]string{"on", "e\r\n\n two", "\nth", "ree"}, "one\ntwo\nthree"},
		"the last lines":   {[]string{strings.Repeat("line\n", 100)}, strings.TrimSpace(strings.Repeat("line\n", 12))},
		"a long line":      {[]string{strings.Repeat("x", 500) + "\n"}, strings.Repeat("x", 400) + "…"},
		"a very long line": {[]string{strings.Repeat("x", 9_000), "end\n"}, "end"},
	} {
		l := childrpc.NewLife("gopls")
		for _, p := range tt.heard {
			l.Hear([]byte(p))
		}
		if got := l.Words(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
