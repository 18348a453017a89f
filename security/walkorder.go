package security

import (
	"io"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// inOrder walks in the caller's goroutine: directories before what is in them, names sorted by bytes.
func (w *walker) inOrder(d *walkDir) error {
	var entry WalkEntry
	return w.walkSorted(d, &entry)
}

func (w *walker) walkSorted(d *walkDir, entry *WalkEntry) error {
	defer d.release()
	entries, err := d.all()
	if err != nil {
		return err
	}
	for _, e := range entries {
		*entry = WalkEntry{Name: e.Name, Kind: kindOf(e.Type), Depth: d.depth, dir: d}
		enter, err := w.offer(entry)
		if err != nil {
			return err
		}
		if !enter {
			continue
		}
		if child := w.descend(d, e.Name); child != nil {
			if err := w.walkSorted(child, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// all reads the entries, and sorts them. When there are more than MaxEntries, those that were read are visited still.
func (d *walkDir) all() ([]rootfs.Entry, error) {
	var entries []rootfs.Entry
	for {
		e, err := d.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b rootfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}
