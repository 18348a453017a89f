package roles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
)

// maxAttempts is the number of attempts if other programs change the file concurrently.
const maxAttempts = 20

// Set changes the role with the identifier of r in the file. old is the role as the caller read it;
// Set returns ErrConflict if the role differs from both old and r. An old without identifier
// disables that check. Only the differing members of the role are written, and the previous file is
// kept with the suffix ".bak". Set returns ErrUnknown for an unknown role, and ErrInvalid with the
// valid values for an invalid one.
func (b *Book) Set(ctx context.Context, r, old Role) error {
	r = r.normalized()
	if err := check(r); err != nil {
		return err
	}
	return b.edit(ctx, "changing the role "+r.ID, func(d *yamlfile.Document, now *contents) (*yamlfile.Document, error) {
		e, ok := now.find(r.ID)
		switch {
		case !ok:
			return nil, fmt.Errorf("%w: %s; known are %s", ErrUnknown, r.ID, now.names())
		case e.Equal(r):
			return d, nil
		case old.ID != "" && !e.Equal(old):
			return nil, fmt.Errorf("%w; read it again and repeat the change", ErrConflict)
		}
		return setFields(d, e, r)
	})
}

// Create appends a role to the list in the file. It returns ErrExists or ErrInvalid.
func (b *Book) Create(ctx context.Context, r Role) error {
	r = r.normalized()
	if err := check(r); err != nil {
		return err
	}
	return b.edit(ctx, "adding the role "+r.ID, func(d *yamlfile.Document, now *contents) (*yamlfile.Document, error) {
		listed := listOf(d)
		for _, e := range listed.Elements {
			if member(e, "id").Text == r.ID {
				return nil, fmt.Errorf("%w: %s", ErrExists, r.ID)
			}
		}
		if len(now.entries) >= maxRoles {
			return nil, fmt.Errorf("%w: there are %d roles, which is the limit; remove one", ErrInvalid, maxRoles)
		}
		return d.Insert(r.node(), section, strconv.Itoa(len(listed.Elements)))
	})
}

// Remove removes a role from the file, with the comments inside it. It returns ErrUnknown for an
// unknown role.
func (b *Book) Remove(ctx context.Context, id string) error {
	return b.edit(ctx, "removing the role "+id, func(d *yamlfile.Document, now *contents) (*yamlfile.Document, error) {
		e, ok := now.find(id)
		if !ok {
			return nil, fmt.Errorf("%w: %s; known are %s", ErrUnknown, id, now.names())
		}
		return d.Remove(section, strconv.Itoa(e.index))
	})
}

func (c *contents) names() string {
	all := make([]string, len(c.entries))
	for i, e := range c.entries {
		all[i] = e.ID
	}
	return strings.Join(all, ", ")
}

// edit applies a change to the current file, and repeats it after concurrent changes.
func (b *Book) edit(ctx context.Context, what string, change func(*yamlfile.Document, *contents) (*yamlfile.Document, error)) error {
	b.changeMu.Lock()
	defer b.changeMu.Unlock()
	err := errConcurrentChange
	for attempt := 0; attempt < maxAttempts && errors.Is(err, errConcurrentChange); attempt++ {
		if err = context.Cause(ctx); err == nil {
			err = b.attempt(ctx, change)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (b *Book) attempt(ctx context.Context, change func(*yamlfile.Document, *contents) (*yamlfile.Document, error)) error {
	before, err := b.file.read()
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return fmt.Errorf("reading %s: %w", b.file.path, err)
	}
	text := before
	if missing {
		text = Template()
	}
	d, err := openDocument(text)
	if err != nil {
		return fmt.Errorf("%s:%w; correct the file; it was not changed", b.file.path, err)
	}
	now := read(b.file.path, d.Node())
	changed, err := change(d, now)
	if err != nil {
		return err
	}
	after := changed.Text()
	if bytes.Equal(after, before) && !missing {
		b.setContents(before, nil)
		return nil
	}
	if missing {
		before = nil
	} else if before == nil {
		before = []byte{}
	}
	if err := b.file.write(ctx, before, after); err != nil {
		return fmt.Errorf("writing %s: %w", b.file.path, err)
	}
	b.setContents(after, nil)
	return nil
}

// openDocument parses a file for a change. It adds a final line end, and the built-in roles if the
// file has no list.
func openDocument(text []byte) (*yamlfile.Document, error) {
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), lineEnd(text)...)
	}
	d, err := yamlfile.Parse(text)
	if err != nil {
		return nil, err
	}
	if listOf(d).Kind != config.Null {
		return d, nil
	}
	all := config.Node{Kind: config.List}
	for _, r := range builtin() {
		all.Elements = append(all.Elements, r.node())
	}
	return d.Set(all, section)
}

func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func listOf(d *yamlfile.Document) config.Node { return member(d.Node(), section) }

// member returns a member of an object, or the null node.
func member(n config.Node, name string) config.Node {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return config.Node{}
}

// node returns the YAML of a new role.
func (r Role) node() config.Node {
	n := config.Node{Kind: config.Object}
	for _, f := range fields() {
		if v := f.write(r); f.present(v) {
			n.Members = append(n.Members, config.Member{Name: f.name, Value: v})
		}
	}
	return n
}

// setFields updates the differing members of a role in the file.
func setFields(d *yamlfile.Document, e entry, r Role) (*yamlfile.Document, error) {
	index := strconv.Itoa(e.index)
	for _, f := range fields() {
		was, is := f.write(e.Role), f.write(r)
		if yamlfile.Same(was, is) {
			continue
		}
		written := member(listOf(d).Elements[e.index], f.name)
		if strings.HasSuffix(written.Text, "\n") && !strings.HasSuffix(is.Text, "\n") && is.Text != "" {
			is.Text += "\n" // keeps the block style
		}
		var err error
		if d, err = setField(d, f, is, section, index, f.name); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func setField(d *yamlfile.Document, f field, v config.Node, path ...string) (*yamlfile.Document, error) {
	if f.present(v) {
		return d.Set(v, path...)
	}
	if v.Kind == config.Bool {
		return d.Set(v, path...)
	}
	return d.Remove(path...)
}
