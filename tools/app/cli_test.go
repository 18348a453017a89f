package app_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
)

type repeatArgs struct {
	Text  string `json:"text" jsonschema:"description=What to repeat"`
	Times int    `json:"times,omitempty" jsonschema:"default=1,maximum=3"`
}

// run is a program with one server, given a command line.
func run(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	var prefix string
	released := 0
	server := &app.App{
		Name: "prog", Version: "1.2.3", Summary: "repeats things",
		Flags: func(flags *flag.FlagSet) { flags.StringVar(&prefix, "prefix", "", "`text` put before everything") },
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			if prefix == "broken" {
				return nil, errors.New("the prefix is broken")
			}
			start.Log.Debug("building for " + start.Command)
			srv := mcp.NewServer(mcp.Implementation{Name: "prog", Version: "1.2.3"}, &mcp.ServerOptions{Log: start.Log})
			err := errors.Join(
				mcp.AddTool(srv, mcp.Tool{Name: "repeat", Description: "Repeats a text. At most three times."}, func(ctx context.Context, in repeatArgs) (string, error) {
					mcp.Progress(ctx, 1, 1, "repeating")
					return prefix + strings.Repeat(in.Text, in.Times), nil
				}),
				mcp.AddTool(srv, mcp.Tool{Name: "fail", Description: "Fails."}, func(context.Context, struct{}) (mcp.None, error) {
					return mcp.None{}, &mcp.ToolError{Code: "NEVER", Message: "it never works", Next: "give up"}
				}),
				mcp.AddTool(srv, mcp.Tool{Name: "media", Description: "Shows all kinds of content."}, func(context.Context, struct{}) (*mcp.ToolResult, error) {
					return &mcp.ToolResult{Content: []mcp.Content{
						mcp.ImageContent{Data: []byte("1234"), MIMEType: "image/png"}, mcp.AudioContent{Data: []byte("12"), MIMEType: "audio/wav"},
						mcp.ResourceLink{URI: "file:///linked", Name: "linked"}, mcp.EmbeddedResource{Resource: mcp.ResourceContents{URI: "file:///in", Text: "inside"}},
					}}, nil
				}),
			)
			return &app.Program{Server: srv, Close: func(context.Context) error { released++; return nil }}, err
		},
		Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
	}
	code = server.Run(t.Context(), args)
	if released > 1 {
		t.Errorf("the server was released %d times", released)
	}
	return code, out.String(), errs.String()
}

func TestRun_CommandLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args   []string
		code   int
		out    string // part of standard output
		err    string // part of standard error
		silent bool   // nothing on standard output
		noErr  bool   // nothing on standard error
	}{
		"help":                        {args: []string{"help"}, out: "  call TOOL"},
		"help as a flag":              {args: []string{"--help"}, out: "Commands:\n  install [CLIENT]"},
		"help of a name":              {args: []string{"help", "call"}, out: "Usage: prog call TOOL"},
		"help of two names":           {args: []string{"help", "call", "tools"}, code: 2, err: "help takes one command", silent: true},
		"help of all flags":           {args: []string{"help", "flags"}, out: "-auth-issuer"},
		"help of what is none":        {args: []string{"help", "dance"}, code: 2, err: `no command "dance"`, silent: true},
		"help of serve":               {args: []string{"serve", "-h"}, out: "Usage: prog serve [FLAGS]"},
		"help of a command":           {args: []string{"call", "-help"}, out: "-json"},
		"version":                     {args: []string{"version"}, out: "prog 1.2.3\n"},
		"version as a flag":           {args: []string{"--version"}, out: "prog 1.2.3\n"},
		"a command that is none":      {args: []string{"dance"}, code: 2, err: `no command "dance"`, silent: true},
		"a flag that is none":         {args: []string{"-dance"}, code: 2, err: "-dance", silent: true},
		"serve with arguments":        {args: []string{"serve", "x"}, code: 2, err: "no arguments", silent: true},
		"tools":                       {args: []string{"tools"}, out: "3 tools, "},
		"tools, first sentences":      {args: []string{"tools"}, out: "Repeats a text\n"},
		"tools as JSON":               {args: []string{"tools", "-json"}, out: `{"name":"repeat","description":"Repeats a text. At most three times."`},
		"tools with arguments":        {args: []string{"tools", "x"}, code: 1, err: "there is no tool \"x\"", silent: true},
		"call without a tool":         {args: []string{"call"}, code: 2, err: "needs the name of a tool", silent: true},
		"call":                        {args: []string{"call", "repeat", "text=ab", "times=2"}, out: "abab\n"},
		"call without a terminal":     {args: []string{"call", "repeat", "text=ab"}, out: "ab\n", noErr: true},
		"call, text like a number":    {args: []string{"call", "repeat", "text=12"}, out: "12\n"},
		"call with JSON":              {args: []string{"call", "repeat", `{"text":"x","times":3}`}, out: "xxx\n"},
		"call with bad JSON":          {args: []string{"call", "repeat", `{"text"`}, code: 2, err: "reading the arguments", silent: true},
		"call with a file":            {args: []string{"call", "repeat", "text=@" + file}, out: "from a file\n"},
		"call with a missing file":    {args: []string{"call", "repeat", "text=@/none/here"}, code: 1, err: "value of text", silent: true},
		"call with a lone word":       {args: []string{"call", "repeat", "ab"}, code: 2, err: "key=value", silent: true},
		"call with a wrong argument":  {args: []string{"call", "repeat", "txt=a"}, code: 1, out: `did you mean "text"`},
		"call with a wrong type":      {args: []string{"call", "repeat", "text=a", "times=many"}, code: 1, out: "times"},
		"call as JSON":                {args: []string{"call", "-json", "repeat", "text=a"}, out: `{"resultType":"complete","content":[{"type":"text","text":"a"}]`},
		"call of what fails":          {args: []string{"call", "fail"}, code: 1, out: "NEVER: it never works\nNext step: give up\n"},
		"call of what does not exist": {args: []string{"call", "repeet"}, code: 1, err: `did you mean "repeat"`, silent: true},
		"call of media":               {args: []string{"call", "media"}, out: "[image/png, 4 bytes; -json prints it]\n[audio/wav, 2 bytes; -json prints it]\nfile:///linked\nfile:///in\ninside\n"},
		"a flag of the program":       {args: []string{"call", "-prefix", ">", "repeat", "text=a"}, out: ">a\n"},
		"flags after words":           {args: []string{"call", "repeat", "text=a", "-prefix", ">"}, out: ">a\n"},
		"flags between words":         {args: []string{"call", "repeat", "-json", "text=a"}, out: `"text":"a"`},
		"words after the flags":       {args: []string{"call", "--", "repeat", "-json=1", "text=a"}, code: 1, out: `"-json"`},
		"a misspelt flag":             {args: []string{"call", "repeat", "-prefex", ">"}, code: 2, err: "prog: call has no flag -prefex; did you mean \"-prefix\"?\n", silent: true},
		"a misspelt command":          {args: []string{"cal", "repeat"}, code: 2, err: "\nprog: there is no command \"cal\"; did you mean \"call\"?\n", silent: true},
		"arguments of a tool":         {args: []string{"tools", "repeat"}, out: "text      string   yes                What to repeat\n  times     integer            1        (at most 3)\n"},
		"arguments of two tools":      {args: []string{"tools", "repeat", "fail"}, out: "Fails.\n\nIt takes no arguments.\n"},
		"arguments of a call":         {args: []string{"call", "repeat", "-h"}, out: "Usage: prog call repeat text=… [KEY=VALUE…]\n\nRepeats a text."},
		"arguments of what is none":   {args: []string{"call", "repeet", "-h"}, code: 1, err: `did you mean "repeat"`, silent: true},
		"one definition":              {args: []string{"tools", "-json", "fail"}, out: `{"name":"fail"`},
		"flags before the command":    {args: []string{"-prefix", ">", "--max-message=9000", "call", "repeat", "text=a"}, out: ">a\n"},
		"on both sides":               {args: []string{"-prefix", ">", "call", "-json", "repeat", "text=a"}, out: `"text":">a"`},
		"those of the command":        {args: []string{"-json", "-log-level", "debug", "call", "repeat", "text=a"}, out: `"text":"a"`, err: "building for call"},
		"a value like a command":      {args: []string{"-prefix", "tools", "call", "repeat", "text=a"}, out: "toolsa\n"},
		"help before the command":     {args: []string{"-help", "call"}, out: "-json"},
		"help after flags":            {args: []string{"-prefix", ">", "help"}, out: "  call TOOL"},
		"flags before what is none":   {args: []string{"-prefix", ">", "dance"}, code: 2, err: `no command "dance"`, silent: true},
		"those of another command":    {args: []string{"-json", "version"}, code: 2, err: "-json", silent: true},
		"a flag that lacks its value": {args: []string{"-prefix"}, code: 2, err: "needs an argument", silent: true},
		"the end of the flags":        {args: []string{"--", "tools"}, code: 2, err: "no arguments", silent: true},
		"a server that fails":         {args: []string{"tools", "-prefix", "broken"}, code: 1, err: "prog: the prefix is broken", silent: true},
		"the log level":               {args: []string{"tools", "-log-level", "debug"}, out: "repeat", err: "building for tools"},
		"a log level that is none":    {args: []string{"tools", "-log-level", "loud"}, code: 2, err: "loud", silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := run(t, "", tc.args...)
			if lines := strings.Split(strings.TrimSpace(errs), "\n"); tc.code == 2 && !strings.HasPrefix(lines[len(lines)-1], "prog: ") {
				t.Errorf("the error is not the last line: %q", lines)
			}
			if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errs, tc.err) || tc.silent && out != "" || tc.noErr && errs != "" {
				t.Errorf("exit code %d, want %d\nstdout: %s\nwant %q\nstderr: %s\nwant %q", code, tc.code, out, tc.out, errs, tc.err)
			}
		})
	}
}

func TestServe_DefaultCommandIsSilent(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for _, args := range [][]string{nil, {"serve"}, {"-max-message", "1000"}} {
		code, out, errs := run(t, request, args...)
		if code != 0 || out != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" || errs != "" {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}

// A program may have commands of its own, flags that take the place of every
// program's, and a log.
func TestRun_OwnCommandsFlagsAndLog(t *testing.T) {
	var out, errs, log strings.Builder
	level, shout := "", false
	server := &app.App{
		Name: "prog", Version: "1.2.3", Summary: "repeats things",
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&level, "log-level", "quiet", "its own `level`")
			flags.String("concurrency", "some", "its own `number`")
		},
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			fmt.Fprintf(start.Stderr, "built for %s, %s\n", start.Command, level)
			srv := mcp.NewServer(mcp.Implementation{Name: "prog"}, nil)
			return &app.Program{Server: srv, Log: slog.New(slog.NewTextHandler(&log, nil)), Concurrency: 1}, nil
		},
		Commands: []app.Command{
			{Name: "greet", Args: "NAME", Summary: "greet somebody", Flags: func(flags *flag.FlagSet) { flags.BoolVar(&shout, "shout", false, "be loud") },
				Run: func(_ context.Context, a *app.App, flags *flag.FlagSet) error {
					text := "hello " + flags.Arg(0) + "\n"
					if shout {
						text = strings.ToUpper(text)
					}
					_, err := io.WriteString(a.Stdout, text)
					return err
				}},
			{Name: "fail", Summary: "fail", Run: func(context.Context, *app.App, *flag.FlagSet) error { return errors.New("as it was told") }},
		},
		Stdin: strings.NewReader("not a message\n"), Stdout: &out, Stderr: &errs,
	}
	for _, tc := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"greet", "-shout", "ada"}, 0, "HELLO ADA\n", ""},
		{[]string{"greet", "bob"}, 0, "hello bob\n", ""},
		{[]string{"-shout", "greet", "bob"}, 0, "HELLO BOB\n", ""},
		{[]string{"fail"}, 1, "", "prog: as it was told\n"},
		{[]string{"fail", "more"}, 2, "", "prog: fail takes no arguments, got [\"more\"]\n"},
		{[]string{"help"}, 0, "  greet NAME", ""},
		{[]string{"tools", "-log-level", "any"}, 0, "0 tools", "built for tools, any\n"},
		{[]string{"serve"}, 0, "", "built for serve, quiet\n"},
	} {
		out.Reset()
		errs.Reset()
		if code := server.Run(t.Context(), tc.args); code != tc.code || !strings.Contains(out.String(), tc.out) || errs.String() != tc.err {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", tc.args, code, &out, &errs)
		}
	}
	var doc strings.Builder
	if err := server.Reference(&doc); err != nil || !strings.Contains(doc.String(), "### prog greet NAME\n\nGreet somebody.\n\n| flag | value | default | meaning |\n|---|---|---|---|\n| `-shout`") ||
		!strings.Contains(doc.String(), "| `-log-level` | level | `quiet` | Its own level |") {
		t.Errorf("the reference is %v\n%s", err, doc.String())
	}
}

func TestReference_EveryFlag(t *testing.T) {
	server := &app.App{Name: "prog", Summary: "repeats things", Flags: func(flags *flag.FlagSet) { flags.Int("own", 7, "some `number`") }}
	var doc strings.Builder
	if err := server.Reference(&doc); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## prog", "| `-own` | number | `7` | Some number |", "| `-log-level` |", "### prog call TOOL", "| `-json` |"} {
		if !strings.Contains(doc.String(), want) {
			t.Errorf("the reference lacks %q:\n%s", want, doc.String())
		}
	}
}
