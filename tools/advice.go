package tools

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// offer holds the names of tools of an installation: known has all tools of its sets,
// offered the tools that are listed: those of its profile that can work at present, by own names and by listed names.
// renamed has the names under which the profile lists tools, by their own.
type offer struct {
	known, offered map[string]bool
	renamed        map[string]string
}

type offerKey struct{}

// Offers reports whether the server of a call lists a tool, by the name that the
// tool has in its set. Outside of a call of a server, every tool counts as offered.
func Offers(ctx context.Context, tool string) bool {
	o, inServer := ctx.Value(offerKey{}).(*offer)
	return !inServer || o.offered[tool]
}

// Advice returns a text of hints without the hints that name a tool that the server
// of the call does not list. A hint is a sentence, or a part of one between semicolons,
// colons and ", or"; each needs a verb of its own, as any may be left out. Install
// applies it to errors of tools, descriptions and instructions.
func Advice(ctx context.Context, text string) string {
	o, inServer := ctx.Value(offerKey{}).(*offer)
	if !inServer {
		return text
	}
	return o.advice(text)
}

// named returns a text with the listed names of tools.
func (o *offer) named(text string) string {
	if len(o.renamed) == 0 {
		return text
	}
	return identifier.ReplaceAllStringFunc(text, func(name string) string {
		if listed := o.renamed[name]; listed != "" {
			return listed
		}
		return name
	})
}

// identifier matches a name with several parts: snake_case or camelCase. Tools with
// names of one part are not recognized in texts.
var identifier = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]*)+\b`)

// missing reports whether a text names a tool of the sets that is not offered.
func (o *offer) missing(text string) bool {
	for _, name := range identifier.FindAllString(text, -1) {
		if o.known[name] && !o.offered[name] {
			return true
		}
	}
	return false
}

var (
	// sentenceEnd matches the end of a sentence and the space behind it.
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s+|$)|\n+`)
	// hintEnd matches the end of a hint inside of a sentence.
	hintEnd = regexp.MustCompile(`; |: |, or `)
)

// advice returns the text without its hints that name missing tools, and with the listed names of the others.
func (o *offer) advice(text string) string {
	if !o.missing(text) {
		return o.named(text)
	}
	var kept strings.Builder
	for rest := text; rest != ""; {
		sentence, end := cut(rest, sentenceEnd)
		rest = rest[len(sentence)+len(end):]
		if sentence = o.sentence(sentence); sentence != "" {
			kept.WriteString(sentence + end)
		} else if at := strings.IndexByte(end, '\n'); at >= 0 && kept.Len() > 0 {
			kept.WriteString(end[at:])
		}
	}
	return o.named(strings.TrimSpace(kept.String()))
}

// sentence returns a sentence without its hints that name missing tools. It begins with a capital letter if the text does.
func (o *offer) sentence(text string) string {
	kept, separator := "", ""
	for rest := text; rest != ""; {
		hint, end := cut(rest, hintEnd)
		rest = rest[len(hint)+len(end):]
		if o.missing(hint) {
			continue
		}
		if kept != "" {
			kept += separator
		}
		kept += hint
		separator = end
	}
	if kept == "" || kept[0] < 'a' || kept[0] > 'z' || text[0] < 'A' || text[0] > 'Z' {
		return kept
	}
	if name := identifier.FindStringIndex(kept); name != nil && name[0] == 0 {
		return kept
	}
	return strings.ToUpper(kept[:1]) + kept[1:]
}

// cut returns the text before the first match of a separator, and the match.
func cut(text string, separator *regexp.Regexp) (before, match string) {
	at := separator.FindStringIndex(text)
	if at == nil {
		return text, ""
	}
	return text[:at[0]], text[at[0]:at[1]]
}

// middleware makes the offer known to the calls of tools, and corrects the next steps
// of their errors.
func (o *offer) middleware(run mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		result, err := run(context.WithValue(ctx, offerKey{}, o), args)
		return result, o.correct(err)
	}
}

const (
	// listTool is the tool for the advice of package security to list a directory. Without it, the advice is a tool that finds files,
	// or pathAdvice.
	listTool   = "list_directory"
	pathAdvice = "Check the path."
)

// correct returns the error with a next step that names no missing tool, and others by their listed names.
func (o *offer) correct(err error) error {
	step, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err)
	if !ok {
		return err
	}
	next := o.advice(step.NextStep())
	cause, ok := errors.AsType[interface {
		error
		ListsDirectory() bool
	}](err)
	if ok && cause.ListsDirectory() && !o.offered[listTool] {
		next = pathAdvice
		for _, tool := range []string{"search_files", "find_file"} {
			if o.offered[tool] {
				next = o.named("Call " + tool + " with a part of the name.")
				break
			}
		}
	}
	if next == step.NextStep() {
		return err
	}
	return &correctedError{err, next}
}

// correctedError is an error with another next step, which may be empty.
type correctedError struct {
	error
	next string
}

func (e *correctedError) Unwrap() error    { return e.error }
func (e *correctedError) NextStep() string { return e.next }
