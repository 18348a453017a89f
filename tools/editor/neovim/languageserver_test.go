package neovim_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

// server is a language server for a language in which "wrng" is an error. Columns use its encoding. Each word is a name, declared
// at its first use in a document. The file other.txt beside the document uses the names, too, after an emoji.
type server struct {
	out      io.Writer
	encoding string
	texts    map[string]string
}

const otherText = "😀 wrng thing\n"

func serveLanguage(in io.Reader, out io.Writer, encoding string) {
	s := &server{out, encoding, map[string]string{}}
	r := frame.NewReader(in, 16<<20)
	for {
		body, err := r.Read()
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(body, &m) != nil || m.Method == "exit" {
			return
		}
		result, err := s.handle(m.Method, m.Params)
		switch {
		case m.ID == nil:
		case err != nil:
			s.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32602, "message": err.Error()}})
		default:
			s.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		}
	}
}

func (s *server) send(m any) {
	body, _ := json.Marshal(m)
	_, _ = s.out.Write(frame.Of(body))
}

type object = map[string]any

func (s *server) handle(method string, raw json.RawMessage) (any, error) {
	var p struct {
		TextDocument struct {
			URI, Text string
			Version   int
		}
		ContentChanges []struct{ Text string }
		Position       struct{ Line, Character int }
		NewName, Query string
		Context        struct {
			Diagnostics []struct {
				Range any
				Data  string
			}
		}
		Changes []struct {
			URI  string
			Type int
		}
		Kind, Title string
		Data        string
	}
	_ = json.Unmarshal(raw, &p)
	uri := p.TextDocument.URI
	switch method {
	case "initialize":
		return object{"capabilities": object{
			"textDocumentSync": object{"openClose": true, "change": 1}, "documentFormattingProvider": true, "renameProvider": true, "definitionProvider": true,
			"referencesProvider": true, "documentSymbolProvider": true, "workspaceSymbolProvider": true, "codeActionProvider": object{"resolveProvider": true},
		}}, nil
	case "textDocument/didOpen":
		s.change(uri, p.TextDocument.Text, p.TextDocument.Version)
	case "textDocument/didChange":
		s.change(uri, p.ContentChanges[0].Text, p.TextDocument.Version)
	case "workspace/didChangeWatchedFiles":
		for _, c := range p.Changes {
			s.send(object{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": object{"uri": c.URI, "diagnostics": []any{
				object{"range": s.span(otherText, 5, 9), "severity": 3, "message": map[bool]string{true: "changed", false: "gone"}[c.Type < 3]}}}})
		}
	case "textDocument/formatting":
		text := s.texts[uri]
		edits := []any{}
		for _, at := range regexp.MustCompile(`(?m)[ \t]+$`).FindAllStringIndex(text, -1) {
			edits = append(edits, object{"range": s.span(text, at[0], at[1]), "newText": ""})
		}
		return edits, nil
	case "textDocument/definition":
		found := s.uses(uri, p.Position.Line, p.Position.Character)
		if len(found) == 0 {
			return nil, nil
		}
		return []any{object{"targetUri": found[0]["uri"], "targetRange": found[0]["range"], "targetSelectionRange": found[0]["range"]}}, nil
	case "textDocument/references":
		return s.uses(uri, p.Position.Line, p.Position.Character), nil
	case "textDocument/rename":
		return s.rename(uri, p.Position.Line, p.Position.Character, p.NewName)
	case "textDocument/codeAction":
		return s.actions(uri, p.Context.Diagnostics[0].Range, p.Context.Diagnostics[0].Data), nil
	case "codeAction/resolve":
		var whole object
		_ = json.Unmarshal(raw, &whole)
		whole["edit"] = object{"changes": object{p.Data: []any{object{"range": s.span(s.texts[p.Data], 0, 0), "newText": "# resolved\n"}}}}
		return whole, nil
	case "textDocument/documentSymbol":
		whole := s.span(s.texts[uri], 0, len(s.texts[uri]))
		return []any{object{"name": "outer", "kind": 5, "range": whole, "selectionRange": s.span(s.texts[uri], 0, 1),
			"children": []any{object{"name": "inner", "kind": 12, "range": whole, "selectionRange": whole}}}}, nil
	case "workspace/symbol":
		for uri := range s.texts {
			return []any{object{"name": p.Query, "kind": 13, "containerName": "shop", "location": object{"uri": uri, "range": s.span(s.texts[uri], 0, 1)}}}, nil
		}
	}
	return nil, nil
}

// change publishes the diagnostics of a text.
func (s *server) change(uri, text string, version int) {
	s.texts[uri] = text
	found := []any{}
	for _, at := range regexp.MustCompile(`wrng`).FindAllStringIndex(text, -1) {
		found = append(found, object{"range": s.span(text, at[0], at[1]), "severity": 2, "code": 42, "source": "speller", "message": "wrng is wrong", "data": uri})
	}
	s.send(object{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": object{"uri": uri, "version": version, "diagnostics": found}})
}

func (s *server) actions(uri string, where any, data string) any {
	return []any{
		object{"title": "Write wrong (" + path.Base(data) + ")", "kind": "quickfix", "isPreferred": true,
			"edit": object{"documentChanges": []any{object{"textDocument": object{"uri": uri, "version": nil}, "edits": []any{object{"range": where, "newText": "wrong"}}}}}},
		object{"title": "Say so", "kind": "quickfix", "data": uri},
		object{"title": "Run", "kind": "quickfix", "command": object{"title": "Run", "command": "run"}},
		object{"title": "Refactor", "kind": "refactor", "edit": object{}},
	}
}

func (s *server) rename(uri string, line, character int, name string) (any, error) {
	edits := object{}
	for _, use := range s.uses(uri, line, character) {
		at := use["uri"].(string)
		all, _ := edits[at].([]any)
		edits[at] = append(all, object{"range": use["range"], "newText": name})
	}
	if len(edits) == 0 {
		return nil, fmt.Errorf("nothing to rename at %d:%d", line, character)
	}
	return object{"changes": edits}, nil
}

// uses finds all uses of the word at a position.
func (s *server) uses(uri string, line, character int) []object {
	text := s.texts[uri]
	lines := strings.SplitAfter(text, "\n")
	at := len(strings.Join(lines[:line], ""))
	for i := range lines[line] {
		if s.count(lines[line][:i]) <= character {
			at = len(strings.Join(lines[:line], "")) + i
		}
	}
	var word string
	for _, found := range regexp.MustCompile(`\w+`).FindAllStringIndex(text, -1) {
		if found[0] <= at && at < found[1] {
			word = text[found[0]:found[1]]
		}
	}
	if word == "" {
		return nil
	}
	var all []object
	other := uri[:strings.LastIndex(uri, "/")] + "/other.txt"
	for _, in := range [][2]string{{uri, text}, {other, otherText}} {
		for _, found := range regexp.MustCompile(`\b`+word+`\b`).FindAllStringIndex(in[1], -1) {
			all = append(all, object{"uri": in[0], "range": s.span(in[1], found[0], found[1])})
		}
	}
	return all
}

func (s *server) span(text string, from, to int) object {
	return object{"start": s.position(text, from), "end": s.position(text, to)}
}

func (s *server) position(text string, at int) object {
	begin := strings.LastIndex(text[:at], "\n") + 1
	return object{"line": strings.Count(text[:at], "\n"), "character": s.count(text[begin:at])}
}

// count is how many columns a part of a line has.
func (s *server) count(part string) int {
	switch s.encoding {
	case "utf-8":
		return len(part)
	case "utf-32":
		return len([]rune(part))
	}
	return len(utf16.Encode([]rune(part)))
}
