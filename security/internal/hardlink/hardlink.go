// Package hardlink finds hard links: other names of files that a rule matches by name. A [Finder]
// searches one project directory for matching files and returns their [Identities], which recognize
// the same file under another name.
package hardlink

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// maxEntries limits the directory entries of one search.
const maxEntries = 4000

// Identities are files that match a rule, for comparison with other names.
type Identities []fs.FileInfo

// Hold reports whether info is one of the files.
func (ids Identities) Hold(info fs.FileInfo) bool {
	for _, id := range ids {
		if os.SameFile(id, info) {
			return true
		}
	}
	return false
}

// Finder finds matching files in one project directory. It is safe for concurrent use.
type Finder struct {
	// Root is the project directory.
	Root     *rootfs.Root
	listings listings
}

// Find returns the matching regular files. It searches the directories from dir up to the root, the directories below
// them that patterns name, and matching directories, at most 4,000 entries. Links in other directories are not found:
// a user that can create a link can also copy the file.
func (f *Finder) Find(rules pattern.List, dir string) Identities {
	c := f.collector(rules, rules.Bases())
	for {
		c.list(dir, false)
		if dir == "." {
			break
		}
		dir = path.Dir(dir)
	}
	c.listPending()
	return c.found
}

// FindIn is Find without the parents of dir. bases is the result of rules.Bases.
func (f *Finder) FindIn(rules pattern.List, bases map[string][]string, dir string) Identities {
	c := f.collector(rules, bases)
	c.list(dir, false)
	c.listPending()
	return c.found
}

func (f *Finder) collector(rules pattern.List, bases map[string][]string) collector {
	return collector{finder: f, rules: rules, bases: bases, budget: maxEntries}
}

// collector is one search.
type collector struct {
	finder  *Finder
	rules   pattern.List
	bases   map[string][]string // see pattern.List.Bases
	budget  int
	pending []pendingDir
	found   Identities
}

// pendingDir is a directory to search.
type pendingDir struct {
	dir string
	all bool // the directory matches, so all entries match
}

// listPending searches the pending directories within the budget.
func (c *collector) listPending() {
	for len(c.pending) > 0 && c.budget > 0 {
		next := c.pending[0]
		c.pending = c.pending[1:]
		c.list(next.dir, next.all)
	}
}

// list adds the matching files of a directory, or all files. It does not follow links. It uses a
// valid cached listing, so that reading many linked files lists each directory once.
func (c *collector) list(dir string, all bool) {
	d, err := c.finder.Root.OpenDir(dir)
	if err != nil {
		return
	}
	defer d.Close()
	key := c.listingKey(dir, all)
	if known, ok := c.finder.listings.get(key); ok && known.valid(d.Info, c.budget, time.Now()) {
		c.addListing(known)
		return
	}
	made := listing{info: d.Info, at: time.Now(), budget: c.budget}
	found, inside := len(c.found), len(c.pending)
	for c.budget > 0 {
		entries, err := d.Next(min(256, c.budget))
		if err != nil {
			made.complete = err == io.EOF
			break
		}
		c.budget -= len(entries)
		for _, entry := range entries {
			c.addEntry(d, entry, all || c.rules.Match(slashpath.Join(d.Path, entry.Name)))
		}
	}
	made.entries = made.budget - c.budget
	made.found, made.pending = slices.Clone(c.found[found:]), slices.Clone(c.pending[inside:])
	c.finder.listings.put(key, &made)
}

// addListing adds the files of a cached listing.
func (c *collector) addListing(known *listing) {
	c.budget -= known.entries
	c.found = append(c.found, known.found...)
	c.pending = append(c.pending, known.pending...)
}

func (c *collector) addEntry(d *rootfs.Dir, entry rootfs.Entry, matches bool) {
	switch {
	case entry.Type.IsDir() && matches:
		c.pending = append(c.pending, pendingDir{slashpath.Join(d.Path, entry.Name), true})
	case entry.Type.IsDir():
		for _, rest := range c.bases[pattern.PlainSpelling(pattern.Fold(entry.Name))] {
			c.pending = append(c.pending, pendingDir{path.Join(d.Path, entry.Name, rest), false})
		}
	case entry.Type.IsRegular() && matches:
		if info, err := d.Lstat(entry.Name); err == nil {
			c.found = append(c.found, info)
		}
	}
}

// Limits of listings.
const (
	maxListings     = 4096
	maxListingsSize = 1 << 16 // files and directories that listings have found
	// listingTick is the coarsest clock of file systems: a directory that was changed less than that before it was listed may have
	// changed again without another time. Its listing is valid for listingAge.
	listingTick = 2 * time.Second
	listingAge  = time.Second
)

// listing is the result of a collector for one directory.
type listing struct {
	info     fs.FileInfo // of the directory, before it was listed
	at       time.Time
	budget   int  // entries that were allowed
	entries  int  // entries that were listed
	complete bool // all entries were listed

	found   Identities
	pending []pendingDir
}

// valid reports whether listing a directory again, with a budget, would find the same.
func (l *listing) valid(now fs.FileInfo, budget int, at time.Time) bool {
	if !os.SameFile(l.info, now) || !l.info.ModTime().Equal(now.ModTime()) {
		return false
	}
	if l.at.Sub(l.info.ModTime()) <= listingTick && at.Sub(l.at) > listingAge {
		return false
	}
	return l.budget == budget || l.complete && l.entries <= budget
}

// listings keeps the listings of a tree. The zero value is empty. It is safe for concurrent use.
type listings struct {
	mu    sync.Mutex
	cache lru.Cache[string, *listing]
}

// listingKey tells apart the listings of directories, by rules and whether all files are noted.
func (c *collector) listingKey(dir string, all bool) string {
	return fmt.Sprintf("%p %t %s", c.rules, all, dir)
}

func (l *listings) get(key string) (*listing, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cache.Get(key)
}

func (l *listings) put(key string, made *listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cache.MaxEntries, l.cache.MaxSize = maxListings, maxListingsSize
	l.cache.Put(key, made, 1+len(made.found)+len(made.pending))
}
