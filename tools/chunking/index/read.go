package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/source"
)

// ErrChanging is the error of Index.ReadFile for a file that is written to
// continuously.
var ErrChanging = errors.New("the file kept changing while it was read; try again")

// reading is the content of a file at one moment.
type reading struct {
	info    security.FileInfo // metadata before the content was read
	content []byte
	text    []byte // the content as UTF-8; see Text
	turn    uint64 // sequence number
	at      time.Time
}

// read reads a file into buf, which may be nil. The errors are those of the Root and
// source.ErrTooLong.
func (x *Index) read(ctx context.Context, path string, buf []byte) (reading, error) {
	r := reading{turn: x.lastTurn.Add(1), at: time.Now()}
	f, err := x.root.Open(ctx, path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	r.info = f.Info()
	if r.info.Size > source.MaxSource {
		return r, source.ErrTooLong
	}
	r.content, err = f.ReadAll(ctx, buf, source.MaxSource)
	if security.CodeOf(err) == security.FileTooLarge {
		err = source.ErrTooLong
	}
	if err == nil {
		r.text = Text(r.content)
	}
	return r, err
}

// file builds the index entry of a reading from its parse result.
func (x *Index) file(r reading, hash [32]byte, parsed *source.File, start string) *File {
	f := &File{
		Path: r.info.Path, Hash: hash, Size: int64(len(r.content)), ModTime: r.info.ModTime, textSize: int64(len(r.text)),
		read: r.at.UnixNano(), fingerprint: x.fingerprints[parsed.Language], start: start, turn: r.turn,
	}
	f.setParsed(parsed)
	return f
}

// parse parses a reading. It returns an error if the parser panics or its result is
// invalid.
func (x *Index) parse(ctx context.Context, r reading, hash [32]byte, lang source.Language, start string) (f *File, err error) {
	defer func() {
		if v := recover(); v != nil {
			x.log.ErrorContext(ctx, "panic in a parser", "path", r.info.Path, "language", lang, "panic", v, "stack", string(debug.Stack()))
			f, err = nil, fmt.Errorf("the parser of %s panicked", lang)
		}
	}()
	parsed, err := x.o.Parsers.Parse(ctx, r.text, lang, source.Options{Calls: x.o.Calls})
	if err != nil {
		return nil, err
	}
	if cap(parsed.Chunks) > len(parsed.Chunks)*5/4 {
		parsed.Chunks = slices.Clone(parsed.Chunks)
	}
	f = x.file(r, hash, parsed, start)
	f.fingerprint = x.fingerprints[lang]
	if err := f.checkPath(); err != nil {
		return nil, err
	}
	f.complete()
	return f, nil
}

// ReadFile reads a file now and returns its index entry and its Text, to which the
// positions of the entry refer. It parses only content that the index does not have, and
// updates the entry of an indexed file.
//
// lang is the language of the file; "" detects it from name and content. A file read as
// another language is not added to the index. Links are followed as in Root.Open, and
// File.Path is the final path.
//
// The errors are ErrClosed, ErrChanging, and those of the Root and of
// source.Parsers.Parse.
func (x *Index) ReadFile(ctx context.Context, name string, lang source.Language) (*File, []byte, error) {
	if err := x.enter(); err != nil {
		return nil, nil, err
	}
	defer x.busy.Done()
	r, err := x.readSteady(ctx, name)
	if err != nil {
		if security.CodeOf(err) == security.FileNotFound {
			x.commit(nil, []removal{{name, r.turn}}, true)
			x.saveSoon(ctx)
		}
		return nil, nil, err
	}
	own, ok := x.languageOf(r.info.Path, r.text)
	if lang == "" {
		if lang = own; !ok {
			return nil, nil, fmt.Errorf("%w that %s is written in; name it", source.ErrLanguage, name)
		}
	}
	hash := sha256.Sum256(r.content)
	old, indexed := x.Lookup(r.info.Path)
	if indexed && old.Hash == hash && old.textSize == int64(len(r.text)) && old.Language == lang && old.fingerprint == x.fingerprints[lang] {
		if _, err := old.load(); err == nil {
			return old, r.text, nil
		}
	}
	start := ""
	if indexed {
		start = old.start
	}
	f, err := x.parse(ctx, r, hash, lang, start)
	if err != nil {
		return nil, nil, fmt.Errorf("parsing %s: %w", name, err)
	}
	if indexed && lang == own && x.languages[lang] {
		x.commit([]*File{f}, nil, true)
		x.saveSoon(ctx)
	}
	return f, r.text, nil
}

// isPath reports whether the Root can have a file or a directory with this final path. A Store is not
// trusted, so its paths are checked before they are shown.
func (x *Index) isPath(name string) bool {
	if path.Clean(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
		return false
	}
	if !pathset.IsAbs(name) {
		return filepath.IsLocal(filepath.FromSlash(name))
	}
	return slices.ContainsFunc(x.root.Dirs()[1:], func(dir string) bool { return pathset.Within(name, filepath.ToSlash(dir)) })
}

// readSteady repeats a reading until size and modification time are stable, at most for
// about a quarter of a second.
func (x *Index) readSteady(ctx context.Context, path string) (reading, error) {
	for delay := 2 * time.Millisecond; ; delay *= 2 {
		r, err := x.read(ctx, path, nil)
		if err != nil {
			return r, err
		}
		after, err := x.root.Stat(ctx, path)
		if err != nil {
			return r, err
		}
		if after.Path == r.info.Path && after.Size == int64(len(r.content)) && after.ModTime.Equal(r.info.ModTime) {
			return r, nil
		}
		if delay > 100*time.Millisecond {
			return r, fmt.Errorf("reading %s: %w", path, ErrChanging)
		}
		if err := wait.Sleep(ctx, delay); err != nil {
			return r, err
		}
	}
}
