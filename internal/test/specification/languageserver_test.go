package specification

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// languageServerFlag makes the test binary a language server.
const languageServerFlag = "-language-server"

// serveLanguage is a language server on standard input and output. The word bad in a document is an error, which a fix
// replaces by good, and three blanks of the first line are formatted as one. Its first two requests for fixes fail, and all of a document with
// the word broken.
func serveLanguage() {
	in := bufio.NewReader(os.Stdin)
	texts := make(map[string]string)
	failures := 2
	send := func(message map[string]any) {
		message["jsonrpc"] = "2.0"
		body, _ := json.Marshal(message)
		fmt.Printf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	for {
		length := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			_, _ = fmt.Sscanf(line, "Content-Length: %d", &length)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m struct {
			ID     any
			Method string
			Params struct {
				TextDocument struct {
					URI, Text string
				}
				ContentChanges []struct{ Text string }
			}
		}
		if err := json.Unmarshal(body, &m); err != nil {
			return
		}
		uri := m.Params.TextDocument.URI
		switch m.Method {
		case "initialize":
			send(map[string]any{"id": m.ID, "result": map[string]any{"capabilities": map[string]any{"textDocumentSync": 1, "codeActionProvider": true, "documentFormattingProvider": true}}})
			continue
		case "textDocument/didOpen":
			texts[uri] = m.Params.TextDocument.Text
		case "textDocument/didChange":
			texts[uri] = m.Params.ContentChanges[len(m.Params.ContentChanges)-1].Text
		case "textDocument/formatting":
			edits := []any{}
			if at := strings.Index(texts[uri], "   "); at >= 0 && !strings.Contains(texts[uri][:at], "\n") {
				edits = append(edits, map[string]any{"range": map[string]any{"start": map[string]any{"line": 0, "character": at}, "end": map[string]any{"line": 0, "character": at + 3}}, "newText": " "})
			}
			send(map[string]any{"id": m.ID, "result": edits})
			continue
		case "textDocument/codeAction":
			if failures--; failures >= 0 || strings.Contains(texts[uri], "broken") {
				send(map[string]any{"id": m.ID, "error": map[string]any{"code": -32603, "message": "not ready"}})
				continue
			}
			edits := []any{}
			if at := problemRange(texts[uri]); at != nil {
				edits = append(edits, map[string]any{"range": at, "newText": "good"})
			}
			send(map[string]any{"id": m.ID, "result": []any{map[string]any{"title": "Make it good", "kind": "quickfix", "isPreferred": true, "edit": map[string]any{"changes": map[string]any{uri: edits}}}}})
			continue
		case "exit":
			return
		default:
			if m.ID != nil && m.Method != "" {
				send(map[string]any{"id": m.ID, "result": nil})
			}
			continue
		}
		problems := []any{}
		if at := problemRange(texts[uri]); at != nil {
			problems = append(problems, map[string]any{"range": at, "severity": 1, "code": "B1", "source": "specification", "message": "this is bad"})
		}
		send(map[string]any{"method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": uri, "diagnostics": problems}})
	}
}

// problemRange returns the range of the first bad of a text, or nil.
func problemRange(text string) map[string]any {
	before, _, ok := strings.Cut(text, "bad")
	if !ok {
		return nil
	}
	line := strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n') - 1
	return map[string]any{"start": map[string]any{"line": line, "character": column}, "end": map[string]any{"line": line, "character": column + 3}}
}
