package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/dougu-go/dougu/internal/group"
)

const (
	// progressDelay is the time after which the line of progress appears.
	progressDelay = time.Second
	// progressRefresh is the interval at which the line is drawn, if it has changed.
	progressRefresh = 100 * time.Millisecond
)

// Progress shows what a command is doing, as one line on a terminal's standard error, with
// the seconds since the command started. The line appears after one second, is replaced by
// the text of the next call, and is removed before the command prints anything and at its
// end. Empty text removes it. Without a terminal Progress does nothing. It may be called
// concurrently.
func (a *App) Progress(text string) {
	if a.line != nil {
		a.line.set(text)
	}
}

// showProgress calls run with a line of progress, if standard error is a terminal. Until run
// returns, all outputs of the App are written through the line, but for the standard output
// of the command serve, which has the messages of the protocol.
func (a *App) showProgress(run func() error) error {
	file, ok := a.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return run()
	}
	stdout, stderr := a.Stdout, a.Stderr
	line := &progressLine{terminal: stderr, columns: func() int { return outputColumns(file) }, began: time.Now()}
	a.line, a.Stderr = line, lineWriter{line, stderr}
	if a.options.command != serveName {
		a.Stdout = lineWriter{line, stdout}
	}
	ctx, stop := context.WithCancel(context.Background())
	var drawing group.Group
	drawing.Go(func() { line.keep(ctx) })
	defer func() {
		stop()
		drawing.Wait()
		line.set("")
		a.line, a.Stdout, a.Stderr = nil, stdout, stderr
	}()
	return run()
}

// pauseProgress removes the line of progress until the returned function is called, for a
// question to the user.
func (a *App) pauseProgress() (resume func()) {
	if a.line == nil {
		return func() {}
	}
	a.line.pause(1)
	return func() { a.line.pause(-1) }
}

// progressLine is the last line of a terminal, which is drawn over itself.
type progressLine struct {
	terminal io.Writer
	columns  func() int // width of the terminal in cells
	began    time.Time

	mu sync.Mutex
	// text is what the command does; empty while nothing is to be shown.
	text string
	// shown is the line on the terminal; empty if there is none.
	shown string
	// paused counts the questions to the user that are open.
	paused int
	// unfinished reports that the last output did not end its line.
	unfinished bool
}

// keep draws the line until the context ends.
func (l *progressLine) keep(ctx context.Context) {
	ticker := time.NewTicker(progressRefresh)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.draw()
		case <-ctx.Done():
			return
		}
	}
}

func (l *progressLine) set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = visible(text)
	if text == "" {
		l.hide()
	}
}

func (l *progressLine) pause(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paused += n
	l.unfinished = false // the user has ended the line of the question
	l.hide()
}

// draw shows the current text, unless it is too early.
func (l *progressLine) draw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	elapsed := time.Since(l.began)
	if l.text == "" || l.paused > 0 || l.unfinished || elapsed < progressDelay {
		return
	}
	seconds := fmt.Sprintf(" (%d s)", int(elapsed.Seconds()))
	line := truncateColumns(l.text, l.columns()-len(seconds)-1) + seconds
	if line == l.shown {
		return
	}
	rest := textColumns(l.shown) - textColumns(line)
	l.shown = line
	if rest > 0 {
		line += strings.Repeat(" ", rest)
	}
	_, _ = io.WriteString(l.terminal, "\r"+line) // the line is only a display
}

// hide removes the line from the terminal. The caller holds l.mu.
func (l *progressLine) hide() {
	if l.shown == "" {
		return
	}
	_, _ = io.WriteString(l.terminal, "\r"+strings.Repeat(" ", textColumns(l.shown))+"\r")
	l.shown = ""
}

// truncateColumns returns the beginning of a text that is at most columns cells wide. A text
// that is cut ends with an ellipsis.
func truncateColumns(text string, columns int) string {
	if textColumns(text) <= columns {
		return text
	}
	n := 1 // the ellipsis
	for i, r := range text {
		if n += runeColumns(r); n > columns {
			return text[:i] + "…"
		}
	}
	return text
}

// lineWriter writes an output of the program above the line of progress.
type lineWriter struct {
	line *progressLine
	w    io.Writer
}

// Write implements io.Writer.
func (w lineWriter) Write(p []byte) (int, error) {
	w.line.mu.Lock()
	defer w.line.mu.Unlock()
	w.line.hide()
	w.line.unfinished = len(p) > 0 && !bytes.HasSuffix(p, []byte("\n"))
	return w.w.Write(p)
}
