package alert

import (
	"context"
	"log/slog"

	"github.com/dougu-go/dougu/tools/internal/notify"
)

// Log is a Sink that writes to a log: an error for what is high or critical, a
// warning for what is less, and a note when it is over.
func Log(log *slog.Logger) Sink {
	return func(a Alert) {
		level, text := slog.LevelWarn, "alert: "+a.Message
		switch {
		case a.Resolved:
			level, text = slog.LevelInfo, "alert is over: "+a.Message
		case a.Severity.rank() >= High.rank():
			level = slog.LevelError
		}
		log.Log(context.Background(), level, text, "rule", a.Rule, "severity", string(a.Severity), "value", a.Value, "above", a.Above, "since", a.Since, "id", a.ID)
	}
}

// Notify is a Sink that tells people elsewhere: on their desktop, in a channel, or
// through a webhook.
func Notify(n *notify.Notifier) Sink {
	return func(a Alert) { n.Send(a.message()) }
}

func (a Alert) message() notify.Message {
	m := notify.Message{
		Title: a.Rule, Text: a.Message, Level: notify.Warning, At: a.At,
		Fields: []notify.Field{{Name: "Severity", Value: string(a.Severity)}, {Name: "Value", Value: a.Value}, {Name: "Limit", Value: a.Above}},
	}
	switch {
	case a.Resolved:
		m.Title, m.Text, m.Level = a.Rule+" is over", a.Message+", and does no more.", notify.Success
	case a.Severity.rank() >= High.rank():
		m.Level = notify.Failure
	}
	return m
}
