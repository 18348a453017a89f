package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// peer drives a language server by one loop: it sends a request and reads messages until the answer.
type peer struct {
	in        io.Writer
	out       *bufio.Reader
	id        int
	published map[string]bool // documents with diagnostics, by URI
}

// message is a message of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (p *peer) send(m message) error {
	m.Version = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

func (p *peer) notify(method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return p.send(message{Method: method, Params: data})
}

// call sends a request and returns its result.
func (p *peer) call(method string, params any) (json.RawMessage, error) {
	data, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	p.id++
	id := json.RawMessage(strconv.Itoa(p.id))
	if err := p.send(message{ID: id, Method: method, Params: data}); err != nil {
		return nil, err
	}
	for {
		m, err := p.receive()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if m.Method == "" && string(m.ID) == string(id) {
			if m.Error != nil {
				return nil, fmt.Errorf("%s: %s", method, m.Error)
			}
			return m.Result, nil
		}
	}
}

// receive reads a message. It answers requests of the server, and remembers publications.
func (p *peer) receive() (m message, err error) {
	header, err := textproto.NewReader(p.out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(p.out, data); err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, err
	}
	switch {
	case m.Method == "textDocument/publishDiagnostics":
		var published struct{ URI string }
		if json.Unmarshal(m.Params, &published) == nil {
			p.published[published.URI] = true
		}
	case m.Method != "" && m.ID != nil:
		result := json.RawMessage("null")
		if m.Method == "workspace/configuration" {
			var asked struct{ Items []json.RawMessage }
			if err := json.Unmarshal(m.Params, &asked); err != nil {
				return m, err
			}
			result = json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("{},", len(asked.Items)), ",") + "]")
		}
		err = p.send(message{ID: m.ID, Result: result})
	}
	return m, err
}

// fileURI returns the URI of an absolute path.
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String()
}

// measureBare asks the server alone.
func (s server) measureBare(ctx context.Context, project string) (t times, err error) {
	path := filepath.Join(project, filepath.FromSlash(s.file))
	text, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	lines := strings.Split(string(text), "\n")
	column := -1
	if s.line <= len(lines) {
		column = strings.Index(lines[s.line-1], s.symbol)
	}
	if column < 0 {
		return t, fmt.Errorf("line %d of %s does not have the name %s", s.line, s.file, s.symbol)
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Dir = project
	in, err := cmd.StdinPipe()
	if err != nil {
		return t, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return t, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return t, err
	}
	defer func() {
		cancel() // kills the server
		if waited := cmd.Wait(); waited != nil && !errors.As(waited, new(*exec.ExitError)) && !errors.Is(waited, context.Canceled) {
			err = errors.Join(err, waited)
		}
	}()
	p := &peer{in: in, out: bufio.NewReader(out), published: make(map[string]bool)}
	root, uri := fileURI(project), fileURI(path)
	result, err := p.call("initialize", map[string]any{
		"processId": nil, "rootUri": root, "workspaceFolders": []any{map[string]any{"uri": root, "name": "project"}}, "initializationOptions": s.options,
		"capabilities": map[string]any{
			"workspace":    map[string]any{"configuration": true, "workspaceFolders": true},
			"textDocument": map[string]any{"diagnostic": map[string]any{}, "publishDiagnostics": map[string]any{"versionSupport": true}},
		},
	})
	if err != nil {
		return t, err
	}
	t.ready = time.Since(start)
	var offers struct {
		Capabilities struct{ DiagnosticProvider json.RawMessage }
	}
	if err := json.Unmarshal(result, &offers); err != nil {
		return t, err
	}
	document := map[string]any{"uri": uri}
	err = errors.Join(p.notify("initialized", map[string]any{}), p.notify("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": s.language, "version": 1, "text": string(text)},
	}))
	if err != nil {
		return t, err
	}
	if offers.Capabilities.DiagnosticProvider != nil {
		if _, err := p.call("textDocument/diagnostic", map[string]any{"textDocument": document}); err != nil {
			return t, err
		}
	}
	for offers.Capabilities.DiagnosticProvider == nil && !p.published[uri] {
		if _, err := p.receive(); err != nil {
			return t, fmt.Errorf("waiting for diagnostics: %w", err)
		}
	}
	t.diagnostics = time.Since(start)
	at := map[string]any{"textDocument": document, "position": map[string]int{"line": s.line - 1, "character": len(utf16.Encode([]rune(lines[s.line-1][:column])))}}
	if _, err := p.call("textDocument/definition", at); err != nil {
		return t, err
	}
	t.definition = time.Since(start)
	at["context"] = map[string]bool{"includeDeclaration": true}
	_, err = p.call("textDocument/references", at)
	t.references = time.Since(start)
	return t, err
}
