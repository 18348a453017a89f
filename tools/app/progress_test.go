package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// screen returns the lines that a terminal shows after an output without escape sequences.
func screen(output string) []string {
	var lines []string
	var line []rune
	at := 0
	for _, r := range strings.ReplaceAll(output, "\r\n", "\n") {
		switch {
		case r == '\n':
			lines, line, at = append(lines, strings.TrimRight(string(line), " ")), nil, 0
		case r == '\r':
			at = 0
		case at < len(line):
			line[at] = r
			at++
		default:
			line = append(line, r)
			at++
		}
	}
	return append(lines, strings.TrimRight(string(line), " "))
}

func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		line := &progressLine{terminal: &terminal, columns: func() int { return 30 }, began: time.Now()}
		ctx, stop := context.WithCancel(t.Context())
		var drawing group.Group
		drawing.Go(func() { line.keep(ctx) })
		last := func() string {
			synctest.Wait()
			all := screen(terminal.String())
			return all[len(all)-1]
		}
		stderr := lineWriter{line, &terminal}
		step := func(wait time.Duration, text, want string) {
			t.Helper()
			line.set(text)
			time.Sleep(wait)
			if got := last(); got != want {
				t.Errorf("the last line is %q, want %q", got, want)
			}
		}
		step(900*time.Millisecond, "reading", "")
		step(200*time.Millisecond, "reading", "reading (1 s)")
		step(200*time.Millisecond, "go", "go (1 s)")
		step(time.Second, "a long text that is cut at the end", "a long text that is cu… (2 s)")
		io.WriteString(stderr, "level=WARN\n")
		step(0, "go", "")
		step(time.Second, "go", "go (3 s)")
		io.WriteString(stderr, "half a line")
		step(time.Second, "go", "half a line")
		io.WriteString(stderr, " and its end\n")
		step(time.Second, "\x1b[2J", `\u001b[2J (5 s)`)
		line.pause(1)
		io.WriteString(stderr, "Agreed? [y/N] ")
		step(time.Minute, "go", "Agreed? [y/N]")
		io.WriteString(&terminal, "y\n")
		line.pause(-1)
		step(time.Second, "go", "go (66 s)")
		step(time.Minute, "", "")
		stop()
		drawing.Wait()
		if got, want := strings.Join(screen(terminal.String()), "|"), "level=WARN|half a line and its end|Agreed? [y/N] y|"; got != want {
			t.Errorf("the terminal shows %q, want %q", got, want)
		}
	})
}

// On a terminal a long call shows its progress on one line, above which logs appear, and
// nothing but the logs and the answer remains.
func TestCall_ProgressOnTerminal(t *testing.T) {
	ours, theirs, err := pty.Size{Rows: 20, Columns: 80}.Open()
	if errors.Is(err, pty.ErrNoTerminal) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	var reading group.Group
	var output strings.Builder
	reading.Go(func() {
		buffer := make([]byte, 4096)
		for {
			n, err := ours.Read(buffer)
			output.Write(buffer[:n])
			if strings.Contains(output.String(), "half, 50 % (") {
				select {
				case seen <- "":
				default:
				}
			}
			if err != nil || strings.Contains(output.String(), "the end") {
				return
			}
		}
	})
	server := &App{
		Name: "prog", Stdin: strings.NewReader(""), Stdout: theirs, Stderr: theirs,
		Build: func(_ context.Context, start Start) (*Program, error) {
			srv := mcp.NewServer(mcp.Implementation{Name: "prog"}, nil)
			return &Program{Server: srv}, mcp.AddTool(srv, mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
				mcp.Progress(ctx, 1, 2, "half")
				select {
				case <-seen:
				case <-ctx.Done():
					return "", ctx.Err()
				}
				start.Log.Warn("logged in between", slog.Int("n", 1))
				return "the end", nil
			})
		},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if code := server.Run(ctx, []string{"call", "wait"}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	reading.Wait()
	lines := screen(output.String())
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "time=") || !strings.HasSuffix(lines[0], `msg="logged in between" n=1`) || lines[1] != "the end" {
		t.Errorf("the terminal shows %q", lines)
	}
	if server.Stdout != io.Writer(theirs) || server.Stderr != io.Writer(theirs) {
		t.Error("the outputs of the App are not restored")
	}
	if err := errors.Join(theirs.Close(), ours.Close()); err != nil {
		t.Error(err)
	}
}

// Nothing is shown without a terminal.
func TestProgress_NoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	a := &App{Stderr: file}
	ran := false
	if err := a.showProgress(func() error {
		ran = true
		a.Progress("reading")
		if a.line != nil || a.Stderr != io.Writer(file) {
			t.Error("a file is taken for a terminal")
		}
		return nil
	}); err != nil || !ran {
		t.Error(err, ran)
	}
}
