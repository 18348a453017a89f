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

// mostAttempts is how often a change is tried when others change the file at the same moment.
const mostAttempts = 20

// Set changes the role with the identifier of r, in the file. old is the role as the caller has seen it: ErrConflict
// if it is another now, unless it is r already; an old without an identifier is any. Of the file only what differs is
// touched, and what it was is kept beside it under its name with ".bak". What others have changed elsewhere in it
// meanwhile stays. ErrUnknown, and ErrInvalid with what is allowed.
func (b *Book) Set(ctx context.Context, r, old Role) error {
	r = r.tidied()
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
			return nil, fmt.Errorf("%w; look at it as it is now and try again", ErrConflict)
		}
		return setFields(d, e, r)
	})
}

// Create adds a role at the end of the list in the file. ErrExists, and ErrInvalid with what is allowed.
func (b *Book) Create(ctx context.Context, r Role) error {
	r = r.tidied()
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

// Remove takes a role out of the file, with the comments in it. ErrUnknown.
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

// edit changes the file as it is now.
func (b *Book) edit(ctx context.Context, what string, change func(*yamlfile.Document, *contents) (*yamlfile.Document, error)) error {
	b.change.Lock()
	defer b.change.Unlock()
	err := errMeanwhile
	for attempt := 0; attempt < mostAttempts && errors.Is(err, errMeanwhile); attempt++ {
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
	d, err := open(text)
	if err != nil {
		return fmt.Errorf("%s:%w; correct it there, nothing was changed", b.file.path, err)
	}
	now := read(b.file.path, d.Node())
	changed, err := change(d, now)
	if err != nil {
		return err
	}
	after := changed.Text()
	if bytes.Equal(after, before) && !missing {
		b.take(before, nil)
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
	b.take(after, nil)
	return nil
}

// open reads a file that is to be changed: with a line end at its end, and with the built-in roles in it if it
// lists none.
func open(text []byte) (*yamlfile.Document, error) {
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

// member is a member of an object; null if it has none of this name.
func member(n config.Node, name string) config.Node {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return config.Node{}
}

// node is a role as a new one is written.
func (r Role) node() config.Node {
	n := config.Node{Kind: config.Object}
	for _, f := range fields() {
		if v := f.write(r); f.present(v) {
			n.Members = append(n.Members, config.Member{Name: f.name, Value: v})
		}
	}
	return n
}

// setFields makes a role in the file another one. What it does not say stays unsaid.
func setFields(d *yamlfile.Document, e entry, r Role) (*yamlfile.Document, error) {
	index := strconv.Itoa(e.index)
	for _, f := range fields() {
		was, is := f.write(e.Role), f.write(r)
		if yamlfile.Same(was, is) {
			continue
		}
		written := member(listOf(d).Elements[e.index], f.name)
		if strings.HasSuffix(written.Text, "\n") && !strings.HasSuffix(is.Text, "\n") && is.Text != "" {
			is.Text += "\n" // it stays text in lines
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
