package mcp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// LogLevel is a severity of RFC 5424, as MCP spells it.
type LogLevel string

// The levels, from the least to the most severe.
const (
	LevelDebug     LogLevel = "debug"
	LevelInfo      LogLevel = "info"
	LevelNotice    LogLevel = "notice"
	LevelWarning   LogLevel = "warning"
	LevelError     LogLevel = "error"
	LevelCritical  LogLevel = "critical"
	LevelAlert     LogLevel = "alert"
	LevelEmergency LogLevel = "emergency"
)

var logLevels = [...]LogLevel{LevelDebug, LevelInfo, LevelNotice, LevelWarning, LevelError, LevelCritical, LevelAlert, LevelEmergency}

// Known reports whether the level is one of the eight.
func (l LogLevel) Known() bool { return slices.Contains(logLevels[:], l) }

// Includes reports whether who asked for level l wants a message of level m.
func (l LogLevel) Includes(m LogLevel) bool {
	want := slices.Index(logLevels[:], l)
	return want >= 0 && slices.Index(logLevels[:], m) >= want
}

func logLevelNames() string {
	names := make([]string, len(logLevels))
	for i, l := range logLevels {
		names[i] = string(l)
	}
	return strings.Join(names, ", ")
}

// ProgressNotification tells how far a request has come (2026-07-28,
// basic/patterns/progress).
type ProgressNotification struct {
	Token    json.RawMessage // of the request, raw
	Progress float64         // increases with every notification
	Total    float64         // absent when 0
	Message  string          // since 2025-03-26; absent when empty
}

// Method implements Notification.
func (n *ProgressNotification) Method() string { return "notifications/progress" }

// AppendParams implements Notification.
func (n *ProgressNotification) AppendParams(dst []byte, rev Revision) []byte {
	dst = append(append(dst, `{"progressToken":`...), n.Token...)
	dst = append(dst, `,"progress":`...)
	dst = appendNumber(dst, n.Progress)
	if n.Total != 0 {
		dst = appendNumber(append(dst, `,"total":`...), n.Total)
	}
	if rev >= Rev20250326 {
		dst = appendOptional(dst, "message", n.Message)
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, f float64) []byte {
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// LogNotification is a message for who reads the client's log. Logging through
// the protocol is deprecated as of 2026-07-28, and works with every revision.
type LogNotification struct {
	Level  LogLevel
	Logger string          // who speaks; absent when empty
	Data   json.RawMessage // any JSON value
}

// Method implements Notification.
func (n *LogNotification) Method() string { return "notifications/message" }

// AppendParams implements Notification.
func (n *LogNotification) AppendParams(dst []byte, _ Revision) []byte {
	dst = append(append(dst, `{"level":"`...), n.Level...)
	dst = append(dst, '"')
	dst = appendOptional(dst, "logger", n.Logger)
	dst = append(dst, `,"data":`...)
	return append(append(dst, n.Data...), '}')
}

// ListChangedNotification tells that a list has changed: "tools", "prompts" or
// "resources".
type ListChangedNotification struct {
	List         string
	Subscription ID // of the subscriptions/listen that it is for
}

// Method implements Notification.
func (n *ListChangedNotification) Method() string { return "notifications/" + n.List + "/list_changed" }

// AppendParams implements Notification.
func (n *ListChangedNotification) AppendParams(dst []byte, rev Revision) []byte {
	if !rev.Modern() {
		return append(dst, `{}`...)
	}
	return append(appendSubscription(append(dst, '{'), n.Subscription), '}')
}

// ResourceUpdatedNotification tells that a resource, or a part of one, has
// changed.
type ResourceUpdatedNotification struct {
	URI          string
	Subscription ID // of the subscriptions/listen that it is for
}

// Method implements Notification.
func (n *ResourceUpdatedNotification) Method() string { return "notifications/resources/updated" }

// AppendParams implements Notification.
func (n *ResourceUpdatedNotification) AppendParams(dst []byte, rev Revision) []byte {
	dst = append(dst, '{')
	if rev.Modern() {
		dst = append(appendSubscription(dst, n.Subscription), ',')
	}
	dst = jsonx.AppendQuoted(append(dst, `"uri":`...), n.URI)
	return append(dst, '}')
}

// Within reports whether the notification is of what uri names, or of a part of
// that, as a subscription to uri is for (2026-07-28,
// ResourceUpdatedNotification).
func (n *ResourceUpdatedNotification) Within(uri string) bool { return within(n.URI, uri) }

// AcknowledgedNotification is the first message of a subscription: what of its
// filter is honoured (2026-07-28, basic/patterns/subscriptions).
type AcknowledgedNotification struct {
	Subscription ID
	Filter       SubscriptionFilter
}

// Method implements Notification.
func (n *AcknowledgedNotification) Method() string { return "notifications/subscriptions/acknowledged" }

// AppendParams implements Notification.
func (n *AcknowledgedNotification) AppendParams(dst []byte, _ Revision) []byte {
	dst = appendSubscription(append(dst, '{'), n.Subscription)
	dst = append(dst, `,"notifications":`...)
	return append(mustMarshal(dst, n.Filter), '}')
}

// SubscriptionFilter says what a subscription is for.
type SubscriptionFilter struct {
	ToolsListChanged      bool     `json:"toolsListChanged,omitempty"`
	PromptsListChanged    bool     `json:"promptsListChanged,omitempty"`
	ResourcesListChanged  bool     `json:"resourcesListChanged,omitempty"`
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
	// TaskIDs are of the extension io.modelcontextprotocol/tasks: what changes is
	// told as a *RawNotification, see package mcp/tasks.
	TaskIDs []string `json:"taskIds,omitempty"`
}

// appendSubscription appends the _meta member that says which subscription a
// message belongs to.
func appendSubscription(dst []byte, id ID) []byte {
	dst = append(dst, `"_meta":{`...)
	dst = jsonx.AppendQuoted(dst, metaSubscription)
	dst = append(append(dst, ':'), id...)
	return append(dst, '}')
}

// RawNotification is a notification whose params are already JSON.
type RawNotification struct {
	Name   string
	Params json.RawMessage
}

// Method implements Notification.
func (n *RawNotification) Method() string { return n.Name }

// AppendParams implements Notification.
func (n *RawNotification) AppendParams(dst []byte, _ Revision) []byte {
	if n.Params == nil {
		return append(dst, `{}`...)
	}
	return append(dst, n.Params...)
}
