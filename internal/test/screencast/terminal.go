//go:build unix

// Package screencast runs programs in a pseudo-terminal and renders their screens as an animated picture.
//
// [Start] starts a program and a [Terminal], which interprets the output of the program. [Terminal.Await] waits for a text on the
// screen, [Terminal.Type] presses keys, and [Terminal.Screen] returns the characters with their colors. [SVG] makes a picture of
// several screens, and [Text] reads the text of a picture.
package screencast

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/dougu-go/dougu/internal/group"
)

// patience is the time within which an awaited text must be on the screen.
const patience = 4 * time.Minute

const (
	// pause is the time without output after which a screen counts as drawn.
	pause = 300 * time.Millisecond
	// maxDrawing limits the wait for a pause.
	maxDrawing = 2 * time.Second
)

// titles match the titles that programs give their window, and the beginning of one. The emulator takes the byte 9C in a character
// of UTF-8 for the end of a title, and would show the rest of it.
var (
	titles          = regexp.MustCompile(`\x1b\][012];[^\x07\x1b]*(?:\x07|\x1b\\)`)
	unfinishedTitle = regexp.MustCompile(`^\x1b\](?:[012](?:;[^\x07\x1b]*\x1b?)?)?$`)
)

// Terminal is a terminal with a program.
type Terminal struct {
	t       testing.TB
	columns int
	rows    int
	ours    *os.File // the terminal's end of the pseudo-terminal
	tasks   group.Group

	mu       sync.Mutex // guards the emulator
	emulator *vt.Emulator
	changed  chan struct{} // receives after output
}

// Start starts cmd in a terminal of a size in characters. The end of the test ends the program.
func Start(t testing.TB, cmd *exec.Cmd, columns, rows int) *Terminal {
	t.Helper()
	ours, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		t.Fatalf("start %s in a terminal: %v", cmd.Path, err)
	}
	term := &Terminal{t: t, columns: columns, rows: rows, ours: ours, emulator: vt.NewEmulator(columns, rows), changed: make(chan struct{}, 1)}
	term.tasks.Go(term.show)
	term.tasks.Go(term.respond)
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("end %s: %v", cmd.Path, err)
		}
		_ = cmd.Wait() // it was killed
		_ = ours.Close()
		term.tasks.Wait()
	})
	return term
}

// show interprets the output of the program until its end.
func (term *Terminal) show() {
	buffer := make([]byte, 64<<10)
	var output []byte // with an unfinished title at its end
	for {
		n, err := term.ours.Read(buffer)
		output = titles.ReplaceAll(append(output, buffer[:n]...), nil)
		complete := len(output)
		if at := bytes.LastIndex(output, []byte("\x1b]")); at >= 0 && unfinishedTitle.Match(output[at:]) {
			complete = at
		}
		term.mu.Lock()
		_, _ = term.emulator.Write(output[:complete])
		output = output[complete:]
		term.mu.Unlock()
		select {
		case term.changed <- struct{}{}:
		default:
		}
		if err != nil { // EIO on Linux when the program has ended
			_ = term.emulator.InputPipe().(io.Closer).Close()
			return
		}
	}
}

// respond sends the emulator's responses to queries of the program, for example for the position of the cursor.
func (term *Terminal) respond() {
	_, _ = io.Copy(term.ours, term.emulator)
	_, _ = io.Copy(io.Discard, term.emulator) // a write failed, and the emulator must not block
}

// Type presses the keys of a text. "\r" is Enter.
func (term *Terminal) Type(text string) {
	term.t.Helper()
	if _, err := io.WriteString(term.ours, text); err != nil {
		term.t.Fatalf("type %q: %v", text, err)
	}
}

// Await waits until the screen has all texts, and returns it. A line break on the screen does not divide a text.
func (term *Terminal) Await(texts ...string) Screen {
	term.t.Helper()
	return term.AwaitFunc(strings.Join(texts, ", "), func(s Screen) bool {
		for _, text := range texts {
			if !s.Contains(text) {
				return false
			}
		}
		return true
	})
}

// AwaitFunc waits for a condition, which description names, and returns a screen that fulfils it. Programs draw a screen in several
// writes, so the screen is taken after a pause of the output, or after maxDrawing while an animation runs.
func (term *Terminal) AwaitFunc(description string, condition func(Screen) bool) Screen {
	term.t.Helper()
	ctx, cancel := context.WithTimeout(term.t.Context(), patience)
	defer cancel()
	for {
		if condition(term.Screen()) {
			term.awaitPause()
			if s := term.Screen(); condition(s) {
				return s
			}
		}
		select {
		case <-term.changed:
		case <-ctx.Done():
			term.t.Fatalf("the screen lacks %s:\n%s", description, term.Screen())
		}
	}
}

// awaitPause waits until the program has written nothing for the time pause, at most for maxDrawing.
func (term *Terminal) awaitPause() {
	end := time.After(maxDrawing)
	for {
		select {
		case <-term.changed:
		case <-time.After(pause):
			return
		case <-end:
			return
		}
	}
}

// Screen returns the present screen.
func (term *Terminal) Screen() Screen {
	term.mu.Lock()
	defer term.mu.Unlock()
	s := Screen{columns: term.columns, rows: make([][]cell, term.rows)}
	for y := range s.rows {
		for x := 0; x < term.columns; {
			c := cell{text: " ", columns: 1}
			if at := term.emulator.CellAt(x, y); at != nil && at.Content != "" {
				c = cell{text: at.Content, columns: max(at.Width, 1), style: at.Style}
			} else if at != nil {
				c.style = at.Style
			}
			s.rows[y] = append(s.rows[y], c)
			x += c.columns
		}
	}
	return s
}
