package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

// NewLogHandler returns a handler that sends what is logged with the context of
// a call to that call's client, if the client asked for its level, and
// everything else to next (2026-07-28, server/utilities/logging). next may be
// nil, for nowhere.
func NewLogHandler(next slog.Handler) slog.Handler {
	if next == nil {
		next = slog.DiscardHandler
	}
	return &logHandler{next: next}
}

// logHandler keeps what With added, to encode it for a client.
type logHandler struct {
	next   slog.Handler
	groups []string
	attrs  []scopedAttr
}

// scopedAttr is an attribute in the groups that were open when it was added.
type scopedAttr struct {
	groups int
	attr   slog.Attr
}

func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return wantsLog(ctx, logLevel(level)) || h.next.Enabled(ctx, level)
}

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

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.next = h.next.WithAttrs(attrs)
	next.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		next.attrs = append(next.attrs, scopedAttr{len(h.groups), a})
	}
	return &next
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	next := *h
	next.next = h.next.WithGroup(name)
	next.groups = append(slices.Clone(h.groups), name)
	return &next
}

// data is what a client gets of a record: its message, and its attributes as
// they are grouped.
func (h *logHandler) data(r slog.Record) map[string]any {
	top := make(map[string]any)
	for _, a := range h.attrs {
		addAttr(inGroups(top, h.groups[:a.groups]), a.attr)
	}
	r.Attrs(func(a slog.Attr) bool {
		addAttr(inGroups(top, h.groups), a)
		return true
	})
	top["message"] = r.Message
	return top
}

func inGroups(in map[string]any, groups []string) map[string]any {
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

func addAttr(in map[string]any, a slog.Attr) {
	value := a.Value.Resolve()
	switch {
	case value.Kind() == slog.KindGroup && a.Key == "":
		for _, member := range value.Group() {
			addAttr(in, member)
		}
	case value.Kind() == slog.KindGroup && len(value.Group()) > 0:
		inner := inGroups(in, []string{a.Key})
		for _, member := range value.Group() {
			addAttr(inner, member)
		}
	case value.Kind() == slog.KindGroup, a.Equal(slog.Attr{}):
	default:
		in[a.Key] = logValue(value)
	}
}

// logValue is a value that JSON can hold.
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

// wantsLog reports whether the client of ctx's call asked for a level.
func wantsLog(ctx context.Context, level LogLevel) bool {
	call := CallFrom(ctx)
	return call != nil && call.Request.Notify != nil && call.Request.Meta.LogLevel.Includes(level)
}

// logLevel is the severity that a level of slog stands for.
func logLevel(level slog.Level) LogLevel {
	switch {
	case level >= slog.LevelError:
		return LevelError
	case level >= slog.LevelWarn:
		return LevelWarning
	case level > slog.LevelInfo:
		return LevelNotice
	case level == slog.LevelInfo:
		return LevelInfo
	}
	return LevelDebug
}
