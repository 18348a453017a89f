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

// cutter makes pieces of files.
type cutter struct {
	options  document.Options
	log      *slog.Logger
	versions sync.Map // of languages
}

// current says that a file was cut as it would be now.
func (c *cutter) current(k index.Known) bool { return k.Version == c.version(k.Language) }

func (c *cutter) version(language string) string {
	if v, ok := c.versions.Load(language); ok {
		return v.(string)
	}
	v := document.Version(language, c.options.Parsers)
	c.versions.Store(language, v)
	return v
}

// cut makes the pieces of a file. A parser that panics fails.
func (c *cutter) cut(ctx context.Context, path string, content []byte) (f index.File, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log.ErrorContext(ctx, "panic while a file was cut into pieces", "path", path, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("cutting %s into pieces: panic: %w", path, errPanic)
		}
	}()
	return document.Cut(ctx, path, content, c.options)
}

var errPanic = errors.New("the parser failed")

// text is what can be found of a file.
func (c *cutter) text(ctx context.Context, path string, content []byte) ([]byte, error) {
	lang := source.Language(document.Language(path, content, c.options.Parsers))
	if c.options.Parsers.Knows(lang) && textfile.Detect(content) == textfile.UTF8 {
		return content, nil // which is what would come of parsing it
	}
	f, err := c.cut(ctx, path, content)
	return f.Text, err
}

// reasonOf says why a file has no pieces.
func reasonOf(err error) string {
	if errors.Is(err, errPanic) {
		return reasonFailed
	}
	return document.Reason(err)
}
