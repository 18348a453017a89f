package security

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// Documents gives a Root access to the files that programs, for example editors, hold in memory. All reads of the Root
// then return the unsaved text of a document instead of the content of its file. All writes to an open document go
// through its program. The methods are called concurrently. Unsaved and Open must return within a few seconds. Replace
// may take half a minute, because programs format documents when they save them.
type Documents interface {
	// Unsaved returns the documents with text that is not on the disk. It returns the known documents together with
	// the error if a program does not answer. The Root then marks what it reads; see FileInfo.Unverified.
	Unsaved(ctx context.Context) ([]UnsavedDocument, error)
	// Open returns the document of a file, with or without unsaved text; open is false if no program has the file
	// open. name is absolute. An error means that the file may be open; the Root then refuses to write the file. A read
	// uses unsaved text that comes with an error, and is marked; see FileInfo.Unverified.
	Open(ctx context.Context, name string) (doc Document, open bool, err error)
	// Replace replaces the content of an open document, as one step that the user can undo. before is the content
	// that the change is based on; after is the new content. Both have the encoding of the file for a document
	// without unsaved text, and UTF-8 otherwise. A document without unsaved text is saved.
	//
	// Replace returns an error with code StaleFile if the document has changed since Open. made is false, without an
	// error, if the document does not have the content before; the caller must then write the file on the disk.
	Replace(ctx context.Context, doc Document, before, after []byte) (done Replaced, made bool, err error)
}

// Replaced is the result of Documents.Replace.
type Replaced struct {
	// Saved reports that the new content is on the disk.
	Saved bool
	// Text is the new text of a document that is not saved.
	Text string
	// SaveError is the reason why a program could not save the document; "" if it did not have to, or if it gave none.
	SaveError string
}

// UnsavedDocument is a document with text that is not on the disk.
type UnsavedDocument struct {
	// Path is the absolute path, as the program names the file.
	Path string
	// Program is the name of the program for messages, for example "neovim".
	Program string
}

// Document is a file that a program holds in memory.
type Document struct {
	// Path is the absolute path that Documents.Open received.
	Path string
	// Program is the name of the program for messages, for example "neovim".
	Program string
	// Text is the complete text with its own line ends, in UTF-8 without a byte-order mark.
	Text string
	// Unsaved reports that the text has changes that are not on the disk.
	Unsaved bool
	// Ref is data by which Documents.Replace finds the document again.
	Ref any
}

// MaxUnsaved is the number of unsaved documents that a View lists. A read or write of one path uses also documents beyond
// the limit. A walk reads those from the disk, and the answers of tools say so.
const MaxUnsaved = 200

// maxExamined is the number of paths from Documents.Unsaved that are compared with the directories of a Root.
const maxExamined = 10 * MaxUnsaved

// maxReadTexts is the number of unsaved texts whose first read is remembered.
const maxReadTexts = 4 * MaxUnsaved

// maxReason is the number of bytes of a program's error in an Error.
const maxReason = 300

// maxViewAge is the time after which a View lists the unsaved documents again.
const maxViewAge = time.Second

// maxViewTexts is the number of bytes of the texts that a View keeps.
const maxViewTexts = 32 << 20

// Attach makes the Root read and write through documents until detach is called. The Documents that were attached
// last are used.
func (r *Root) Attach(documents Documents) (detach func()) {
	a := &attached{documents}
	r.documents.mu.Lock()
	defer r.documents.mu.Unlock()
	r.documents.set(append(r.documents.all, a))
	return func() {
		r.documents.mu.Lock()
		defer r.documents.mu.Unlock()
		r.documents.set(slices.DeleteFunc(slices.Clone(r.documents.all), func(other *attached) bool { return other == a }))
	}
}

// documentStore holds the attached Documents. It is shared by copies of a Root.
type documentStore struct {
	current atomic.Pointer[attached] // the last one of all; nil if there is none

	mu  sync.Mutex
	all []*attached
	// read are the unsaved texts that were read last, by absolute path; see documentStore.modTime.
	read map[string]readText
}

type attached struct{ Documents }

// readText is an unsaved text that was read.
type readText struct {
	sum   [sha256.Size]byte
	since time.Time // first read of the text
	used  time.Time // last read of the text
}

// set is called with mu held.
func (d *documentStore) set(all []*attached) {
	d.all = all
	if len(all) == 0 {
		d.current.Store(nil)
		return
	}
	d.current.Store(all[len(all)-1])
}

// modTime returns the time at which an unsaved text was first read. It is the modification time of the text, since
// programs do not report one: a changed text has another time. An unchanged text keeps its time as long as it is among
// the maxReadTexts texts that were read last.
func (d *documentStore) modTime(name, text string) time.Time {
	sum := sha256.Sum256([]byte(text))
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	known, ok := d.read[name]
	switch {
	case ok && known.sum == sum:
		d.read[name] = readText{sum, known.since, now}
		return known.since
	case d.read == nil:
		d.read = make(map[string]readText)
	case !ok && len(d.read) >= maxReadTexts:
		d.forgetOldest()
	}
	d.read[name] = readText{sum, now, now}
	return now
}

// forgetOldest removes the text that was not read for the longest time. It is called with mu held.
func (d *documentStore) forgetOldest() {
	oldest, used := "", time.Time{}
	for name, text := range d.read {
		if oldest == "" || text.used.Before(used) {
			oldest, used = name, text.used
		}
	}
	delete(d.read, oldest)
}

type onDiskKey struct{}

// OnDisk returns a context whose reads and writes ignore attached Documents.
func OnDisk(ctx context.Context) context.Context { return context.WithValue(ctx, onDiskKey{}, true) }

// documentsFor returns the attached Documents, or nil if there are none or ctx is one of OnDisk.
func (r *Root) documentsFor(ctx context.Context) Documents {
	now := r.documents.current.Load()
	if now == nil {
		return nil
	}
	if onDisk, _ := ctx.Value(onDiskKey{}).(bool); onDisk {
		return nil
	}
	return now.Documents
}

type viewKey struct{}

// View is the list of the unsaved documents during one call of a tool, with the texts that were read since the list was
// made. It saves a query of every program for each file.
type View struct {
	root    *Root
	listing chan struct{} // holds one value while programs are queried

	mu       sync.Mutex
	made     time.Time // zero before the first read and after a write
	writes   int       // calls of forget
	found    unsavedList
	read     map[string]Document // documents that were read since found was listed, by path
	readSize int                 // bytes of the texts in read
	reported string              // first problem that a read or write has met
}

// unsavedList are the unsaved documents in the directories of a Root.
type unsavedList struct {
	entries []viewEntry
	failure string // reason why a program may have further unsaved text; "" if none has
	tooMany bool   // there are further unsaved documents
}

// problem returns the reason why reads may lack unsaved text, or "".
func (l *unsavedList) problem() string {
	if l.failure == "" && l.tooMany {
		return fmt.Sprintf("more than %d documents have unsaved text; the others were read from the disk", MaxUnsaved)
	}
	return l.failure
}

// viewEntry is an unsaved document in a directory of the Root.
type viewEntry struct {
	UnsavedDocument
	tree  *tree
	final string      // path below the tree with symbolic links resolved
	info  fs.FileInfo // nil if the file does not exist
}

// View returns a context with a new View. Reads with the context list the unsaved documents once a second at most. A
// write with the context makes the next read list them again.
func (r *Root) View(ctx context.Context) (context.Context, *View) {
	v := r.newView()
	return context.WithValue(ctx, viewKey{}, v), v
}

func (r *Root) newView() *View { return &View{root: r, listing: make(chan struct{}, 1)} }

// Problem returns the reason why reads may lack unsaved text, or "".
func (v *View) Problem() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.reported
}

// report stores a problem, unless there is an earlier one.
func (v *View) report(problem string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reported == "" {
		v.reported = problem
	}
}

// viewIn returns the View of this Root in the context, or nil.
func (r *Root) viewIn(ctx context.Context) *View {
	if v, ok := ctx.Value(viewKey{}).(*View); ok && v.root == r {
		return v
	}
	return nil
}

// view returns the View of the context, or a new one.
func (r *Root) view(ctx context.Context) *View {
	if v := r.viewIn(ctx); v != nil {
		return v
	}
	return r.newView()
}

// forget makes the next read list the unsaved documents again.
func (v *View) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.made, v.read, v.readSize = time.Time{}, nil, 0
	v.writes++
}

// list returns the unsaved documents. One call at a time queries the programs; the others wait for it until ctx ends.
func (v *View) list(ctx context.Context, documents Documents) unsavedList {
	select {
	case v.listing <- struct{}{}:
		defer func() { <-v.listing }()
	case <-ctx.Done():
		return unsavedList{failure: "the call ended before the unsaved documents were listed"}
	}
	v.mu.Lock()
	found, writes, fresh := v.found, v.writes, !v.made.IsZero() && time.Since(v.made) <= maxViewAge
	v.mu.Unlock()
	if !fresh {
		found = v.root.listUnsaved(ctx, documents)
		v.mu.Lock()
		v.found, v.read, v.readSize = found, nil, 0
		if v.writes == writes {
			v.made = time.Now()
		}
		v.mu.Unlock()
	}
	return found
}

// open returns the document of a listed path. It queries the programs once for each list.
func (v *View) open(ctx context.Context, documents Documents, name string) (doc Document, open bool, err error) {
	v.mu.Lock()
	made := v.made
	doc, known := v.read[name]
	v.mu.Unlock()
	if known {
		return doc, true, nil
	}
	doc, open, err = documents.Open(ctx, name)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil || !open || made.IsZero() || v.made != made || v.readSize+len(doc.Text) > maxViewTexts {
		return doc, open, err
	}
	if v.read == nil {
		v.read = make(map[string]Document)
	}
	if _, ok := v.read[name]; !ok {
		v.read[name] = doc
		v.readSize += len(doc.Text)
	}
	return doc, open, nil
}

// listUnsaved queries the programs for their unsaved documents and locates these.
func (r *Root) listUnsaved(ctx context.Context, documents Documents) (l unsavedList) {
	all, err := documents.Unsaved(ctx)
	if err != nil {
		l.failure = punctuation.Clause(err.Error())
	}
	for i, d := range all {
		if i == maxExamined {
			l.tooMany = true
			break
		}
		e, ok := r.viewEntry(d)
		if !ok {
			continue
		}
		if len(l.entries) == MaxUnsaved {
			l.tooMany = true
			break
		}
		l.entries = append(l.entries, e)
	}
	return l
}

// viewEntry locates an unsaved document. ok is false for a document outside of the directories.
func (r *Root) viewEntry(d UnsavedDocument) (e viewEntry, ok bool) {
	if !filepath.IsAbs(d.Path) {
		return e, false
	}
	if e, ok = r.entryAt(d, d.Path); ok && e.info != nil {
		return e, true
	}
	// The file does not exist, or its path is below a link that is outside of the directories.
	if resolved, ok := r.entryAt(d, resolveExisting(d.Path)); ok {
		return resolved, true
	}
	return e, ok
}

// entryAt locates an unsaved document by one of the names of its file.
func (r *Root) entryAt(d UnsavedDocument, name string) (viewEntry, bool) {
	for _, t := range r.trees {
		rel, within := t.Rel(name)
		if !within {
			continue
		}
		e := viewEntry{UnsavedDocument: d, tree: t, final: rel}
		if info, final, err := t.Stat(rel); err == nil {
			e.final, e.info = final, info
		}
		return e, true
	}
	return viewEntry{}, false
}

// findUnsaved returns the unsaved document of a final path.
func findUnsaved(entries []viewEntry, t *tree, final string) (viewEntry, bool) {
	for _, e := range entries {
		if e.tree != t {
			continue
		}
		if e.final == final {
			return e, true
		}
		if e.info != nil && strings.EqualFold(e.final, final) { // another spelling on a file system that ignores case
			if info, _, err := t.Stat(final); err == nil && sameFile(info, e.info) {
				return e, true
			}
		}
	}
	return viewEntry{}, false
}

// unsavedText is the unsaved text of a file.
type unsavedText struct {
	Document
	modTime time.Time
}

// readScope is the number of files that a read is about.
type readScope bool

const (
	oneFile   readScope = true  // a document that the View does not list is queried by its path
	manyFiles readScope = false // only listed documents are used
)

// lookup returns the unsaved text of a final path, or nil. problem is the reason why there may be another one.
func (r *Root) lookup(ctx context.Context, t *tree, final string, scope readScope) (text *unsavedText, problem string) {
	documents := r.documentsFor(ctx)
	if documents == nil || isRemoved(final) {
		return nil, ""
	}
	v := r.view(ctx)
	defer func() {
		if ctx.Err() == nil {
			v.report(problem)
		}
	}()
	list := v.list(ctx, documents)
	e, listed := findUnsaved(list.entries, t, final)
	name := e.Path
	switch {
	case listed:
	case list.problem() == "" || scope == manyFiles || ctx.Err() != nil:
		return nil, list.problem()
	default:
		name = t.absolute(final)
	}
	doc, open, err := v.open(ctx, documents, name)
	switch {
	case err != nil:
		problem = punctuation.Clause(err.Error())
	case !listed:
		problem = list.failure
	}
	if !open || !doc.Unsaved { // saved or closed meanwhile, or not known
		return nil, problem
	}
	return &unsavedText{doc, r.documents.modTime(name, doc.Text)}, problem
}

// apply puts the unsaved text into the description of a file.
func (u *unsavedText) apply(info *FileInfo) {
	info.Size, info.ModTime, info.Unsaved = int64(len(u.Text)), u.modTime, u.Program
}

// lookupMissing returns the unsaved text and the description of a document that was never saved, or nil.
func (r *Root) lookupMissing(ctx context.Context, t target) (*unsavedText, FileInfo) {
	if r.documentsFor(ctx) == nil {
		return nil, FileInfo{}
	}
	place, err := t.tree.Place(t.rel, true)
	if err != nil {
		return nil, FileInfo{}
	}
	place.Close()
	if place.Info != nil || r.admit(t, place.Path) != nil {
		return nil, FileInfo{}
	}
	text, problem := r.lookup(ctx, t.tree, place.Path, oneFile)
	if text == nil {
		return nil, FileInfo{}
	}
	info := FileInfo{Location: t.tree.location(place.Path), Name: place.Name, Kind: RegularFile, Mode: 0o666, NotOnDisk: true, Unverified: problem}
	text.apply(&info)
	return text, info
}

// describe applies the unsaved text of a file to its description.
func (r *Root) describe(ctx context.Context, t *tree, info FileInfo, scope readScope) FileInfo {
	if info.Kind != RegularFile {
		return info
	}
	text, problem := r.lookup(ctx, t, info.Rel, scope)
	if text != nil {
		text.apply(&info)
	}
	info.Unverified = problem
	return info
}

// present returns an opened file, or its unsaved text. It closes the file in the second case.
func (r *Root) present(ctx context.Context, t *tree, f *File, scope readScope) *File {
	text, problem := r.lookup(ctx, t, f.info.Rel, scope)
	f.info.Unverified = problem
	if text != nil {
		f.file.Close()
		text.apply(&f.info)
		f.file = textFile{bytes.NewReader([]byte(text.Text))}
	}
	return f
}

// textFile is a text in memory as the content of a File.
type textFile struct{ *bytes.Reader }

func (textFile) Close() error { return nil }

// openedDocument is the open document of a file that will be written.
type openedDocument struct {
	Document
	source Documents // the Documents that returned the document
}

// openDocument returns the open document of a file that will be written; nil if no program has it open. It returns an
// error if a program does not answer.
func (r *Root) openDocument(ctx context.Context, t target, final string) (*openedDocument, error) {
	documents := r.documentsFor(ctx)
	if documents == nil || isRemoved(final) {
		return nil, nil
	}
	name := t.tree.absolute(final)
	v := r.view(ctx)
	v.forget()
	if e, ok := findUnsaved(v.list(ctx, documents).entries, t.tree, final); ok {
		name = e.Path
	}
	doc, open, err := documents.Open(ctx, name)
	switch known, isKnown := errors.AsType[*Error](err); {
	case isKnown:
		return nil, known
	case err != nil && ctx.Err() != nil:
		return nil, contextError(ctx)
	case err != nil:
		return nil, UnknownTextError(t.given, err)
	case !open:
		return nil, nil
	}
	return &openedDocument{doc, documents}, nil
}

// UnknownTextError returns the error of a call that needs the unsaved text of a file, while a program that may have such text does
// not answer. err is the reason. The code is FileBusy.
func UnknownTextError(path string, err error) *Error {
	return &Error{Code: FileBusy, AttemptedPath: shorten(path), Err: err,
		Message: "Whether " + quote(path) + " has unsaved text is not known: " + truncate.Cut(punctuation.Clause(err.Error()), maxReason) + ".",
		Next:    "Call again. If that fails too, ask the user to look at the editor."}
}

// UnsavedFiles describes the files with unsaved text that tools may read, for indexes of the files. It omits documents
// that were never saved. Reads of files that it does not return are marked if the list may be incomplete; see
// View.Problem.
func (r *Root) UnsavedFiles(ctx context.Context) ([]FileInfo, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	documents := r.documentsFor(ctx)
	if documents == nil {
		return nil, nil
	}
	if r.viewIn(ctx) == nil {
		ctx, _ = r.View(ctx)
	}
	var all []FileInfo
	v := r.view(ctx)
	list := v.list(ctx, documents)
	v.report(list.problem())
	for _, e := range list.entries {
		if e.info == nil || isRemoved(e.final) {
			continue
		}
		if info, err := r.Stat(ctx, e.tree.location(e.final).Path); err == nil && info.Unsaved != "" {
			all = append(all, info)
		}
	}
	return all, contextError(ctx)
}

// checkSaved refuses to move, remove or replace a file with unsaved text, or a directory that contains one. pastVerb is
// for the message, for example "moved".
func (r *Root) checkSaved(ctx context.Context, s *lockedPath, pastVerb string) error {
	documents := r.documentsFor(ctx)
	if documents == nil || isRemoved(s.place.Path) {
		return nil
	}
	v := r.view(ctx)
	v.forget()
	list := v.list(ctx, documents)
	e, found := findUnsaved(list.entries, s.tree, s.place.Path)
	switch directory := s.place.Info != nil && s.place.Info.IsDir(); {
	case found:
	case directory:
		for i := 0; !found && i < len(list.entries); i++ {
			e = list.entries[i]
			found = e.tree == s.tree && slashpath.IsBelow(e.final, s.place.Path)
		}
	case list.problem() != "":
		doc, open, err := documents.Open(ctx, s.tree.absolute(s.place.Path))
		found, list = open && doc.Unsaved, unsavedList{failure: list.failure}
		if err != nil {
			list.failure = punctuation.Clause(err.Error())
		}
		e = viewEntry{UnsavedDocument: UnsavedDocument{Program: doc.Program}, tree: s.tree, final: s.place.Path}
	}
	reason, next := "", ""
	switch {
	case found:
		return &Error{Code: FileBusy, AttemptedPath: shorten(s.given),
			Message: quote(e.tree.location(e.final).Path) + " has unsaved text in " + e.Program + "; " + quote(s.given) + " was not " + pastVerb + ".",
			Next:    "Ask the user to save or discard it, and call again."}
	case list.failure != "":
		reason, next = list.failure, "Call again. If that fails too, ask the user to look at the editor."
	case list.tooMany:
		reason, next = fmt.Sprintf("more than %d documents have unsaved text", MaxUnsaved), "Ask the user to save documents, and call again."
	default:
		return nil
	}
	return &Error{Code: FileBusy, AttemptedPath: shorten(s.given), Next: next,
		Message: quote(s.given) + " was not " + pastVerb + ", because it may have unsaved text: " + reason + "."}
}

// unsavedPathError refuses to create a file at the path of a document that was never saved.
func unsavedPathError(t target, program string) error {
	return &Error{Code: FileBusy, AttemptedPath: shorten(t.given),
		Message: program + " has unsaved text for " + quote(t.given) + ", which is not on the disk.",
		Next:    "Ask the user to save or discard it, and call again."}
}

// reportMissing reports the documents below a directory that were never saved, because a walk does not visit them.
func (r *Root) reportMissing(ctx context.Context, v *View, t *tree, dir string) {
	documents := r.documentsFor(ctx)
	if documents == nil {
		return
	}
	for _, e := range v.list(ctx, documents).entries {
		if e.info == nil && e.tree == t && (dir == "." || slashpath.IsBelow(e.final, dir)) && !isRemoved(e.final) && !r.blocked.Match(e.final) {
			v.report(quote(t.location(e.final).Path) + " is only in " + e.Program + " and not on the disk; read it by its path")
			return
		}
	}
}

// commitDocument writes the new content through the program that has the file open. made is false if the disk must be
// written instead.
func (c *change) commitDocument(ctx context.Context) (result WriteResult, made bool, err error) {
	var before, after bytes.Buffer
	if c.doc.Unsaved {
		before.WriteString(c.doc.Text)
	} else if err := c.readOld(ctx, &before); err != nil {
		return result, false, err
	}
	result = WriteResult{Location: c.location()}
	if c.backup {
		if result.BackupPath, err = c.backUp(ctx); err != nil {
			return result, false, err
		}
	}
	if err := c.produce(&after); err != nil {
		return result, false, err
	}
	c.produce = func(w io.Writer) error { return copyContent(ctx, w, bytes.NewReader(after.Bytes())) } // a reader cannot be read again
	done, made, err := c.doc.source.Replace(ctx, c.doc.Document, before.Bytes(), after.Bytes())
	c.root.view(ctx).forget()
	if err == nil && !made && c.doc.Unsaved {
		err = &Error{Code: FileBusy, AttemptedPath: shorten(c.target.given),
			Message: c.doc.Program + " did not change the unsaved text of " + quote(c.target.given) + ".",
			Next:    "Read the file again, and repeat the change."}
	}
	if err != nil {
		return result, false, &foreignError{err}
	}
	if !made {
		return result, false, nil
	}
	result.Program, result.Unsaved, result.SaveError = c.doc.Program, !done.Saved, done.SaveError
	if !done.Saved {
		sum := sha256.Sum256([]byte(done.Text))
		result.SHA256, result.Size = hex.EncodeToString(sum[:]), int64(len(done.Text))
		return result, true, nil
	}
	content, _, err := c.root.ReadFile(OnDisk(context.WithoutCancel(ctx)), result.Path, int64(after.Len())+defaultMaxUpdate)
	if err != nil {
		return result, true, err
	}
	sum := sha256.Sum256(content)
	result.SHA256, result.Size = hex.EncodeToString(sum[:]), int64(len(content))
	result.Altered = !bytes.Equal(content, after.Bytes())
	return result, true, nil
}

// sameFile reports whether two descriptions are of the same file.
func sameFile(a, b fs.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }
