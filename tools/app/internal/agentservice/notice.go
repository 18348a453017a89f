package agentservice

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/notify"
)

// newNotifier returns the notifier for the targets of the settings.
func newNotifier(c Config, log *slog.Logger) (*notify.Notifier, error) {
	o := notify.Options{Name: "kuromajutsu", Log: log}
	for _, text := range c.Notify.Targets {
		target, err := notify.ParseTarget(text)
		if err != nil {
			return nil, fmt.Errorf("notify.targets: %w", err)
		}
		o.Targets = append(o.Targets, target)
	}
	return notify.New(o), nil
}

// notify sends a notification for an event that the settings select.
func (s *Service) notify(e record.Event, a record.Agent) {
	event := string(a.Outcome)
	if e.Type == record.AgentStalled {
		event = "stalled"
	}
	if e.Type != record.AgentResultReported && slices.Contains(s.config.Notify.On, event) {
		s.notifier.Send(messageOf(event, a, s.URL(false)))
	}
}

// messageOf returns the notification for an event of an agent: "completed", "failed", "timedOut",
// "cancelled" or "stalled".
func messageOf(event string, a record.Agent, url string) notify.Message {
	m := notify.Message{Title: a.Role + ": " + event, Link: url, Level: notify.Info, Fields: []notify.Field{
		{Name: "agent", Value: a.ID}, {Name: "model", Value: cmp.Or(a.ModelName, a.Model)},
	}}
	switch event {
	case string(record.Completed):
		m.Level = notify.Success
	case string(record.Failed):
		m.Level = notify.Failure
	case string(record.TimedOut), "stalled":
		m.Level = notify.Warning
	}
	if d := a.Elapsed(time.Now()); d > 0 {
		m.Fields = append(m.Fields, notify.Field{Name: "time", Value: d.Round(time.Second).String()})
	}
	if r := a.Result; r != nil {
		m.Text = cmp.Or(r.Summary, r.ErrorMessage)
		if n := len(r.EditedFiles) + len(r.CreatedFiles) + len(r.DeletedFiles); n > 0 {
			m.Fields = append(m.Fields, notify.Field{Name: "files", Value: fmt.Sprint(n)})
		}
	}
	m.Text = cmp.Or(m.Text, a.Error, a.LastAssistantMessage)
	return m
}
