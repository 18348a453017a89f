package legacy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// ParseNotification parses a notification of a server. key is the raw progress
// token or subscription id of the request to which it belongs, or empty.
func ParseNotification(method string, params []byte) (n protocol.Notification, key string, err error) {
	var p struct {
		Meta struct {
			Subscription json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
		ProgressToken json.RawMessage             `json:"progressToken"`
		Progress      float64                     `json:"progress"`
		Total         float64                     `json:"total"`
		Message       string                      `json:"message"`
		Level         protocol.LogLevel           `json:"level"`
		Logger        string                      `json:"logger"`
		Data          json.RawMessage             `json:"data"`
		Filter        protocol.SubscriptionFilter `json:"notifications"`
		URI           string                      `json:"uri"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, "", fmt.Errorf("reading %s: %w", method, err)
		}
	}
	subscription := string(p.Meta.Subscription)
	switch method {
	case "notifications/progress":
		return &protocol.ProgressNotification{Token: p.ProgressToken, Progress: p.Progress, Total: p.Total, Message: p.Message}, string(p.ProgressToken), nil
	case "notifications/message":
		return &protocol.LogNotification{Level: p.Level, Logger: p.Logger, Data: p.Data}, "", nil
	case "notifications/resources/updated":
		return &protocol.ResourceUpdatedNotification{URI: p.URI, Subscription: protocol.ID(subscription)}, subscription, nil
	case "notifications/subscriptions/acknowledged":
		return &protocol.AcknowledgedNotification{Subscription: protocol.ID(subscription), Filter: p.Filter}, subscription, nil
	}
	if list, ok := strings.CutSuffix(method, "/list_changed"); ok {
		return &protocol.ListChangedNotification{List: strings.TrimPrefix(list, "notifications/"), Subscription: protocol.ID(subscription)}, subscription, nil
	}
	return &protocol.RawNotification{Name: method, Params: append(json.RawMessage(nil), params...)}, subscription, nil
}
