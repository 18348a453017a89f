package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/sourcegraph/jsonrpc2"
)

// handler handles requests and notifications of the server. It runs in the reading goroutine and must not block.
type handler struct{ *Session }

// Handle implements jsonrpc2.Handler.
func (h handler) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	defer func() {
		if v := recover(); v != nil {
			h.c.Log.Error("panic about a message of a language server", "server", h.c.Name, "method", req.Method, "panic", v, "stack", string(debug.Stack()))
			h.life.Fail(fmt.Errorf("it sent %s, which was too much", truncate.Cut(req.Method, 80)))
		}
	}()
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	if req.Notif {
		h.handleNotification(req.Method, params)
		return
	}
	result, known, err := h.handleRequest(req.Method, params)
	switch {
	case !known:
		err = conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "method not found"})
	case err != nil:
		err = conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
	default:
		err = conn.Reply(ctx, req.ID, result)
	}
	if err != nil {
		h.c.Log.Debug("answering a language server", "server", h.c.Name, "error", err)
	}
}

// handleNotification takes a notification. One that is not understood is not missed.
func (h handler) handleNotification(method string, params json.RawMessage) {
	switch method {
	case "textDocument/publishDiagnostics":
		var p PublishParams
		if json.Unmarshal(params, &p) == nil {
			h.state.publish(p)
		}
	case "$/progress":
		var p progressParams
		if json.Unmarshal(params, &p) == nil {
			h.state.progress(p)
		}
	case "window/logMessage", "window/showMessage":
		var p struct {
			Type    int    `json:"type"`
			Message string `json:"message"`
		}
		if json.Unmarshal(params, &p) != nil {
			return
		}
		if p.Type == 1 {
			h.life.HearLine(p.Message)
		}
		if h.c.ReadyMessage != nil && h.c.ReadyMessage.MatchString(p.Message) {
			h.state.setReady()
		}
	}
}

// handleRequest answers a request; known is false for one that this package does not know.
func (h handler) handleRequest(method string, params json.RawMessage) (result any, known bool, err error) {
	switch method {
	case "workspace/configuration":
		var p struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		err = json.Unmarshal(params, &p)
		answers := make([]any, 0, len(p.Items))
		for _, item := range p.Items {
			answers = append(answers, section(h.c.Settings, item.Section))
		}
		return answers, true, err
	case "workspace/workspaceFolders":
		return []any{map[string]any{"uri": URI(h.c.Dir), "name": h.c.Name}}, true, nil
	case "client/registerCapability":
		var p registerParams
		err = json.Unmarshal(params, &p)
		h.state.register(p.Registrations)
		return nil, true, err
	case "client/unregisterCapability":
		var p unregisterParams
		err = json.Unmarshal(params, &p)
		h.state.unregister(p.Unregistrations)
		return nil, true, err
	case "workspace/applyEdit":
		var p struct {
			Edit json.RawMessage `json:"edit"`
		}
		err = json.Unmarshal(params, &p)
		if err == nil && h.state.capture(p.Edit) {
			return map[string]any{"applied": true}, true, nil
		}
		return map[string]any{"applied": false, "failureReason": "no edit was requested"}, true, err
	case "window/showDocument":
		return map[string]any{"success": false}, true, nil
	case "window/showMessageRequest", "window/workDoneProgress/create":
		return nil, true, nil
	case "_typescript.rename": // typescript-language-server asks the client to start a rename of an extracted declaration
		return nil, true, nil
	case "workspace/diagnostic/refresh":
		h.state.broadcast()
		return nil, true, nil
	}
	return nil, strings.HasPrefix(method, "workspace/") && strings.HasSuffix(method, "/refresh"), nil
}

// section returns the settings of a section, for example "python.analysis"; all settings for "".
func section(settings map[string]any, name string) any {
	var at any = nested(settings)
	if name == "" {
		return at
	}
	for part := range strings.SplitSeq(name, ".") {
		members, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = members[part]
	}
	return at
}

// nested makes {"a": {"b": 1}} of {"a.b": 1}.
func nested(settings map[string]any) map[string]any {
	all := make(map[string]any)
	for key, value := range settings {
		at := all
		for first, rest, more := strings.Cut(key, "."); ; first, rest, more = strings.Cut(rest, ".") {
			if !more {
				merge(at, first, value)
				break
			}
			inner, ok := at[first].(map[string]any)
			if !ok {
				inner = make(map[string]any)
				at[first] = inner
			}
			at = inner
		}
	}
	return all
}

func merge(into map[string]any, key string, value any) {
	old, oldMap := into[key].(map[string]any)
	now, nowMap := value.(map[string]any)
	if !nowMap {
		into[key] = value
		return
	}
	if !oldMap {
		old = make(map[string]any)
		into[key] = old
	}
	for name, inner := range now {
		merge(old, name, inner)
	}
}
