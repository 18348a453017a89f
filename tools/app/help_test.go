package app_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
)

// helpful is a program with many flags, and a command that is wrong without a word.
func helpful(stdout, stderr io.Writer, mainFlags ...string) *app.App {
	return &app.App{
		Name: "prog", Summary: "repeats things", MainFlags: mainFlags,
		Flags: func(flags *flag.FlagSet) {
			for i := range 20 {
				flags.Int(fmt.Sprintf("own-%02d", i), i, "a `number` with a meaning that is long enough for a second line of the table of flags, which is wrapped between words")
			}
			flags.String("root", "", "`directory` of the project")
			flags.Bool("alias", false, "the same as -own-05")
		},
		Build: func(context.Context, app.Start) (*app.Program, error) {
			return &app.Program{Server: mcp.NewServer(mcp.Implementation{Name: "prog"}, nil)}, nil
		},
		Commands: []app.Command{{Name: "greet", Args: "NAME", Summary: "greet somebody", Run: func(_ context.Context, _ *app.App, flags *flag.FlagSet) error {
			if flags.NArg() == 0 {
				return app.UsageErrorf("greet needs a %s", "name")
			}
			return nil
		}}},
		Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr,
	}
}

func TestHelp_MainFlags(t *testing.T) {
	for _, tc := range []struct {
		mainFlags, want []string
	}{
		{nil, []string{"root", "http", "log-level", "alias", "own-00", "own-01", "own-02", "own-03", "own-04", "own-05"}},
		{[]string{"own-07", "http", "alias"}, []string{"own-07", "http", "alias"}},
		{[]string{}, nil},
	} {
		for _, args := range [][]string{{"help"}, {"-h"}, {"serve", "--help"}} {
			var out, errs strings.Builder
			code := helpful(&out, &errs, tc.mainFlags...).Run(t.Context(), args)
			var got []string
			for _, match := range regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(out.String(), -1) {
				got = append(got, match[1])
			}
			if code != 0 || errs.String() != "" || !slices.Equal(got, tc.want) {
				t.Errorf("%q, main flags %q: exit code %d, flags %q, want %q\n%s%s", args, tc.mainFlags, code, got, tc.want, &out, &errs)
			}
			for line := range strings.Lines(out.String()) {
				if len([]rune(line)) > 101 {
					t.Errorf("a line has %d characters: %s", len([]rune(line)), line)
				}
			}
			if strings.Contains(out.String(), "the same as -own-05") {
				t.Errorf("an alias is not explained\n%s", &out)
			}
		}
	}
}

func TestHelp_BeginsWithCommands(t *testing.T) {
	var out strings.Builder
	helpful(&out, io.Discard).Run(t.Context(), []string{"--help"})
	if want := regexp.MustCompile(`^prog — repeats things\n\nUsage: .*\n\nCommands:\n  install (?s:.*)\n  doctor (?s:.*)\n  serve (?s:.*)\n  greet NAME (?s:.*)\nFlags:\n`); !want.MatchString(out.String()) {
		t.Errorf("the help is\n%s", &out)
	}
}

func TestHelp_AllFlags(t *testing.T) {
	var out strings.Builder
	helpful(&out, io.Discard).Run(t.Context(), []string{"help", "flags"})
	for _, flag := range []string{"-own-19", "-auth-issuer", "-max-message", "-dry-run", "-json"} {
		if n := strings.Count(out.String(), "\n  "+flag+" "); n == 0 {
			t.Errorf("%s is missing in\n%s", flag, &out)
		}
	}
}

func TestReference_MainFlags(t *testing.T) {
	for _, tc := range []struct {
		mainFlags []string
		want      string
	}{
		{[]string{"root", "none"}, "no flag -none"},
		{strings.Fields(strings.Repeat("root ", 11)), "11 names"},
	} {
		if err := helpful(nil, nil, tc.mainFlags...).Reference(io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: error %v, want %q", tc.mainFlags, err, tc.want)
		}
	}
}

func TestRun_UsageError(t *testing.T) {
	var errs strings.Builder
	if code := helpful(io.Discard, &errs).Run(t.Context(), []string{"greet"}); code != 2 || errs.String() != "prog: greet needs a name\n" {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}
