package process_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/process"
)

func TestLastLines_After(t *testing.T) {
	for name, tc := range map[string]struct {
		lines []string
		exit  process.Exit
		want  string
	}{
		"Nothing":       {nil, process.Exit{}, "exit code 0"},
		"NothingFailed": {[]string{" ", ""}, process.Exit{Code: 3}, "exit code 3 and said nothing"},
		"Lines":         {[]string{"one", "two\r"}, process.Exit{Code: 1}, "exit code 1 and said last: one | two"},
		"LastFive":      {strings.Split("a b c d e f g", " "), process.Exit{Signal: "SIGKILL"}, "signal SIGKILL and said last: c | d | e | f | g"},
		"LongLine":      {[]string{strings.Repeat("x", 400)}, process.Exit{Code: 1}, "exit code 1 and said last: " + strings.Repeat("x", 300)},
	} {
		t.Run(name, func(t *testing.T) {
			var l process.LastLines
			for _, line := range tc.lines {
				l.Add(line)
			}
			if got := l.After(tc.exit); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
