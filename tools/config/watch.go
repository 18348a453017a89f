package config

import (
	"bytes"
	"context"
	"log/slog"
	"time"
)

// Watcher reports changes of a file. It compares the content, so it works for every way in which an editor saves: in place, by
// replacement, or by deletion and creation. The directory of the file may be removed and created again.
type Watcher struct {
	// Path is the absolute name of the file.
	Path string
	// Read gives the file's content; Read of this package bounds it.
	Read func() ([]byte, error)
	// Changed receives content, or an error of Read, that differs from the last one.
	Changed func(data []byte, err error)
	// Quiet is how long nothing must happen before the file is read, so that half a
	// change is not; it is read after ten times that in any case. Default 100 ms.
	Quiet time.Duration
	// Poll is how often the file is read where the system does not tell of changes.
	// Default 2 s.
	Poll time.Duration
	// Check is how often it is read where the system does, since file systems on
	// other machines can be silent. Default 15 s.
	Check time.Duration
	// Log receives one message if the system does not report changes. nil logs nothing.
	Log *slog.Logger

	notify func() (notifier, error) // nil: the system's
}

func (w *Watcher) defaults() {
	for at, d := range map[*time.Duration]time.Duration{&w.Quiet: 100 * time.Millisecond, &w.Poll: 2 * time.Second, &w.Check: 15 * time.Second} {
		if *at <= 0 {
			*at = d
		}
	}
	if w.Log == nil {
		w.Log = slog.New(slog.DiscardHandler)
	}
	if w.notify == nil {
		w.notify = newNotifier
	}
}

// Run watches until ctx ends. data and err are the last result of Read; a change since then is reported at once.
func (w *Watcher) Run(ctx context.Context, data []byte, err error) {
	w.defaults()
	known := content{data, reason(err)}
	eyes := &watcherState{path: w.Path, notify: w.notify, log: w.Log}
	defer eyes.close()
	for ctx.Err() == nil {
		watching := eyes.open()
		known = w.look(known)
		w.wait(ctx, eyes, watching)
	}
}

// content is the result of one Read.
type content struct {
	data []byte
	err  string
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// look reads the file and reports a change.
func (w *Watcher) look(known content) content {
	data, err := w.Read()
	now := content{data, reason(err)}
	if now.err == known.err && bytes.Equal(now.data, known.data) {
		return known
	}
	w.Changed(data, err)
	return now
}

// wait returns when the file is to be looked at: after an event and the quiet
// that follows it, or after a while.
func (w *Watcher) wait(ctx context.Context, eyes *watcherState, watching bool) {
	while := w.Check
	if !watching {
		while = w.Poll
	}
	timer := time.NewTimer(while)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
		return
	case <-eyes.events():
	}
	latest := time.NewTimer(10 * w.Quiet)
	defer latest.Stop()
	for {
		timer.Reset(w.Quiet)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-latest.C:
			return
		case <-eyes.events():
		}
	}
}
