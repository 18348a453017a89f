package app_test

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
)

// The flags of a command are declared once to find the command, however many flags stand before it, and once to parse them.
func TestRun_FlagsDeclaredOnce(t *testing.T) {
	for _, tc := range []struct {
		args []string
		most int
	}{
		{[]string{"version"}, 1},
		{[]string{"-log-level", "info", "-max-message=1000", "-a", "1", "-b", "-a", "2", "version"}, 2},
	} {
		declared := 0
		var out bytes.Buffer
		a := &app.App{
			Name: "prog", Version: "1", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			Flags: func(flags *flag.FlagSet) {
				declared++
				flags.Int("a", 0, "a `number`")
				flags.Bool("b", false, "a switch")
			},
		}
		if code := a.Run(t.Context(), tc.args); code != 0 || out.String() != "prog 1\n" || declared > tc.most {
			t.Errorf("%q: exit code %d, the flags were declared %d times, want %d at most: %s", tc.args, code, declared, tc.most, out.String())
		}
	}
}
