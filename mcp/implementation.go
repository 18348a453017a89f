package mcp

// Implementation names a client or a server (2026-07-28, Implementation).
type Implementation struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	WebsiteURL  string `json:"websiteUrl,omitempty"`
	Icons       []Icon `json:"icons,omitempty"`
}

// For returns what of the implementation exists in a revision.
func (i Implementation) For(rev Revision) Implementation {
	if rev < Rev20251125 {
		i.Description, i.WebsiteURL, i.Icons = "", "", nil
	}
	if rev < Rev20250618 {
		i.Title = ""
	}
	return i
}

// Icon is an image that clients may show. Src is an https or data URI; sizes
// are such as "48x48" or "any"; theme is "light" or "dark".
type Icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
	Theme    string   `json:"theme,omitempty"`
}

// Meta is a _meta object: keys with a prefix in reverse-domain form belong to
// the owner of the domain (2026-07-28, basic, "_meta").
type Meta map[string]any
