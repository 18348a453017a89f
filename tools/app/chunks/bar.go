package chunks

import (
	"io"
	"os"
	"sync"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// bar shows progress on a terminal; anywhere else nothing.
type bar struct {
	mu  sync.Mutex
	bar *progressbar.ProgressBar // nil without a terminal
}

func newBar(w io.Writer) *bar {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &bar{}
	}
	return &bar{bar: progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("reading"), progressbar.OptionShowCount(), progressbar.OptionThrottle(50e6), progressbar.OptionClearOnFinish())}
}

// show is told how far an analysis has come.
func (b *bar) show(p index.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil || p.Changed == 0 {
		return
	}
	b.bar.ChangeMax(p.Changed)
	// Errors of the terminal are ignored: the bar is only a display.
	_ = b.bar.Set(p.Done)
}

func (b *bar) done() {
	if b.bar != nil {
		_ = b.bar.Finish()
	}
}
