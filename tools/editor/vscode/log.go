package vscode

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/truncate"
)

const (
	maxQueue  = 256  // limit of records that wait to be sent; further ones are dropped
	maxReplay = 50   // number of records that a new window receives
	maxRecord = 4000 // limit of a record, in bytes
)

// records are log records for the output panels of windows.
type records struct {
	queue chan record

	mu      sync.Mutex // guards the following fields
	last    []record   // the latest maxReplay records, oldest first
	dropped int        // records dropped since the last queued one
}

// record is the content of a "log" notification.
type record struct {
	Level   string `json:"level"`
	Message string `json:"message"`
}

func newRecords() *records { return &records{queue: make(chan record, maxQueue)} }

// Handler returns a handler that writes log records to the output "Dougu" of every window. New windows receive the latest
// records. The handler never blocks; excess records are dropped. It does not remove secrets: put a redacting handler before it.
func (v *VSCode) Handler(level slog.Leveler) slog.Handler {
	h := &handler{to: v.records, mu: new(sync.Mutex), text: new(bytes.Buffer)}
	h.format = slog.NewTextHandler(h.text, &slog.HandlerOptions{Level: level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{} // VS Code shows both
		}
		return a
	}})
	return h
}

// handler formats records with slog.TextHandler.
type handler struct {
	to     *records
	format slog.Handler

	mu   *sync.Mutex // guards text, which all derived handlers share
	text *bytes.Buffer
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.format.Enabled(ctx, level)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{to: h.to, format: h.format.WithAttrs(attrs), mu: h.mu, text: h.text}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{to: h.to, format: h.format.WithGroup(name), mu: h.mu, text: h.text}
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	h.mu.Lock()
	h.text.Reset()
	err := h.format.Handle(ctx, r)
	line := strings.TrimPrefix(strings.TrimSpace(h.text.String()), "msg=")
	h.mu.Unlock()
	if err == nil {
		h.to.add(record{levelOf(r.Level), truncate.Cut(line, maxRecord)})
	}
	return err
}

func levelOf(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warn"
	}
	return "error"
}

func (r *records) add(one record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.last) == maxReplay {
		r.last = append(r.last[:0], r.last[1:]...)
	}
	r.last = append(r.last, one)
	if r.dropped > 0 {
		one.Message += fmt.Sprintf(" (%d before it were dropped)", r.dropped)
	}
	select {
	case r.queue <- one:
		r.dropped = 0
	default:
		r.dropped++
	}
}

// sendRecords sends log records to the windows.
func (v *VSCode) sendRecords() {
	for {
		select {
		case <-v.ctx.Done():
			return
		case one := <-v.records.queue:
			for _, w := range v.connected() {
				_ = w.conn.Notify(v.ctx, "log", one)
			}
		}
	}
}

// replay sends the latest records to a new window.
func (r *records) replay(ctx context.Context, w *window) {
	r.mu.Lock()
	last := append([]record(nil), r.last...)
	r.mu.Unlock()
	for _, one := range last {
		_ = w.conn.Notify(ctx, "log", one)
	}
}
