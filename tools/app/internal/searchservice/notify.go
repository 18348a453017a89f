package searchservice

import (
	"github.com/dougu-go/dougu/tools/internal/notify"
	"github.com/dougu-go/dougu/tools/telemetry/alert"
)

// sendAlerts is an alert.Sink that sends alerts to the targets of a notifier: the desktop, a channel or a webhook.
func sendAlerts(n *notify.Notifier) alert.Sink {
	return func(a alert.Alert) { n.Send(alertMessage(a)) }
}

// alertMessage returns an alert as a message: a failure for a high or critical one, a success for its end.
func alertMessage(a alert.Alert) notify.Message {
	m := notify.Message{
		Title: a.Rule, Text: a.Message, Level: notify.Warning, At: a.At,
		Fields: []notify.Field{{Name: "Severity", Value: string(a.Severity)}, {Name: "Value", Value: a.Value}, {Name: "Limit", Value: a.Above}},
	}
	switch {
	case a.Resolved:
		m.Title, m.Text, m.Level = a.Rule+" is resolved", "Resolved: "+a.Message, notify.Success
	case a.Severity == alert.High || a.Severity == alert.Critical:
		m.Level = notify.Failure
	}
	return m
}
