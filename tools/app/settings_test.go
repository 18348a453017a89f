package app_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

// configuration has a number that a project can lower, and a text that needs approval.
type configuration struct {
	Most  int
	Token string
}

// settingsIn are the settings of a program in a project, with the user's files in home.
func settingsIn(project, home string, environ ...string) *app.Settings[configuration] {
	return &app.Settings[configuration]{
		Table: config.NewTable(config.Options{Prefix: "PROG_", Mask: app.MaskSecrets},
			config.NewKey("most", func(c *configuration) *int { return &c.Most }, 10, config.Whole(1, 100), "the `number`").
				Narrowing(config.AtMost(func(c *configuration) *int { return &c.Most })),
			config.NewKey("token", func(c *configuration) *string { return &c.Token }, "", config.Text(0, 100), "the `token`"),
		),
		Program: "prog", UserFile: "prog/config.json", ProjectFile: ".prog/config.json", Project: func() string { return project },
		Environ: func() []string { return append([]string{"XDG_CONFIG_HOME=" + home}, environ...) },
	}
}

// configured is a program with settings, which Build reads.
func configured(s *app.Settings[configuration], stdin io.Reader, stdout, stderr io.Writer) *app.App {
	return &app.App{
		Name: "prog", Version: "1", Summary: "counts", Settings: s,
		Build: func(_ context.Context, start app.Start) (*app.Program, error) {
			server := start.NewServer(mcp.Implementation{Name: "prog", Version: "1"}, nil)
			err := mcp.AddTool(server.Server, mcp.Tool{Name: "count"}, func(context.Context, struct{}) (string, error) { return "none", nil })
			return &app.Program{Server: server.Server}, err
		},
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
	}
}

// write makes a file, with its directories.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSettings_Sources(t *testing.T) {
	for name, tc := range map[string]struct {
		user, project string
		environ       []string
		args          []string
		want          []string // parts of the output of config
		code          int
	}{
		"defaults":               {want: []string{"most   10 "}},
		"the user's file":        {user: `{"most":50}`, want: []string{"most   50 "}},
		"a project that narrows": {user: `{"most":50}`, project: `{"most":5}`, want: []string{"most   5 "}},
		"a project that widens":  {user: `{"most":50}`, project: `{"most":60}`, want: []string{"most   50 "}},
		"the environment":        {user: `{"most":50}`, environ: []string{"PROG_MOST=20"}, want: []string{"most   20 "}},
		"a flag":                 {environ: []string{"PROG_MOST=20"}, args: []string{"-most", "30"}, want: []string{"most   30 "}},
		"a secret":               {user: `{"token":"hunter2"}`, want: []string{"[redacted]"}},
		"a value out of bounds":  {user: `{"most":500}`, want: []string{"most   10 ", "problems with the settings", "received 500"}, code: 1},
		"a misspelt variable":    {environ: []string{"PROG_MUST=1"}, want: []string{"there is no such setting"}, code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			project, home := t.TempDir(), t.TempDir()
			if tc.user != "" {
				write(t, filepath.Join(home, "prog", "config.json"), tc.user)
			}
			if tc.project != "" {
				write(t, filepath.Join(project, ".prog", "config.json"), tc.project)
			}
			out := new(waittest.Log)
			code := configured(settingsIn(project, home, tc.environ...), strings.NewReader(""), out, out).Run(t.Context(), append([]string{"config"}, tc.args...))
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) || code != tc.code {
					t.Errorf("exit code %d, want %d; %q is missing in\n%s", code, tc.code, want, out)
				}
			}
			if strings.Contains(out.String(), "hunter2") {
				t.Errorf("a secret is shown:\n%s", out)
			}
		})
	}
}

// A project value that grants rights takes effect only while the user's approval exists.
func TestSettings_Trust(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(project, ".prog", "config.json"), `{"most":60}`)
	for _, step := range []struct{ command, want string }{
		{"config", "most   10 "}, {"trust -yes", "most = 60"}, {"config", "most   60 "}, {"untrust", "1 approvals were revoked"}, {"config", "most   10 "},
	} {
		out := new(waittest.Log)
		code := configured(settingsIn(project, home), strings.NewReader(""), out, out).Run(t.Context(), strings.Fields(step.command))
		if code != 0 || !strings.Contains(out.String(), step.want) {
			t.Fatalf("%s: exit code %d, want %q in\n%s", step.command, code, step.want, out)
		}
	}
}

// A link in the project does not lead to settings elsewhere.
func TestSettings_LinkOutOfTheProject(t *testing.T) {
	project, home, other := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(other, "config.json"), `{"most":5}`)
	if err := os.Symlink(other, filepath.Join(project, ".prog")); err != nil {
		t.Skip(err)
	}
	s := settingsIn(project, home)
	l, err := s.Load()
	if err != nil || l.Config.Most != 10 || len(l.Problems()) == 0 {
		t.Errorf("most is %d, %v; the problems are %v", l.Config.Most, err, l.Problems())
	}
}

func TestSettings_Strict(t *testing.T) {
	s := settingsIn(t.TempDir(), t.TempDir(), "PROG_MOST=500")
	s.Strict = true
	out := new(waittest.Log)
	if code := configured(s, strings.NewReader(""), out, out).Run(t.Context(), []string{"call", "count"}); code != 1 || !strings.Contains(out.String(), "received 500") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if got := s.Config().Most; got != 10 {
		t.Errorf("most is %d", got)
	}
}

// A changed file is applied while the program serves; a file with a mistake is not.
func TestSettings_ReloadWhileServing(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, ".prog", "config.json")
	write(t, file, `{"most":9}`)
	s := settingsIn(project, t.TempDir())
	applied := make(chan int, 10)
	s.Changed = func(_ context.Context, l *config.Loaded[configuration]) error {
		applied <- l.Config.Most
		return nil
	}
	stdin, client := io.Pipe()
	out, errs := new(waittest.Log), new(waittest.Log)
	server := configured(s, stdin, out, errs)
	ended := make(chan int, 1)
	go func() { ended <- server.Run(context.Background(), []string{"serve", "-log-level", "info"}) }()
	if _, err := io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	await(t, out, `"id":1`)
	write(t, file, `{"most":"many"}`)
	await(t, errs, "the settings stay unchanged")
	if got := s.Config().Most; got != 9 {
		t.Errorf("after a mistake most is %d", got)
	}
	write(t, file, `{"most":8}`)
	select {
	case got := <-applied:
		if got != 8 {
			t.Errorf("applied is %d", got)
		}
	case <-time.After(time.Minute):
		t.Fatalf("nothing was applied:\n%s", errs)
	}
	await(t, errs, "settings applied")
	if got := s.Config().Most; got != 8 {
		t.Errorf("after the change most is %d", got)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// await waits until a log has a text.
func await(t *testing.T, log *waittest.Log, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(log.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q is missing in\n%s", text, log)
		}
	}
}

// A file that changes after Load and before Follow is applied, too.
func TestSettings_ChangeBeforeFollow(t *testing.T) {
	project := t.TempDir()
	file := filepath.Join(project, ".prog", "config.json")
	s := settingsIn(project, t.TempDir())
	write(t, file, `{"most":5}`)
	if l, err := s.Load(); err != nil || l.Config.Most != 5 {
		t.Fatalf("loaded: %+v, %v", l, err)
	}
	write(t, file, `{"most":4}`)
	applied := make(chan int, 10)
	following := s.Follow(t.Context(), slog.New(slog.DiscardHandler), func(l *config.Loaded[configuration]) error {
		applied <- l.Config.Most
		return nil
	})
	defer following.Stop()
	select {
	case most := <-applied:
		if most != 4 {
			t.Errorf("%d was applied, want 4", most)
		}
	case <-time.After(20 * time.Second):
		t.Error("the change was not applied")
	}
}

func TestSettings_Doctor(t *testing.T) {
	s := settingsIn(t.TempDir(), t.TempDir(), "PROG_MOST=500")
	checks := s.Checks(t.Context(), "prog")
	if len(checks) != 1 || checks[0].Status != app.Warning || !strings.Contains(checks[0].Detail, "received 500") || !strings.Contains(checks[0].Next, "prog config") {
		t.Errorf("the checks are %+v", checks)
	}
	s = settingsIn(t.TempDir(), t.TempDir())
	if checks := s.Checks(t.Context(), "prog"); len(checks) != 1 || checks[0].Status != app.OK {
		t.Errorf("without problems the checks are %+v", checks)
	}
}

func TestSettings_DoctorNamesFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		user, project string // contents of the files; empty: no file
		want          string // USER and PROJECT stand for the names of the files
	}{
		"none":        {want: "there is no USER and no PROJECT, so the defaults apply; the environment and the flags are understood"},
		"the user's":  {user: `{"most":5}`, want: "USER, the environment and the flags are understood; there is no PROJECT"},
		"the project": {project: `{"most":5}`, want: "PROJECT, the environment and the flags are understood; there is no USER"},
		"both":        {user: `{"most":5}`, project: `{"most":5}`, want: "USER, PROJECT, the environment and the flags are understood"},
	} {
		t.Run(name, func(t *testing.T) {
			project, home := t.TempDir(), t.TempDir()
			user, own := filepath.Join(home, "prog", "config.json"), filepath.Join(project, ".prog", "config.json")
			if tc.user != "" {
				write(t, user, tc.user)
			}
			if tc.project != "" {
				write(t, own, tc.project)
			}
			want := strings.NewReplacer("USER", user, "PROJECT", own).Replace(tc.want)
			checks := settingsIn(project, home).Checks(t.Context(), "prog")
			if len(checks) != 1 || checks[0].Status != app.OK || checks[0].Detail != want {
				t.Errorf("the checks are %+v, want %q", checks, want)
			}
		})
	}
	s := &app.Settings[configuration]{Table: settingsIn("", "").Table, Environ: func() []string { return nil }}
	if checks := s.Checks(t.Context(), "prog"); len(checks) != 1 || checks[0].Detail != "the environment and the flags are understood" {
		t.Errorf("without files the checks are %+v", checks)
	}
}

// doctor finds a file of the flag -audit that cannot be used.
func TestDoctor_UnusableAuditFile(t *testing.T) {
	dir := t.TempDir()
	for flag, broken := range map[string]bool{filepath.Join(dir, "audit.log"): false, dir: true} {
		var out strings.Builder
		program := configured(settingsIn(dir, t.TempDir()), strings.NewReader(""), &out, io.Discard)
		program.Audit, program.Executable = true, filepath.Join(dir, "none") // no server is started
		program.Run(t.Context(), []string{"doctor", "-audit", flag})
		if found := strings.Contains(out.String(), "audit: "); found != broken {
			t.Errorf("with -audit %s:\n%s", flag, out.String())
		}
	}
}
