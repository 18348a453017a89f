package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// NewLogHandler returns a handler that sends records to the client of the call in their context, if
// the client requested their level (2026-07-28, server/utilities/logging). Other records go to
// next. A nil next discards them.
func NewLogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		next = slog.DiscardHandler
	}
	return &logHandler{next: next}
}

// logHandler implements slog.Handler. It records groups and attributes, to encode them for a
// client.
type logHandler struct {
	next   slog.Handler // handles records for no client
	groups []string     // open groups
	attrs  []scopedAttr // attributes of WithAttrs
}

// scopedAttr is an attribute with the number of groups that were open when it was added.
type scopedAttr struct {
	groups int
	attr   slog.Attr
}

// Enabled reports whether the client or the next handler accepts the level.
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return wantsLog(ctx, logLevel(level)) || h.next.Enabled(ctx, level)
}

// Handle sends the record to the client, or passes it to the next handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	if level := logLevel(r.Level); wantsLog(ctx, level) {
		Log(ctx, level, "", h.data(r))
		return nil
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.next = h.next.WithAttrs(attrs)
	next.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		next.attrs = append(next.attrs, scopedAttr{len(h.groups), a})
	}
	return &next
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	next := *h
	next.next = h.next.WithGroup(name)
	next.groups = append(slices.Clone(h.groups), name)
	return &next
}

// data returns the message and the grouped attributes of a record, for a client.
func (h *logHandler) data(r slog.Record) map[string]any {
	top := make(map[string]any)
	for _, a := range h.attrs {
		addAttr(groupMap(top, h.groups[:a.groups]), a.attr)
	}
	r.Attrs(func(a slog.Attr) bool {
		addAttr(groupMap(top, h.groups), a)
		return true
	})
	top["message"] = r.Message
	return top
}

// groupMap returns the map of the innermost group, and creates missing groups.
func groupMap(in map[string]any, groups []string) map[string]any {
	for _, name := range groups {
		inner, ok := in[name].(map[string]any)
		if !ok {
			inner = make(map[string]any)
			in[name] = inner
		}
		in = inner
	}
	return in
}

// addAttr adds an attribute to a map. Empty groups and empty attributes are omitted, as slog
// requires.
func addAttr(in map[string]any, a slog.Attr) {
	value := a.Value.Resolve()
	switch {
	case value.Kind() == slog.KindGroup && a.Key == "":
		for _, member := range value.Group() {
			addAttr(in, member)
		}
	case value.Kind() == slog.KindGroup && len(value.Group()) > 0:
		inner := groupMap(in, []string{a.Key})
		for _, member := range value.Group() {
			addAttr(inner, member)
		}
	case value.Kind() == slog.KindGroup, a.Equal(slog.Attr{}):
	default:
		in[a.Key] = logValue(value)
	}
}

// logValue converts v to a value that encodes as JSON.
func logValue(v slog.Value) any {
	switch v.Kind() {
	case slog.KindDuration:
		return v.Duration().String()
	case slog.KindTime:
		return v.Time().Format(time.RFC3339Nano)
	}
	switch value := v.Any().(type) {
	case error:
		return value.Error()
	default:
		if _, err := json.Marshal(value); err != nil {
			return v.String()
		}
		return value
	}
}

// wantsLog reports whether the client of the call of ctx requested messages of a level.
func wantsLog(ctx context.Context, level protocol.LogLevel) bool {
	call := CallFrom(ctx)
	return call != nil && call.Request.Notify != nil && call.Request.Meta.LogLevel.Includes(level)
}

// logLevel returns the severity for a level of slog.
func logLevel(level slog.Level) protocol.LogLevel {
	switch {
	case level >= slog.LevelError:
		return protocol.LevelError
	case level >= slog.LevelWarn:
		return protocol.LevelWarning
	case level > slog.LevelInfo:
		return protocol.LevelNotice
	case level == slog.LevelInfo:
		return protocol.LevelInfo
	}
	return protocol.LevelDebug
}
