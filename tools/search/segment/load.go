package segment

import (
	"errors"
	"io/fs"
	"time"
)

// readAgain is the number of attempts of a reader to open an index that changes.
const readAgain = 5

// load makes the manifest the current state. The owner of the index drops damaged
// segments. A reader retries, because segments may have been replaced since it read the
// manifest.
func (ix *Index) load(own bool) error {
	ix.commit.Lock()
	defer ix.commit.Unlock()
	for tries := 1; ; tries++ {
		whole, err := ix.loadOnce(own, own || tries == readAgain)
		if whole || err != nil {
			return err
		}
	}
}

// loadOnce returns false if a segment is missing and that is not accepted.
func (ix *Index) loadOnce(own, accept bool) (bool, error) {
	data, seen, err := ix.shared.manifest(own)
	switch {
	case errors.Is(err, errUnchanged):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		if own {
			ix.shared.sweep(nil)
		}
		return true, nil
	}
	if err != nil {
		return false, err
	}
	m, what := readManifest(data)
	if what != "" {
		ix.o.Log.Warn("the search index is damaged and starts empty", "error", &Damage{Name: manifestName, Description: what})
		if own {
			ix.shared.putAside()
		}
		seen()
		return true, nil
	}
	all, lost, err := ix.openAll(&m, accept)
	if err != nil || lost && !accept {
		return false, err
	}
	ix.mu.Lock()
	ix.next = max(ix.next, m.next)
	used := make(map[uint64]bool)
	for _, l := range all {
		ix.next = max(ix.next, l.number+1)
		used[l.number] = true
	}
	ix.mu.Unlock()
	seen()
	if own && lost {
		err = ix.replace(all, m.generation+1, time.Now())
	} else {
		ix.install(newState(m.generation, m.next, m.changed, all))
	}
	if own {
		ix.shared.sweep(used)
	}
	return true, err
}

// openAll opens the segments of a manifest that are not open yet. lost reports damaged
// segments; then the result is empty, unless losses are accepted.
func (ix *Index) openAll(m *manifest, accept bool) (all []*live, lost bool, err error) {
	have := make(map[uint64]*segment)
	ix.mu.Lock()
	for _, l := range ix.current.live {
		have[l.number] = l.segment
	}
	ix.mu.Unlock()
	for i := range m.segments {
		l, err := ix.openLive(&m.segments[i], have[m.segments[i].number])
		_, damaged := errors.AsType[*Damage](err)
		switch {
		case err == nil:
			all = append(all, l)
		case damaged && accept:
			ix.o.Log.Warn("a part of the search index is left out", "error", err, "files", m.segments[i].files)
			lost = true
		default:
			for _, l := range all {
				if have[l.number] != l.segment {
					l.closed()
				}
			}
			if damaged {
				return nil, true, nil
			}
			return nil, false, err
		}
	}
	return all, lost, nil
}

// openLive opens a segment of a manifest, or reuses have, the open segment with its
// number, which may be nil.
func (ix *Index) openLive(m *manifestSegment, have *segment) (*live, error) {
	seg := have
	if have == nil || have.sum != m.sum {
		var err error
		if seg, err = ix.open(m.number, m.size, m.sum); err != nil {
			return nil, err
		}
	}
	l := m.apply(seg)
	if l == nil {
		if seg != have {
			seg.closed()
		}
		return nil, &Damage{Name: segmentName(m.number), Description: "its files differ from the manifest"}
	}
	return l, nil
}
