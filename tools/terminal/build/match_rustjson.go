package build

import (
	"encoding/json"
	"strings"
)

// rustMessage is a diagnostic of rustc.
type rustMessage struct {
	Message string `json:"message"`
	Level   string `json:"level"`
	Code    *struct {
		Code string `json:"code"`
	} `json:"code"`
	Spans    []rustSpan `json:"spans"`
	Children []struct {
		Message string `json:"message"`
		Level   string `json:"level"`
	} `json:"children"`
}

type rustSpan struct {
	File      string `json:"file_name"`
	Primary   bool   `json:"is_primary"`
	Line      int    `json:"line_start"`
	EndLine   int    `json:"line_end"`
	Column    int    `json:"column_start"`
	EndColumn int    `json:"column_end"`
	Label     string `json:"label"`
}

func rustJSON(r *report, s string) verdict {
	var d rustMessage
	switch head := s[:min(len(s), 100)]; {
	case strings.Contains(head, `"reason":"compiler-message"`):
		var message struct {
			Message *rustMessage `json:"message"`
		}
		message.Message = &d
		if json.Unmarshal([]byte(s), &message) != nil || message.Message == nil {
			return pass
		}
	case strings.Contains(head, `"$message_type":"diagnostic"`):
		if json.Unmarshal([]byte(s), &d) != nil {
			return pass
		}
	default:
		return pass
	}
	p := Problem{Severity: Warning, Message: d.Message, Source: "rustc"}
	if strings.HasPrefix(d.Level, "error") {
		p.Severity = Error
	} else if d.Level != "warning" || rustSummary(d.Message) {
		return taken
	}
	if d.Code != nil {
		p.Code = d.Code.Code
	}
	for _, span := range d.Spans {
		if span.Primary && p.File == "" {
			p.File, p.Line, p.Column, p.EndLine, p.EndColumn = span.File, span.Line, span.Column, span.EndLine, span.EndColumn
			p.Message = extend(p.Message, span.Label)
		}
	}
	for _, child := range d.Children {
		p.Message = extend(p.Message, child.Level+": "+child.Message)
	}
	r.add(p, consequent(d.Message))
	return taken
}
