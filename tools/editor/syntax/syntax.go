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
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/jsonc"
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
	Column  int // from 1, in bytes; 0 is not known
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

// diagnostics are the problems of a text, each from its column to the end of its line. A problem without a column begins after
// the indent.
func diagnostics(path, text, by string, problems []Problem) []adapter.Diagnostic {
	lines := adapter.NewText(text)
	items := make([]adapter.Diagnostic, 0, min(len(problems), maxProblems))
	for _, p := range problems[:min(len(problems), maxProblems)] {
		line := min(max(p.Line, 1), lines.Lines())
		content := strings.TrimRight(lines.Line(line), "\r\n")
		before := len(content) - len(strings.TrimLeft(content, " \t"))
		if p.Column > 0 && p.Line == line {
			before = min(p.Column-1, len(content))
		}
		start := adapter.Position{Line: line, Column: 1 + units(content[:before])}
		end := adapter.Position{Line: line, Column: 1 + units(content)}
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

// units returns the number of UTF-16 code units of a text.
func units(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

func readJSON(text string) []Problem {
	text, mark := withoutMark(text)
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
	line, column := positionAt(text, int(offset), mark)
	return []Problem{{Line: line, Column: column, Message: err.Error()}}
}

func readJSONC(text string) []Problem {
	text, mark := withoutMark(text)
	_, err := jsonc.Parse([]byte(text))
	if err == nil {
		return nil
	}
	if deep, ok := errors.AsType[*jsonc.DepthError](err); ok {
		line, column := positionAt(text, deep.Offset, mark)
		return []Problem{{Line: line, Column: column, Message: err.Error(), Doubtful: true}}
	}
	message := err.Error()
	line, column := numberIn(message, lineNumber), numberIn(message, columnNumber)
	if line == 1 && column > 0 {
		column += mark
	}
	return []Problem{{Line: line, Column: column, Message: strings.TrimPrefix(message, "hujson: ")}}
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
			return []Problem{{Line: numberIn(err.Error(), lineNumber), Message: strings.TrimPrefix(err.Error(), "yaml: "), Doubtful: template}}
		}
	}
	return nil
}

// withoutMark returns a text without its byte-order mark, and the length of the mark in bytes.
func withoutMark(text string) (rest string, mark int) {
	rest = strings.TrimPrefix(text, "\ufeff")
	return rest, len(text) - len(rest)
}

// positionAt returns the line and the column of an offset, from 1. mark is the number of bytes before the text in the first line.
func positionAt(text string, offset, mark int) (line, column int) {
	before := text[:min(max(offset, 0), len(text))]
	line, column = 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
	if line == 1 {
		column += mark
	}
	return line, column
}

var (
	lineNumber   = regexp.MustCompile(`line (\d+)`)
	columnNumber = regexp.MustCompile(`column (\d+)`)
)

// numberIn returns the number in the first match of a pattern in a message; 0 if there is none.
func numberIn(message string, pattern *regexp.Regexp) int {
	found := pattern.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	number, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return number
}
