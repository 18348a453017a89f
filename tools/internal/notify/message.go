package notify

import (
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/dougu-go/dougu/internal/truncate"
)

// Level says how good or bad the news is.
type Level string

// The levels. Info is that of a message without one.
const (
	Info    Level = "info"
	Success Level = "success"
	Warning Level = "warning"
	Failure Level = "error"
)

// sign is what shows a level where there are no colours.
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

// Message is what is told. Its texts are plain, and shortened to what a target allows.
type Message struct {
	Title string
	Text  string
	Level Level
	// Link leads to more. Anything but an absolute http or https address is left out.
	Link   string
	Fields []Field // of which a target may show the first ones only
	// At is when it happened; zero is when it was sent.
	At time.Time
}

// Field is a detail of a Message.
type Field struct{ Name, Value string }

// Limits of what waits, in bytes, whatever a target allows.
const (
	maxTitle = 1 << 10
	maxText  = 16 << 10
	maxLink  = 2 << 10
	maxField = 2 << 10
	// maxFields is how many there are at most: as many as Discord shows.
	maxFields = 25
)

// tidied is the message as it waits: bounded, and without what is not text.
func (m Message) tidied(now time.Time) Message {
	tidy := Message{Title: truncate.Line(visible(m.Title), maxTitle), Text: truncate.Cut(visible(m.Text), maxText), Level: m.Level, Link: link(m.Link), At: m.At}
	if tidy.At.IsZero() {
		tidy.At = now
	}
	switch m.Level {
	case Success, Warning, Failure:
	default:
		tidy.Level = Info
	}
	for _, f := range m.Fields[:min(len(m.Fields), maxFields)] {
		f = Field{truncate.Line(visible(f.Name), maxField), truncate.Cut(visible(f.Value), maxField)}
		if f.Name != "" && f.Value != "" {
			tidy.Fields = append(tidy.Fields, f)
		}
	}
	if tidy.Title == "" {
		tidy.Title = string(tidy.Level)
	}
	return tidy
}

// visible is a text without control characters, and without those that turn its direction around.
func visible(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text))
}

// link is an address that can be followed, or nothing.
func link(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > maxLink {
		return ""
	}
	return u.String()
}

// fit is as much of a text as fits into so many UTF-16 units once each character is escaped, with a mark if there is more.
func fit(text string, most int, escape func(rune) string) string {
	var b strings.Builder
	size, whole := 0, 0 // whole is what fits together with a mark
	for _, r := range text {
		piece := escape(r)
		if size += units(piece); size > most {
			return b.String()[:whole] + "…"
		}
		b.WriteString(piece)
		if size < most {
			whole = b.Len()
		}
	}
	return b.String()
}

func units(text string) (n int) {
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
