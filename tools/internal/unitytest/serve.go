package unitytest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

const maxFrame = 64 << 20

// accept accepts clients.
func (e *Editor) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		e.work.Go(func() { e.serve(c) })
	}
}

// serve serves one client and disconnects the others.
func (e *Editor) serve(c net.Conn) {
	defer c.Close()
	e.mu.Lock()
	greeting := e.greeting
	e.met++
	for other := range e.clients {
		other.Close()
		delete(e.clients, other)
	}
	e.clients[c] = true
	e.mu.Unlock()
	if _, err := io.WriteString(c, greeting); err != nil {
		return
	}
	for {
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		payload, err := readFrame(c)
		if err != nil {
			return
		}
		answer, drop := e.answer(payload)
		e.mu.Lock()
		raw := e.raw
		e.raw = nil
		e.mu.Unlock()
		switch {
		case raw != nil:
			_, _ = c.Write(raw)
			return
		case drop:
			return
		case Write(c, answer) != nil:
			return
		}
	}
}

func readFrame(r io.Reader) ([]byte, error) {
	var header [8]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint64(header[:])
	if size == 0 || size > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes", size)
	}
	payload := make([]byte, size)
	_, err := io.ReadFull(r, payload)
	return payload, err
}

// Write writes a frame.
func Write(w io.Writer, payload []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(payload))), payload...))
	return err
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func refusal(format string, args ...any) []byte {
	return encode(map[string]any{"status": "error", "error": fmt.Sprintf(format, args...)})
}

// success and failed return results in the form of the package.
func success(message string, data any) any {
	return map[string]any{"success": true, "message": message, "data": data}
}

func failed(code string, data any) any {
	return map[string]any{"success": false, "code": code, "error": code, "data": data}
}

// answer executes a command when the main thread is free.
func (e *Editor) answer(payload []byte) (answer []byte, drop bool) {
	if strings.TrimSpace(string(payload)) == "ping" {
		return []byte(`{"status":"success","result":{"message":"pong"}}`), false
	}
	var command struct {
		Type   string          `json:"type"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(payload, &command) != nil || command.Type == "" {
		return refusal("Invalid JSON format"), false
	}
	for limit := time.Now().Add(e.CommandTimeout); !e.main.TryLock(); time.Sleep(time.Millisecond) {
		select {
		case <-e.stop:
			return nil, true
		default:
		}
		if time.Now().After(limit) {
			return refusal("Command processing timed out after %d ms", e.CommandTimeout.Milliseconds()), false
		}
	}
	defer e.main.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.off[command.Type] {
		return refusal("Tool '%s' is disabled in the Unity Editor.", command.Type), false
	}
	if command.Type != "get_editor_state" {
		e.done = append(e.done, command.Type)
	}
	drop = e.drops[command.Type]
	delete(e.drops, command.Type)
	handler, known := e.handlers[command.Type]
	if !known {
		handler, known = e.builtIn(command.Type)
	}
	if !known {
		return refusal("Unknown or unsupported command type: %s", command.Type), drop
	}
	return encode(map[string]any{"status": "success", "result": handler(command.Params)}), drop
}

func (e *Editor) builtIn(command string) (func([]byte) any, bool) {
	all := map[string]func([]byte) any{
		"read_console": e.readConsole, "run_tests": e.runTests, "get_test_job": e.getTestJob, "refresh_unity": e.refresh,
		"get_editor_state": e.state,
		"execute_code": func([]byte) any {
			return success("Code executed successfully.", map[string]any{"result": true, "compiler": "codedom"})
		},
	}
	f, ok := all[command]
	return f, ok
}
