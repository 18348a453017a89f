package security

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
)

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

	found  identities
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
	var rules *pattern
	if len(c.rules) > 0 {
		rules = &c.rules[0]
	}
	return fmt.Sprintf("%p %t %s", rules, all, dir)
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
