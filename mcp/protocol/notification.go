package protocol

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// LogLevel is a severity of RFC 5424 in the spelling of MCP.
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

// logLevels lists all levels, the least severe first.
var logLevels = [...]LogLevel{LevelDebug, LevelInfo, LevelNotice, LevelWarning, LevelError, LevelCritical, LevelAlert, LevelEmergency}

// Known reports whether l is one of the Level constants.
func (l LogLevel) Known() bool { return slices.Contains(logLevels[:], l) }

// Includes reports whether a client with the minimum level l receives messages of level m. The
// empty level includes nothing.
func (l LogLevel) Includes(m LogLevel) bool {
	want := slices.Index(logLevels[:], l)
	return want >= 0 && slices.Index(logLevels[:], m) >= want
}

// logLevelNames returns all levels for messages, separated by commas.
func logLevelNames() string {
	names := make([]string, len(logLevels))
	for i, l := range logLevels {
		names[i] = string(l)
	}
	return strings.Join(names, ", ")
}

// ProgressNotification reports the progress of a request (2026-07-28, basic/patterns/progress).
type ProgressNotification struct {
	Token    json.RawMessage // Token is the progress token of the request, a raw JSON string or integer.
	Progress float64         // Progress increases with every notification.
	Total    float64         // Total is the value of Progress at the end; 0 means unknown.
	Message  string          // Message is optional text; since 2025-03-26.
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
		dst = jsonx.AppendOptional(dst, "message", n.Message)
	}
	return append(dst, '}')
}

// appendNumber appends f without an exponent.
func appendNumber(dst []byte, f float64) []byte {
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// LogNotification is a log message for the client. Logging is deprecated as of 2026-07-28, and
// works with every revision.
type LogNotification struct {
	Level  LogLevel        // Level is the severity.
	Logger string          // Logger names the source; optional.
	Data   json.RawMessage // Data is the message, any JSON value.
}

// Method implements Notification.
func (n *LogNotification) Method() string { return "notifications/message" }

// AppendParams implements Notification.
func (n *LogNotification) AppendParams(dst []byte, _ Revision) []byte {
	dst = append(append(dst, `{"level":"`...), n.Level...)
	dst = append(dst, '"')
	dst = jsonx.AppendOptional(dst, "logger", n.Logger)
	dst = append(dst, `,"data":`...)
	return append(append(dst, n.Data...), '}')
}

// ListChangedNotification reports a change of a list.
type ListChangedNotification struct {
	List         string // List is "tools", "prompts" or "resources".
	Subscription ID     // Subscription is the id of the subscriptions/listen request.
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

// ResourceUpdatedNotification reports a change of a resource or of a part of it.
type ResourceUpdatedNotification struct {
	URI          string // URI identifies the changed resource or part.
	Subscription ID     // Subscription is the id of the subscriptions/listen request.
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

// IncludedIn reports whether a subscription to uri includes the notification: its URI is uri or a part
// of it (2026-07-28, ResourceUpdatedNotification).
func (n *ResourceUpdatedNotification) IncludedIn(uri string) bool {
	return n.URI == uri || strings.HasPrefix(n.URI, strings.TrimSuffix(uri, "/")+"/")
}

// AcknowledgedNotification is the first message of a subscription (2026-07-28,
// basic/patterns/subscriptions).
type AcknowledgedNotification struct {
	Subscription ID                 // Subscription is the id of the subscriptions/listen request.
	Filter       SubscriptionFilter // Filter is the accepted part of the requested filter.
}

// Method implements Notification.
func (n *AcknowledgedNotification) Method() string { return "notifications/subscriptions/acknowledged" }

// AppendParams implements Notification.
func (n *AcknowledgedNotification) AppendParams(dst []byte, _ Revision) []byte {
	dst = appendSubscription(append(dst, '{'), n.Subscription)
	dst = append(dst, `,"notifications":`...)
	return append(mustMarshal(dst, n.Filter), '}')
}

// SubscriptionFilter selects the changes that a subscription reports.
type SubscriptionFilter struct {
	ToolsListChanged      bool     `json:"toolsListChanged,omitempty"`      // ToolsListChanged selects changes of the list of tools.
	PromptsListChanged    bool     `json:"promptsListChanged,omitempty"`    // PromptsListChanged selects changes of the list of prompts.
	ResourcesListChanged  bool     `json:"resourcesListChanged,omitempty"`  // ResourcesListChanged selects changes of the lists of resources and templates.
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"` // ResourceSubscriptions lists URIs; parts of a resource are included.
	// TaskIDs lists tasks of the extension io.modelcontextprotocol/tasks. Their changes arrive as
	// *RawNotification; see package mcp/tasks.
	TaskIDs []string `json:"taskIds,omitempty"`
}

// appendSubscription appends the _meta member with the id of the subscription.
func appendSubscription(dst []byte, id ID) []byte {
	dst = append(dst, `"_meta":{`...)
	dst = jsonx.AppendQuoted(dst, metaSubscription)
	dst = append(append(dst, ':'), id...)
	return append(dst, '}')
}

// RawNotification is a notification with params that are already JSON.
type RawNotification struct {
	Name   string          // Name is the method, for example "notifications/progress".
	Params json.RawMessage // Params is a JSON object; nil means {}.
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
