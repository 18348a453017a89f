package notify

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/internal/truncate"
)

// Level is the severity of a message.
type Level string

// The levels. Info is the default.
const (
	Info    Level = "info"
	Success Level = "success"
	Warning Level = "warning"
	Failure Level = "error"
)

// sign returns an emoji for the level, for targets without colours.
func (l Level) sign() string {
	switch l {
	case Success:
		return "✅"
	case Warning:
		return "⚠️"
	case Failure:
		return "❌"
	}
	return "ℹ️"
}

// Message is one notification. Its texts are plain, and truncated to the limits of each target.
type Message struct {
	// Title is one line. Default: the level.
	Title string
	// Text may have several lines.
	Text string
	// Level is the severity. Default: Info.
	Level Level
	// Link is a page with details. A value other than an absolute http or https URL is dropped.
	Link string
	// Fields are details; a target may show only the first ones.
	Fields []Field
	// At is the time of the event. Default: the time of Send.
	At time.Time
}

// Field is a named detail of a Message.
type Field struct{ Name, Value string }

// Limits of a queued message, in bytes, independent of the target.
const (
	maxTitle = 1 << 10
	maxText  = 16 << 10
	maxLink  = 2 << 10
	maxField = 2 << 10
	// maxFields is the largest number of fields: the limit of Discord.
	maxFields = 25
)

// normalize returns the message with defaults, truncated texts, and without control characters.
func (m Message) normalize(now time.Time) Message {
	tidy := Message{Title: truncate.Line(removeControls(m.Title), maxTitle), Text: truncate.Cut(removeControls(m.Text), maxText), Level: m.Level, Link: safehttp.PageURL(m.Link, maxLink), At: m.At}
	if tidy.At.IsZero() {
		tidy.At = now
	}
	switch m.Level {
	case Success, Warning, Failure:
	default:
		tidy.Level = Info
	}
	for _, f := range m.Fields[:min(len(m.Fields), maxFields)] {
		f = Field{truncate.Line(removeControls(f.Name), maxField), truncate.Cut(removeControls(f.Value), maxField)}
		if f.Name != "" && f.Value != "" {
			tidy.Fields = append(tidy.Fields, f)
		}
	}
	if tidy.Title == "" {
		tidy.Title = string(tidy.Level)
	}
	return tidy
}

// removeControls removes control characters and characters that change the direction of text.
func removeControls(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text))
}

// truncateEscaped escapes each character and truncates the result to most UTF-16 code units, with "…" at the
// cut.
func truncateEscaped(text string, most int, escape func(rune) string) string {
	var b strings.Builder
	size, whole := 0, 0 // whole is the length of the prefix that leaves room for the "…"
	for _, r := range text {
		piece := escape(r)
		if size += utf16Len(piece); size > most {
			return b.String()[:whole] + "…"
		}
		b.WriteString(piece)
		if size < most {
			whole = b.Len()
		}
	}
	return b.String()
}

// utf16Len returns the number of UTF-16 code units.
func utf16Len(text string) (n int) {
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
