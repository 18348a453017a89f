package security

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// maxOtherNames bounds the entries that are looked at to find out whether a file with several names has one that a rule knows.
const maxOtherNames = 4000

// identities are files that a rule knows by name, to be recognised under another name.
type identities []fs.FileInfo

func (ids identities) hold(info fs.FileInfo) bool {
	for _, id := range ids {
		if os.SameFile(id, info) {
			return true
		}
	}
	return false
}

// collect finds the regular files that match, in the directories from dir up to the root, in the directories that patterns
// name below those, and below directories that match; at most budget entries are looked at, nearest first. A hard link in
// another corner of the project is not found: whoever could make one could have copied the file.
func (t *tree) collect(rules patterns, dir string, budget int) identities {
	c := collector{tree: t, rules: rules, bases: rules.bases(), budget: budget}
	for {
		c.list(dir, false)
		if dir == "." {
			break
		}
		dir = path.Dir(dir)
	}
	for len(c.inside) > 0 && c.budget > 0 {
		next := c.inside[0]
		c.inside = c.inside[1:]
		c.list(next.dir, next.all)
	}
	return c.found
}

type collector struct {
	tree   *tree
	rules  patterns
	bases  map[string][]string // see patterns.bases
	budget int
	inside []inside
	found  identities
}

// inside is a directory that is still to be listed.
type inside struct {
	dir string
	all bool // the directory matches, and so does all below it
}

// list notes the files in a directory that match, or all of them. Links are not followed: their targets have their own names. An
// earlier listing of the directory is used again while it is valid, so that reading many linked files lists each directory once.
func (c *collector) list(dir string, all bool) {
	d, err := c.tree.OpenDir(dir)
	if err != nil {
		return
	}
	defer d.Close()
	key := c.listingKey(dir, all)
	if known, ok := c.tree.listings.get(key); ok && known.valid(d.Info, c.budget, time.Now()) {
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
			c.note(d, entry, all || c.rules.match(joinPath(d.Path, entry.Name)))
		}
	}
	made.entries = made.budget - c.budget
	made.found, made.inside = slices.Clone(c.found[found:]), slices.Clone(c.inside[inside:])
	c.tree.listings.put(key, &made)
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
		c.inside = append(c.inside, inside{joinPath(d.Path, entry.Name), true})
	case entry.Type.IsDir():
		for _, rest := range c.bases[plainSpelling(fold(entry.Name))] {
			c.inside = append(c.inside, inside{path.Join(d.Path, entry.Name, rest), false})
		}
	case entry.Type.IsRegular() && matches:
		if info, err := d.Lstat(entry.Name); err == nil {
			c.found = append(c.found, info)
		}
	}
}
