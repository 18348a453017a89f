package rpc_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dougu-go/dougu/internal/rpc"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("y", 40<<10)
	for name, tc := range map[string]struct {
		in   string
		want []string
	}{
		"lines":                      {"a\nb\n", []string{"a", "b"}},
		"no newline at the end":      {"a\nb", []string{"a", "b"}},
		"empty lines and CRLF":       {"\n\r\n a \r\n\n\nb\r\n", []string{"a", "b"}},
		"a byte-order mark":          {"\xef\xbb\xbfa\nb\n", []string{"a", "b"}},
		"a line over one buffer":     {long + "\nb\n", []string{long, "b"}},
		"nothing":                    {"", nil},
		"too large":                  {strings.Repeat("x", 50<<10+1) + "\nb\n", []string{"!51201", "b"}},
		"far too large":              {strings.Repeat("x", 300<<10) + "\nb\n", []string{"!307200", "b"}},
		"too large, without end":     {strings.Repeat("x", 300<<10), []string{"!307200"}},
		"too large, many at once":    {strings.Repeat(strings.Repeat("x", 60<<10)+"\n", 3) + "b", []string{"!61440", "!61440", "!61440", "b"}},
		"exactly as large as it may": {strings.Repeat("x", 50<<10) + "\n", []string{strings.Repeat("x", 50<<10)}},
	} {
		for reader, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "by halves": iotest.HalfReader} {
			t.Run(name+", "+reader, func(t *testing.T) {
				t.Parallel()
				lines := rpc.NewLines(wrap(strings.NewReader(tc.in)), io.Discard, nil, 50<<10)
				for _, want := range tc.want {
					got, err := lines.Read()
					var large *rpc.TooLargeError
					switch {
					case errors.As(err, &large):
						if want[0] != '!' || !strings.Contains(large.Error(), "of "+want[1:]+" bytes") {
							t.Errorf("got %v, want %.20q", err, want)
						}
					case err != nil || string(got) != want:
						t.Errorf("got %.20q (%d bytes), %v; want %.20q (%d bytes)", got, len(got), err, want, len(want))
					}
				}
				if got, err := lines.Read(); err != io.EOF {
					t.Errorf("then %q, %v; want EOF", got, err)
				}
			})
		}
	}
}
