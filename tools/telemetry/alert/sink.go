package alert

import (
	"context"
	"log/slog"
)

// Log returns a Sink that writes to a log: errors for high and critical alerts, warnings for less
// severe ones, and an info message at the end.
func Log(log *slog.Logger) Sink {
	return func(a Alert) {
		level, text := slog.LevelWarn, "alert: "+a.Message
		switch {
		case a.Resolved:
			level, text = slog.LevelInfo, "alert resolved: "+a.Message
		case a.Severity.rank() >= High.rank():
			level = slog.LevelError
		}
		log.Log(context.Background(), level, text, "rule", a.Rule, "severity", string(a.Severity), "value", a.Value, "above", a.Above, "since", a.Since, "id", a.ID)
	}
}
