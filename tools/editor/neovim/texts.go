package neovim

import "sync"

// Limits of the texts that a session keeps, in bytes.
const (
	minKeptText  = 16 << 10 // a shorter text costs less than a request
	maxKeptTexts = 64 << 20 // of all texts
)

// texts are the long documents that were read last, by path. A request for a document that has not changed leaves the text out. The
// zero value has none.
type texts struct {
	mu    sync.Mutex
	kept  map[string]document
	bytes int
}

func (t *texts) get(path string) (d document, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok = t.kept[path]
	return d, ok
}

// put keeps a document if its text is long. All others are forgotten if the texts are too long together.
func (t *texts) put(path string, d document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.kept[path]; ok {
		t.bytes -= len(old.Text)
		delete(t.kept, path)
	}
	if len(d.Text) < minKeptText || len(d.Text) > maxKeptTexts {
		return
	}
	if t.kept == nil || t.bytes+len(d.Text) > maxKeptTexts {
		t.kept, t.bytes = make(map[string]document), 0
	}
	t.kept[path] = d
	t.bytes += len(d.Text)
}
