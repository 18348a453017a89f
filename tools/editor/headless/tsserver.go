package headless

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/dougu-go/dougu/internal/lsp"
)

// tsOptions says which TypeScript the server takes: that which is configured, else, if the project is not trusted, one that is
// installed on the machine, because the server would take the project's.
func (h *Headless) tsOptions(s Server) (map[string]any, error) {
	options := maps.Clone(s.InitOptions)
	if options == nil {
		options = make(map[string]any)
	}
	given, _ := options["tsserver"].(map[string]any)
	ts := maps.Clone(given)
	if ts == nil {
		ts = make(map[string]any)
	}
	options["tsserver"] = ts
	if ts["path"] != nil {
		return options, nil
	}
	library, ok := h.typescript(s.Command)
	switch {
	case h.o.TrustProject && ok:
		ts["fallbackPath"] = library
	case ok:
		ts["path"] = library
	case !h.o.TrustProject:
		return nil, unsupported("Install typescript beside it (npm install -g typescript), and see that tsc is on PATH.", "%s needs a TypeScript that is not the project's", s.Name)
	}
	return options, nil
}

// tsDiagnostic is a diagnostic in the protocol of tsserver, which counts lines and columns from 1.
type tsDiagnostic struct {
	Start, End tsPosition
	Text       string
	Code       int
	Category   string
	Source     string
}

type tsPosition struct{ Line, Offset uint32 }

func (p tsPosition) protocol() lsp.Position {
	return lsp.Position{Line: max(p.Line, 1) - 1, Character: max(p.Offset, 1) - 1}
}

// tsDiagnostics asks TypeScript itself what is wrong in an open file. typescript-language-server publishes diagnostics without
// a version and in parts, so that nobody could tell when all are there; the commands of tsserver that it passes on answer all
// of them.
func tsDiagnostics(ctx context.Context, session *lsp.Session, path string) ([]lsp.Diagnostic, error) {
	var all []lsp.Diagnostic
	for _, command := range []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"} {
		name, err := json.Marshal(command)
		if err != nil {
			return nil, err
		}
		args, err := json.Marshal(map[string]string{"file": lsp.URI(path)})
		if err != nil {
			return nil, err
		}
		result, _, err := session.Execute(ctx, lsp.Command{Command: "typescript.tsserverRequest", Arguments: []json.RawMessage{name, args}})
		if err != nil {
			return nil, err
		}
		var answer struct {
			Type    string
			Message string
			Body    []tsDiagnostic
		}
		if err := json.Unmarshal(result, &answer); err != nil {
			return nil, fmt.Errorf("asking TypeScript for diagnostics: %w", err)
		}
		if answer.Type != "response" {
			return nil, fmt.Errorf("asking TypeScript for diagnostics: it has not answered: %s", quote(answer.Message))
		}
		for _, d := range answer.Body {
			all = append(all, d.protocol())
		}
	}
	return all, nil
}

func (d tsDiagnostic) protocol() lsp.Diagnostic {
	severity := map[string]int{"error": 1, "warning": 2, "message": 3, "suggestion": 4}[d.Category]
	source := d.Source
	if source == "" {
		source = "typescript"
	}
	return lsp.Diagnostic{Range: lsp.Range{Start: d.Start.protocol(), End: d.End.protocol()}, Severity: severity, Code: strconv.Itoa(d.Code), Source: source, Message: d.Text}
}
