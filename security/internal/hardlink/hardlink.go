// Package hardlink recognises files that a rule knows by name under another name, a hard link.
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

// maxEntries bounds the entries that are looked at to find out whether a file with several names has one that a rule knows.
const maxEntries = 4000

// Identities are files that a rule knows by name, to be recognised under another name.
type Identities []fs.FileInfo

// Hold reports whether a file is one of them.
func (ids Identities) Hold(info fs.FileInfo) bool {
	for _, id := range ids {
		if os.SameFile(id, info) {
			return true
		}
	}
	return false
}

// Finder finds hard links in one directory of a project. It is safe for concurrent use.
type Finder struct {
	Root     *rootfs.Root
	listings listings
}

// Find finds the regular files that match, in the directories from dir up to the root, in the directories that patterns
// name below those, and below directories that match; at most 4,000 entries are looked at, nearest first. A hard link in
// another corner of the project is not found: whoever could make one could have copied the file.
func (f *Finder) Find(rules pattern.List, dir string) Identities {
	c := f.collector(rules, rules.Bases())
	for {
		c.list(dir, false)
		if dir == "." {
			break
		}
		dir = path.Dir(dir)
	}
	c.listInside()
	return c.found
}

// FindIn is Find without the directories above dir. bases are the Bases of the rules.
func (f *Finder) FindIn(rules pattern.List, bases map[string][]string, dir string) Identities {
	c := f.collector(rules, bases)
	c.list(dir, false)
	c.listInside()
	return c.found
}

func (f *Finder) collector(rules pattern.List, bases map[string][]string) collector {
	return collector{finder: f, rules: rules, bases: bases, budget: maxEntries}
}

type collector struct {
	finder *Finder
	rules  pattern.List
	bases  map[string][]string // see pattern.List.Bases
	budget int
	inside []inside
	found  Identities
}

// inside is a directory that is still to be listed.
type inside struct {
	dir string
	all bool // the directory matches, and so does all below it
}

// listInside lists the directories that patterns name and those that match, as far as the budget allows.
func (c *collector) listInside() {
	for len(c.inside) > 0 && c.budget > 0 {
		next := c.inside[0]
		c.inside = c.inside[1:]
		c.list(next.dir, next.all)
	}
}

// list notes the files in a directory that match, or all of them. Links are not followed: their targets have their own names. An
// earlier listing of the directory is used again while it is valid, so that reading many linked files lists each directory once.
func (c *collector) list(dir string, all bool) {
	d, err := c.finder.Root.OpenDir(dir)
	if err != nil {
		return
	}
	defer d.Close()
	key := c.listingKey(dir, all)
	if known, ok := c.finder.listings.get(key); ok && known.valid(d.Info, c.budget, time.Now()) {
		c.take(known)
		return
	}
	made := listing{info: d.Info, at: time.Now(), budget: c.budget}
	found, inside := len(c.found), len(c.inside)
	for c.budget > 0 {
		entries, err := d.Next(min(256, c.budget))
		if err != nil {
			made.complete = err == io.EOF
			break
		}
		c.budget -= len(entries)
		for _, entry := range entries {
			c.note(d, entry, all || c.rules.Match(slashpath.Join(d.Path, entry.Name)))
		}
	}
	made.entries = made.budget - c.budget
	made.found, made.inside = slices.Clone(c.found[found:]), slices.Clone(c.inside[inside:])
	c.finder.listings.put(key, &made)
}

// take adds the files of an earlier listing.
func (c *collector) take(known *listing) {
	c.budget -= known.entries
	c.found = append(c.found, known.found...)
	c.inside = append(c.inside, known.inside...)
}

func (c *collector) note(d *rootfs.Dir, entry rootfs.Entry, matches bool) {
	switch {
	case entry.Type.IsDir() && matches:
		c.inside = append(c.inside, inside{slashpath.Join(d.Path, entry.Name), true})
	case entry.Type.IsDir():
		for _, rest := range c.bases[pattern.PlainSpelling(pattern.Fold(entry.Name))] {
			c.inside = append(c.inside, inside{path.Join(d.Path, entry.Name, rest), false})
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

	found  Identities
	inside []inside
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
	l.cache.Put(key, made, 1+len(made.found)+len(made.inside))
}
