package redact

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
)

// handler redacts records before it passes them to next.
type handler struct {
	next     slog.Handler
	redactor *Redactor
	secret   bool // inside a group with a secret name
}

// NewHandler returns a handler that redacts records before next receives them. It replaces the
// values of secret names, also in groups, and text that looks like a credential. A nil redactor
// uses the defaults. Values of other types are encoded as JSON.
func NewHandler(next slog.Handler, redactor *Redactor) slog.Handler {
	return &handler{next: next, redactor: redactor}
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.redactor.Text(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a, h.secret))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a, h.secret)
	}
	return &handler{next: h.next.WithAttrs(clean), redactor: h.redactor, secret: h.secret}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{next: h.next.WithGroup(name), redactor: h.redactor, secret: h.secret || h.redactor.SecretKey(name)}
}

func (h *handler) attr(a slog.Attr, secret bool) slog.Attr {
	secret = secret || h.redactor.SecretKey(a.Key)
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindGroup:
		members := make([]slog.Attr, len(value.Group()))
		for i, member := range value.Group() {
			members[i] = h.attr(member, secret)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(members...)}
	case slog.KindBool, slog.KindTime, slog.KindDuration:
		return slog.Attr{Key: a.Key, Value: value}
	}
	switch {
	case secret:
		return slog.String(a.Key, redacted)
	case value.Kind() == slog.KindString:
		return slog.String(a.Key, h.redactor.Text(value.String()))
	case value.Kind() == slog.KindAny:
		return slog.Attr{Key: a.Key, Value: h.any(value.Any())}
	}
	return slog.Attr{Key: a.Key, Value: value}
}

// any redacts a value of any type. It recovers from panics of the value's methods.
func (h *handler) any(v any) (value slog.Value) {
	defer func() {
		if recover() != nil {
			value = slog.StringValue(fmt.Sprintf("value of type %T that cannot be shown", v))
		}
	}()
	switch v := v.(type) {
	case nil:
		return slog.AnyValue(nil)
	case error:
		return slog.StringValue(h.redactor.Text(v.Error()))
	case []byte:
		return slog.StringValue(h.redactor.Text(string(v)))
	case json.Marshaler:
		break
	case encoding.TextMarshaler:
		if text, err := v.MarshalText(); err == nil {
			return slog.StringValue(h.redactor.Text(string(text)))
		}
	case fmt.Stringer:
		return slog.StringValue(h.redactor.Text(v.String()))
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return slog.StringValue(h.redactor.Text(fmt.Sprintf("%+v", v)))
	}
	return slog.AnyValue(json.RawMessage(h.redactor.JSON(encoded)))
}
