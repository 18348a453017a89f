package site

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

// link rewrites the links of a page for the site and records dead links.
func (b *builder) link(p *page) {
	p.doc.change(func(destination string, image bool) string {
		to, err := b.resolve(p, destination, image)
		if err != nil {
			b.faults = append(b.faults, fmt.Errorf("%s: the link to %q: %w", p.source, destination, err))
		}
		return to
	})
}

func (b *builder) resolve(p *page, destination string, image bool) (string, error) {
	u, err := url.Parse(destination)
	if err != nil {
		return "", err
	}
	switch {
	case u.Scheme == "https" || u.Scheme == "http" && u.Hostname() == "127.0.0.1":
		if image {
			return "", fmt.Errorf("a picture of another site")
		}
		return destination, nil
	case u.Scheme != "" || u.Host != "" || path.IsAbs(u.Path):
		return "", fmt.Errorf("neither of this repository nor by HTTPS")
	}
	target := p.source
	if u.Path != "" {
		target = path.Join(path.Dir(p.source), u.Path)
	}
	if i := slices.IndexFunc(b.pages, func(p *page) bool { return p.source == target }); i >= 0 {
		return b.toPage(p, b.pages[i], u.Fragment)
	}
	info, err := fs.Stat(b.source, target)
	switch {
	case err != nil:
		return "", fmt.Errorf("there is no %s", target)
	case image:
		return b.picture(target)
	case info.IsDir():
		return b.opts.Repository + "/tree/main/" + target, nil
	}
	return withFragment(b.opts.Repository+"/blob/main/"+target, u.Fragment), nil
}

// toPage returns the link from one page to another, or to a heading there.
func (b *builder) toPage(from, to *page, fragment string) (string, error) {
	if fragment != "" && !to.doc.anchors[fragment] {
		return "", fmt.Errorf("%s has no heading %q", to.source, fragment)
	}
	if from == to && fragment != "" {
		return "#" + fragment, nil
	}
	return withFragment(to.name, fragment), nil
}

func withFragment(u, fragment string) string {
	if fragment == "" {
		return u
	}
	return u + "#" + fragment
}

// picture adds a picture to the site.
func (b *builder) picture(name string) (string, error) {
	if !slices.Contains([]string{".png", ".svg", ".jpg", ".webp"}, path.Ext(name)) {
		return "", fmt.Errorf("no kind of picture")
	}
	content, err := fs.ReadFile(b.source, name)
	if err != nil {
		return "", err
	}
	to := "images/" + strings.ReplaceAll(strings.TrimPrefix(name, "docs/images/"), "/", "-")
	b.files[to] = content
	return to, nil
}
