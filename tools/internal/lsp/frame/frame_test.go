package frame_test

import (
	"io"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

func read(text string, limit int) (string, error) {
	body, err := frame.NewReader(strings.NewReader(text), limit).Read()
	return string(body), err
}

func TestFrames(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, err string }{
		"the usual":           {"Content-Length: 2\r\n\r\n{}", "{}", ""},
		"with a type":         {"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", "{}", ""},
		"in other letters":    {"content-length:2\n\n{}more", "{}", ""},
		"nothing":             {"", "", "EOF"},
		"no length":           {"Content-Type: x\r\n\r\n{}", "", "without Content-Length"},
		"an empty body":       {"Content-Length: 0\r\n\r\n", "", "a message of 0 bytes"},
		"a negative length":   {"Content-Length: -1\r\n\r\n", "", `a Content-Length of "-1"`},
		"a length of words":   {"Content-Length: two\r\n\r\n", "", `a Content-Length of "two"`},
		"more than is wanted": {"Content-Length: 101\r\n\r\n", "", "the limit is 100"},
		"a long number":       {"Content-Length: 99999999999999999999\r\n\r\n", "", "a Content-Length of"},
		"no header":           {"Hello!\r\n\r\n", "", `"Hello!" instead of a header`},
		"a long line":         {strings.Repeat("x", 10_000), "", "a header line of more than"},
		"many lines":          {strings.Repeat("A: b\r\n", 1000), "", "a header of more than"},
		"an end in a header":  {"Content-Len", "", "unexpected EOF"},
		"an end in a body":    {"Content-Length: 20\r\n\r\n{", "", "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(tc.text, 100)
			if tc.err == "" && (err != nil || got != tc.want) || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%q, %v; want %q, %q", got, err, tc.want, tc.err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Content-Length: 2\r\n\r\n{}")
	f.Add("Content-Length: 2\n\n{}Content-Length: 1\n\n1")
	f.Add("X: y\r\nContent-Length: 00002\r\n\r\nab")
	f.Fuzz(func(t *testing.T, text string) {
		r := frame.NewReader(strings.NewReader(text), 50)
		for total := 0; ; {
			body, err := r.Read()
			if err != nil {
				if err != io.EOF && len(text) == 0 {
					t.Errorf("nothing is an error: %v", err)
				}
				return
			}
			if total += len(body); len(body) == 0 || len(body) > 50 || total > len(text) {
				t.Fatalf("%d bytes, %d in all, of %d", len(body), total, len(text))
			}
			if again, err := read(string(frame.Of(body)), 50); err != nil || again != string(body) {
				t.Fatalf("%q is read again as %q, %v", body, again, err)
			}
		}
	})
}
