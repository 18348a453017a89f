package filesystem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// cutter splits files into pieces.
type cutter struct {
	options  document.Options
	log      *slog.Logger
	versions sync.Map // document.Version by language
}

// isCurrent reports whether a file was indexed with the current version of the cutter.
func (c *cutter) isCurrent(k index.Known) bool { return k.Version == c.version(k.Language) }

func (c *cutter) version(language string) string {
	if v, ok := c.versions.Load(language); ok {
		return v.(string)
	}
	v := document.Version(language, c.options.Parsers)
	c.versions.Store(language, v)
	return v
}

// cut splits a file into pieces. A panic of a parser becomes an error.
func (c *cutter) cut(ctx context.Context, path string, content []byte) (f index.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log.ErrorContext(ctx, "splitting a file panicked", "path", path, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("splitting %s: panic: %w", path, errPanic)
		}
	}()
	return document.Cut(ctx, path, content, c.options)
}

var errPanic = errors.New("the parser failed")

// text returns the searchable text of a file.
func (c *cutter) text(ctx context.Context, path string, content []byte) ([]byte, error) {
	lang := source.Language(document.Language(path, content, c.options.Parsers))
	if c.options.Parsers.Supports(lang) && textfile.Detect(content) == textfile.UTF8 {
		return content, nil // the text of code in UTF-8 is its content
	}
	f, err := c.cut(ctx, path, content)
	return f.Text, err
}

// skipReason returns the Skipped.Reason for an error of cut.
func skipReason(err error) string {
	if errors.Is(err, errPanic) {
		return reasonFailed
	}
	return document.Reason(err)
}
