package external

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

const (
	maxTitle = 300  // bytes of a title
	maxURL   = 2000 // bytes of a URL
)

var validFormat = regexp.MustCompile(`^[a-z0-9+#-]{1,32}$`)

var (
	errTooLarge = errors.New("the document is too large")
	errPanic    = errors.New("the source panicked")
)

// page is a document as it is indexed.
type page struct {
	file     index.File // with Hash, Size, ModTime, and Version
	modified time.Time  // zero if it is unknown
	plugin.Description
}

// makePage returns a document as it is indexed. A document that has no text for an index is an error of package document, or
// errTooLarge.
func (d *Documents) makePage(ctx context.Context, doc plugin.Document) (p page, err error) {
	if len(doc.Text) > d.maxText {
		return p, errTooLarge
	}
	defer func() {
		if v := recover(); v != nil {
			d.log.ErrorContext(ctx, "splitting a document panicked", "source", d.name, "id", doc.ID, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("splitting the document: %v", v)
		}
	}()
	p.Description = describe(doc)
	text, format := withTitle(cleanText(doc.Text), p.Title, doc.Format)
	path := d.Path(doc.ID)
	// The title and replaced characters may lengthen the text.
	p.file, err = document.Cut(ctx, path, []byte(text), document.Options{Parsers: d.parsers, MaxText: 3*d.maxText + 2*maxTitle, Language: format})
	if err != nil {
		return p, err
	}
	// Read returns this text, not the content of the source: offsets and literals refer to it.
	p.file.Verbatim = true
	p.file.Hash, p.file.Size = sha256.Sum256(p.file.Text), int64(len(p.file.Text))
	p.modified = doc.Modified.Round(0).UTC()
	if year := p.modified.Year(); year < 1700 || year > 2200 {
		p.modified = time.Time{}
	}
	p.file.ModTime = p.modified
	if p.modified.IsZero() {
		p.file.ModTime = unknownTime
	}
	p.file.Version += versionMark + stamp(doc)
	return p, nil
}

// unknownTime is the indexed time of documents without a time. Filters by time exclude them.
var unknownTime = time.Unix(0, 0).UTC()

// versionMark separates the version of the splitting and the version of the document in File.Version.
const versionMark = " of "

// stamp returns a digest of the version of a document; empty if the source gives none.
func stamp(doc plugin.Document) string {
	version := doc.Version
	if version == "" {
		if doc.Modified.IsZero() {
			return ""
		}
		version = strconv.FormatInt(doc.Modified.Unix(), 10) + "." + strconv.Itoa(doc.Modified.Nanosecond())
	}
	sum := sha256.Sum256([]byte(version))
	return hex.EncodeToString(sum[:8])
}

// isCurrent reports whether the indexed version of a document is the listed one.
func (d *Documents) isCurrent(known index.Known, doc plugin.Document) bool {
	split, of, ok := strings.Cut(known.Version, versionMark)
	now := stamp(doc)
	return ok && now != "" && of == now && split == document.Version(known.Language, d.parsers)
}

// merge adds the fields to a document that only its entry in the list has.
func merge(doc, listed plugin.Document) plugin.Document {
	doc.ID = listed.ID
	if doc.Title == "" {
		doc.Title = listed.Title
	}
	if doc.URL == "" {
		doc.URL = listed.URL
	}
	if doc.Format == "" {
		doc.Format = listed.Format
	}
	if doc.Version == "" {
		doc.Version = listed.Version
	}
	if doc.Modified.IsZero() {
		doc.Modified = listed.Modified
	}
	return doc
}

// describe returns the checked title and URL of a document.
func describe(doc plugin.Document) plugin.Description {
	return plugin.Description{Title: strings.TrimSpace(truncate.Line(doc.Title, maxTitle)), URL: safehttp.PageURL(doc.URL, maxURL)}
}

// cleanText replaces invalid UTF-8 and control characters.
func cleanText(text string) string {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\ufffd"), "\ufeff")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' && r != '\f' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// withTitle returns the text with the title at its beginning, unless the text has it or its format has no place for it, and the
// format.
func withTitle(text, title, format string) (string, string) {
	switch {
	case format == "":
		format = "markdown"
	case !validFormat.MatchString(format):
		format = "text"
	}
	if title == "" {
		return text, format
	}
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	if strings.EqualFold(strings.TrimSpace(strings.TrimLeft(first, "# ")), title) {
		return text, format
	}
	switch format {
	case "markdown":
		return "# " + title + "\n\n" + text, format
	case "text":
		return title + "\n\n" + text, format
	case "html":
		if !strings.Contains(strings.ToLower(text[:min(len(text), 4<<10)]), "<title") {
			text = "<title>" + html.EscapeString(title) + "</title>\n" + text
		}
	}
	return text, format
}
