package syntax

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Parser reads languages that this package does not know. Its methods may be called from several goroutines at once.
type Parser interface {
	// Knows tells, by the name of a file, whether the parser reads it.
	Knows(path string) bool
	// Parse answers the places of a text that are no code of its language, and the name of the parser. The error
	// is adapter.ErrUnsupported for a text that the parser cannot read at all.
	Parse(ctx context.Context, path, text string) (problems []Problem, by string, err error)
}

// Problem is a place that a parser cannot read.
type Problem struct {
	Line    int // from 1; 0 is not known
	Message string
	// Doubtful says that the parser may be wrong, as with macros of C or templates of YAML.
	Doubtful bool
}

// Checker implements adapter.SyntaxChecker.
type Checker struct{ parser Parser }

var _ adapter.SyntaxChecker = (*Checker)(nil)

// New makes a Checker. parser reads further languages; nil reads none.
func New(parser Parser) *Checker { return &Checker{parser} }

// maxText is the size of the longest text that is looked at, in bytes, and maxProblems how many errors of a file are told.
const (
	maxText     = 4 << 20
	maxProblems = 20
	maxMessage  = 300
)

// reader finds the syntax errors of a text.
type reader func(text string) []Problem

// readerOf finds the reader of a data format.
func readerOf(path string) (read reader, by string) {
	name := strings.ToLower(filepath.Base(path))
	switch ext := filepath.Ext(name); {
	case ext == ".jsonc", ext == ".json" && withComments(name, filepath.Base(filepath.Dir(path))):
		return readJSONC, "the JSON parser, with comments"
	case ext == ".json", ext == ".webmanifest", ext == ".geojson":
		return readJSON, "the JSON parser"
	case ext == ".yaml", ext == ".yml":
		return readYAML, "the YAML parser"
	}
	return nil, ""
}

// withComments tells whether programs read comments in a file with the name of a JSON file.
func withComments(name, dir string) bool {
	switch {
	case strings.HasPrefix(name, "tsconfig") || strings.HasPrefix(name, "jsconfig"), dir == ".vscode":
		return true
	}
	return name == "devcontainer.json" || name == ".eslintrc.json" || name == ".swcrc.json" || strings.HasSuffix(name, "language-configuration.json")
}

// KnowsSyntax implements adapter.SyntaxChecker.
func (c *Checker) KnowsSyntax(path string) bool {
	read, _ := readerOf(path)
	return read != nil || c.parser != nil && c.parser.Knows(path)
}

// CheckSyntax implements adapter.SyntaxChecker.
func (c *Checker) CheckSyntax(ctx context.Context, path, text string) (adapter.Syntax, error) {
	read, by := readerOf(path)
	if read == nil && (c.parser == nil || !c.parser.Knows(path)) {
		return adapter.Syntax{}, adapter.ErrUnsupported
	}
	if len(text) > maxText {
		return adapter.Syntax{}, fmt.Errorf("it has more than %d bytes", maxText)
	}
	if read != nil {
		return adapter.Syntax{Items: diagnostics(path, text, by, read(text)), By: by, Complete: true}, nil
	}
	problems, by, err := c.parser.Parse(ctx, path, text)
	if err != nil {
		return adapter.Syntax{}, err
	}
	return adapter.Syntax{Items: diagnostics(path, text, by, problems), By: by}, nil
}

// diagnostics are the problems of a text, each over the whole of its line.
func diagnostics(path, text, by string, problems []Problem) []adapter.Diagnostic {
	lines := adapter.NewText(text)
	items := make([]adapter.Diagnostic, 0, min(len(problems), maxProblems))
	for _, p := range problems[:min(len(problems), maxProblems)] {
		line := min(max(p.Line, 1), lines.Lines())
		start := adapter.Position{Line: line, Column: 1}
		end := start
		end.Column += len([]rune(strings.TrimRight(lines.Line(line), "\r\n")))
		severity := adapter.Error
		if p.Doubtful {
			severity = adapter.Warning
		}
		items = append(items, adapter.Diagnostic{
			Path: path, Range: adapter.Range{Start: start, End: end}, Severity: severity, Message: truncate.Line(p.Message, maxMessage), Code: "syntax", Source: by,
		})
	}
	return items
}

func readJSON(text string) []Problem {
	text = strings.TrimPrefix(text, "\ufeff")
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	offset := int64(len(text))
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(wrong.Offset-1, 0)
	}
	if err == nil {
		rest := strings.TrimSpace(text[decoder.InputOffset():])
		if rest == "" {
			return nil
		}
		offset = int64(len(text) - len(strings.TrimLeft(text[decoder.InputOffset():], " \t\r\n")))
		err = errors.New("there is text after the value")
	}
	if strings.TrimSpace(text) == "" {
		err = errors.New("the file is empty, which is no JSON")
	}
	return []Problem{{Line: lineAt(text, int(offset)), Message: err.Error()}}
}

func readJSONC(text string) []Problem {
	_, err := hujson.Parse([]byte(strings.TrimPrefix(text, "\ufeff")))
	if err == nil {
		return nil
	}
	return []Problem{{Line: lineIn(err.Error()), Message: strings.TrimPrefix(err.Error(), "hujson: ")}}
}

// maxDocuments is how many documents of a YAML file are looked at.
const maxDocuments = 1000

func readYAML(text string) []Problem {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for range maxDocuments {
		var node yaml.Node
		switch err := decoder.Decode(&node); {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		default:
			template := strings.Contains(text, "{{") || strings.Contains(text, "{%")
			return []Problem{{Line: lineIn(err.Error()), Message: strings.TrimPrefix(err.Error(), "yaml: "), Doubtful: template}}
		}
	}
	return nil
}

// lineAt is the line of an offset, from 1.
func lineAt(text string, offset int) int {
	return 1 + strings.Count(text[:min(max(offset, 0), len(text))], "\n")
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// lineIn is the line that a message names; 0 if it names none.
func lineIn(message string) int {
	found := lineNumber.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return line
}
