package agentmodel

import (
	"fmt"
	"net/http"
)

// object is a JSON object.
type object = map[string]any

func answerAnthropic(w http.ResponseWriter, r *Request, s Step, c *call) {
	blocks, reason := []object{}, "end_turn"
	if s.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": s.Text})
	}
	if c != nil {
		blocks, reason = append(blocks, object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": c.arguments}), "tool_use"
	}
	message := object{"id": fmt.Sprintf("msg_%d", r.Results+1), "type": "message", "role": "assistant", "model": r.Model, "content": blocks, "stop_reason": reason,
		"stop_sequence": nil, "usage": object{"input_tokens": 100, "output_tokens": 10}}
	if !r.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "%s", encode(message))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	message["content"], message["stop_reason"] = []any{}, nil
	event(w, "message_start", object{"type": "message_start", "message": message})
	for i, block := range blocks {
		delta := object{"type": "text_delta", "text": s.Text}
		start := object{"type": "text", "text": ""}
		if block["type"] == "tool_use" {
			delta = object{"type": "input_json_delta", "partial_json": string(c.arguments)}
			start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
		}
		event(w, "content_block_start", object{"type": "content_block_start", "index": i, "content_block": start})
		event(w, "content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		event(w, "content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	event(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	event(w, "message_stop", object{"type": "message_stop"})
}

func answerResponses(w http.ResponseWriter, r *Request, s Step, c *call) {
	id := fmt.Sprint("_", r.Results+1)
	items := []object{}
	if s.Text != "" {
		items = append(items, object{"type": "message", "id": "msg" + id, "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": s.Text, "annotations": []any{}}}})
	}
	switch {
	case s.Patch != "":
		items = append(items, object{"type": "custom_tool_call", "id": "ct" + id, "call_id": c.id, "name": c.name, "input": s.Patch})
	case c != nil && c.name == toolSearch:
		items = append(items, object{"type": "tool_search_call", "id": "ts" + id, "call_id": c.id, "execution": "client", "status": "completed", "arguments": c.arguments})
	case c != nil:
		item := object{"type": "function_call", "id": "fc" + id, "call_id": c.id, "name": c.name, "arguments": string(c.arguments), "status": "completed"}
		if c.namespace != "" {
			item["namespace"] = c.namespace
		}
		items = append(items, item)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "resp" + id}})
	for i, item := range items {
		event(w, "response.output_item.added", object{"type": "response.output_item.added", "output_index": i, "item": item})
		event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	event(w, "response.completed", object{"type": "response.completed", "response": object{"id": "resp" + id, "status": "completed", "output": items,
		"usage": object{
			"input_tokens": 100, "input_tokens_details": object{"cached_tokens": 40}, "output_tokens": 10,
			"output_tokens_details": object{"reasoning_tokens": 2}, "total_tokens": 110,
		}}})
}

func answerChat(w http.ResponseWriter, r *Request, s Step, c *call) {
	message, reason := object{"role": "assistant", "content": s.Text}, "stop"
	if c != nil {
		message["tool_calls"] = []any{object{"index": 0, "id": c.id, "type": "function", "function": object{"name": c.name, "arguments": string(c.arguments)}}}
		reason = "tool_calls"
	}
	usage := object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	response := func(kind string, choice object) object {
		return object{"id": fmt.Sprintf("chatcmpl-%d", r.Results+1), "object": kind, "created": 1, "model": r.Model, "choices": []any{choice}, "usage": usage}
	}
	if !r.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "%s", encode(response("chat.completion", object{"index": 0, "message": message, "finish_reason": reason})))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "", response("chat.completion.chunk", object{"index": 0, "delta": message, "finish_reason": nil}))
	event(w, "", response("chat.completion.chunk", object{"index": 0, "delta": object{}, "finish_reason": reason}))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func answerGoogle(w http.ResponseWriter, s Step, c *call, stream bool) {
	var parts []any
	if s.Text != "" {
		parts = append(parts, object{"text": s.Text})
	}
	if c != nil {
		parts = append(parts, object{"functionCall": object{"name": c.name, "args": c.arguments}})
	}
	response := object{
		"candidates":    []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110, "cachedContentTokenCount": 40},
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "%s", encode(response))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "", response)
}
