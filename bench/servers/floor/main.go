// Command floor serves the catalog with only the standard library, as a minimal program would: one encoding/json decode for each
// layer, no validation and no cancellation. It uses one loop over standard input and output, and a plain handler for HTTP. The cost
// of a library is measured relative to it.
//
// Over WebSocket, which the standard library does not support, it is an echo server with github.com/coder/websocket. It measures
// the cost of frames.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"github.com/dougu-go/dougu/bench/servers/internal/front"
)

func main() {
	settings := front.Parse()
	listed, err := tools(settings.Tools)
	if err != nil {
		log.Fatal(err)
	}
	if settings.HTTP == "" {
		err = serve(os.Stdin, os.Stdout, listed)
	} else {
		err = serveHTTP(settings, listed)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func serve(in io.Reader, out io.Writer, listed []tool) error {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		reply := answerTo(line, listed)
		if reply == nil {
			continue
		}
		frame, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(frame, '\n')); err != nil {
			return err
		}
	}
}

func answerTo(line []byte, listed []tool) *response {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return &response{JSONRPC: "2.0", ID: json.RawMessage("null"), Error: &failure{-32700, err.Error()}}
	}
	return answer(&req, listed)
}

// answer returns the response to a request, or nil for a notification.
func answer(req *request, listed []tool) *response {
	if req.ID == nil {
		return nil
	}
	reply := &response{JSONRPC: "2.0", ID: req.ID}
	switch req.Method {
	case "initialize":
		reply.Result = initialized()
	case "ping":
		reply.Result = struct{}{}
	case "tools/list":
		reply.Result = list{Tools: listed}
	case "tools/call":
		result, err := call(req.Params)
		if err != nil {
			reply.Error = &failure{-32602, err.Error()}
			break
		}
		reply.Result = result
	default:
		reply.Error = &failure{-32601, "no such method: " + req.Method}
	}
	return reply
}

func initialized() any {
	return map[string]any{
		"protocolVersion": "2025-06-18",
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo":      map[string]any{"name": "floor", "version": "1.0.0"},
	}
}
