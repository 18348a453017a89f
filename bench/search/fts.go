package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// ftsLayout selects the columns of the FTS5 tables.
type ftsLayout uint8

const (
	ftsTrigrams ftsLayout = iota // path and text of each piece, with the tokenizer trigram
	ftsUnicode                   // the same, with the tokenizer unicode61 and the underscore as a letter
	ftsTokens                    // the words of package token in a column for each field, and the trigrams of files
)

// statements returns the SQL of the tables. They store no texts, because package segment stores none.
func (l ftsLayout) statements() []string {
	all := []string{
		`CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL, language TEXT NOT NULL, version TEXT NOT NULL)`,
		`CREATE TABLE pieces(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, container TEXT NOT NULL, signature TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, spans BLOB NOT NULL)`,
		`CREATE INDEX pieces_of ON pieces(file)`,
	}
	switch l {
	case ftsTrigrams:
		return append(all, `CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1, tokenize='trigram')`)
	case ftsUnicode:
		return append(all, `CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 tokenchars '_'")`)
	}
	return append(all,
		// Words contain no blanks; every other character is part of a word.
		`CREATE VIRTUAL TABLE texts USING fts5(name, signature, doc, body, path, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")`,
		`CREATE VIRTUAL TABLE vocabulary USING fts5vocab(texts, 'row')`,
		`CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram')`)
}

// ftsIndex is an index in a SQLite database.
type ftsIndex struct {
	db     *sql.DB
	layout ftsLayout
	remove string // directory to remove at the end; may be empty
}

// openFTS opens the database in a directory. A new one has no journal, because it can be built again after a crash. Otherwise a
// committed transaction is on disk, as with package segment.
func openFTS(ctx context.Context, dir string, l ftsLayout) (*ftsIndex, error) {
	file := filepath.Join(dir, "index.db")
	journal := "_pragma=journal_mode(wal)&_pragma=synchronous(full)"
	_, err := os.Stat(file)
	made := errors.Is(err, os.ErrNotExist)
	if made {
		journal = "_pragma=journal_mode(off)&_pragma=synchronous(off)"
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file)+"?_pragma=cache_size(-65536)&"+journal)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	ix := &ftsIndex{db: db, layout: l}
	if made {
		for _, statement := range l.statements() {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", statement, err), db.Close())
			}
		}
	}
	return ix, nil
}

func (ix *ftsIndex) close() error {
	err := ix.db.Close()
	if ix.remove != "" {
		err = errors.Join(err, os.RemoveAll(ix.remove))
	}
	return err
}

// ftsWriter changes an index in one transaction.
type ftsWriter struct {
	layout                ftsLayout
	tx                    *sql.Tx
	known                 *sql.Stmt
	file, piece           *sql.Stmt
	text, trigram         *sql.Stmt
	dropTexts, dropPieces *sql.Stmt
	dropTrigrams, drop    *sql.Stmt
	scanner, names        token.Scanner
}

func (ix *ftsIndex) begin(ctx context.Context) (*ftsWriter, error) {
	tx, err := ix.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	w := &ftsWriter{layout: ix.layout, tx: tx, names: token.Scanner{Singles: true}}
	text := `INSERT INTO texts(rowid, text) VALUES(?, ?)`
	statements := map[**sql.Stmt]string{
		&w.known: `SELECT id FROM files WHERE path = ?`,
		&w.file:  `INSERT INTO files(path, hash, size, modified, language, version) VALUES(?, ?, ?, ?, ?, ?)`,
		&w.piece: `INSERT INTO pieces(file, kind, name, container, signature, first, last, spans) VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,

		&w.dropTexts:  `DELETE FROM texts WHERE rowid IN (SELECT id FROM pieces WHERE file = ?)`,
		&w.dropPieces: `DELETE FROM pieces WHERE file = ?`,
		&w.drop:       `DELETE FROM files WHERE id = ?`,
	}
	if ix.layout == ftsTokens {
		text = `INSERT INTO texts(rowid, name, signature, doc, body, path) VALUES(?, ?, ?, ?, ?, ?)`
		statements[&w.trigram] = `INSERT INTO trigrams(rowid, text) VALUES(?, ?)`
		statements[&w.dropTrigrams] = `DELETE FROM trigrams WHERE rowid = ?`
	}
	statements[&w.text] = text
	for to, statement := range statements {
		if *to, err = tx.PrepareContext(ctx, statement); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", statement, err), tx.Rollback())
		}
	}
	return w, nil
}

// put adds a file, or replaces one with the same path.
func (w *ftsWriter) put(ctx context.Context, f *index.File) error {
	var id int64
	switch err := w.known.QueryRowContext(ctx, f.Path).Scan(&id); {
	case err == nil:
		for _, drop := range []*sql.Stmt{w.dropTexts, w.dropPieces, w.dropTrigrams, w.drop} {
			if drop == nil {
				continue
			}
			if _, err := drop.ExecContext(ctx, id); err != nil {
				return err
			}
		}
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	id, err := insert(ctx, w.file, f.Path, f.Hash[:], f.Size, f.ModTime.UnixNano(), f.Language, f.Version)
	if err != nil {
		return err
	}
	for i := range f.Pieces {
		p := &f.Pieces[i]
		number, err := insert(ctx, w.piece, id, p.Kind, p.Name, p.Container, p.Signature, p.StartLine, p.EndLine, spansOf(p))
		if err != nil {
			return err
		}
		if w.layout == ftsTokens {
			name, signature, doc, body := w.fields(f.Text, p)
			_, err = w.text.ExecContext(ctx, number, name, signature, doc, body, w.words(&w.scanner, []byte(path.Clean(f.Path))))
		} else {
			_, err = w.text.ExecContext(ctx, number, pieceText(f, p))
		}
		if err != nil {
			return err
		}
	}
	if w.layout == ftsTokens && f.Verbatim {
		_, err = w.trigram.ExecContext(ctx, id, string(f.Text))
	}
	return err
}

func insert(ctx context.Context, with *sql.Stmt, args ...any) (int64, error) {
	done, err := with.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// fields returns the words of a piece by field, as package segment stores them.
func (w *ftsWriter) fields(text []byte, p *index.Piece) (name, signature, doc, body string) {
	var own []byte
	for _, s := range p.Own {
		if p.Doc.Start == p.Doc.End {
			own = append(append(own, text[s.Start:s.End]...), ' ')
			continue
		}
		own = append(append(own, text[s.Start:max(min(s.End, p.Doc.Start), s.Start)]...), ' ')
		own = append(append(own, text[min(max(s.Start, p.Doc.End), s.End):s.End]...), ' ')
	}
	return w.words(&w.names, []byte(p.Name+" "+p.Container)), w.words(&w.scanner, []byte(p.Signature)),
		w.words(&w.scanner, text[p.Doc.Start:p.Doc.End]), w.words(&w.scanner, own)
}

func (w *ftsWriter) words(s *token.Scanner, text []byte) string {
	var b strings.Builder
	for word := range s.Words(text) {
		b.Write(word.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// spansOf encodes the spans of a piece: Range, Doc and Own.
func spansOf(p *index.Piece) []byte {
	var b []byte
	for _, s := range append([]index.Span{p.Range, p.Doc}, p.Own...) {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(s.Start)), uint64(s.End))
	}
	return b
}

func readSpans(p *index.Piece, b []byte) {
	for n := 0; len(b) > 0; n++ {
		start, size := binary.Uvarint(b)
		end, more := binary.Uvarint(b[size:])
		b = b[size+more:]
		s := index.Span{Start: int32(start), End: int32(end)}
		switch n {
		case 0:
			p.Range = s
		case 1:
			p.Doc = s
		default:
			p.Own = append(p.Own, s)
		}
	}
}

// indexFTS returns a function that indexes a directory.
func indexFTS(l ftsLayout) func(ctx context.Context, from, into string) (int, error) {
	return func(ctx context.Context, from, into string) (files int, err error) {
		names, err := corpus.Files(from)
		if err != nil {
			return 0, err
		}
		if err := os.MkdirAll(into, 0o755); err != nil {
			return 0, err
		}
		ix, err := openFTS(ctx, into, l)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, ix.close()) }()
		w, err := ix.begin(ctx)
		if err != nil {
			return 0, err
		}
		o := document.Options{Parsers: builtin.Parsers(builtin.Options{})}
		read := func(ctx context.Context, name string) (*index.File, error) { return cutFile(ctx, from, name, o) }
		err = pipe(ctx, names, read, func(ctx context.Context, f *index.File) error {
			if f == nil {
				return nil
			}
			files++
			return w.put(ctx, f)
		})
		if err != nil {
			return 0, errors.Join(err, w.tx.Rollback())
		}
		return files, w.tx.Commit()
	}
}

// openFTSTree returns a function that indexes a tree in memory.
func openFTSTree(l ftsLayout) func(context.Context, *bench, *tree) (searcher, error) {
	return func(ctx context.Context, b *bench, t *tree) (searcher, error) {
		ix, err := newFTSTree(ctx, b, t, l)
		if err != nil {
			return nil, err
		}
		return &ftsSearcher{ix, t}, nil
	}
}

func newFTSTree(ctx context.Context, b *bench, t *tree, l ftsLayout) (*ftsIndex, error) {
	dir, err := os.MkdirTemp(b.dir, "fts-")
	if err != nil {
		return nil, err
	}
	ix, err := openFTS(ctx, dir, l)
	if err != nil {
		return nil, err
	}
	ix.remove = dir
	w, err := ix.begin(ctx)
	if err != nil {
		return nil, errors.Join(err, ix.close())
	}
	for _, name := range t.names {
		if err := w.put(ctx, t.files[name]); err != nil {
			return nil, errors.Join(fmt.Errorf("indexing %s: %w", name, err), w.tx.Rollback(), ix.close())
		}
	}
	if err := w.tx.Commit(); err != nil {
		return nil, errors.Join(err, ix.close())
	}
	return ix, nil
}

// modTime returns a modification time.
func modTime(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds) }
