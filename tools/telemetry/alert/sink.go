package alert

import (
	"context"
	"log/slog"
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
