package protocol

// Implementation describes a client or a server (2026-07-28, Implementation).
type Implementation struct {
	Name        string `json:"name"`                  // Name identifies the program.
	Version     string `json:"version"`               // Version is the version of the program.
	Title       string `json:"title,omitempty"`       // Title is a name for people; since 2025-06-18.
	Description string `json:"description,omitempty"` // Description exists since 2025-11-25.
	WebsiteURL  string `json:"websiteUrl,omitempty"`  // WebsiteURL exists since 2025-11-25.
	Icons       []Icon `json:"icons,omitempty"`       // Icons exist since 2025-11-25.
}

// ForRevision returns the implementation without the members that rev lacks.
func (i Implementation) ForRevision(rev Revision) Implementation {
	if rev < Rev20251125 {
		i.Description, i.WebsiteURL, i.Icons = "", "", nil
	}
	if rev < Rev20250618 {
		i.Title = ""
	}
	return i
}

// Icon is an image that clients may display.
type Icon struct {
	Src      string   `json:"src"`                // Src is an https or data URI.
	MIMEType string   `json:"mimeType,omitempty"` // MIMEType is the media type; optional.
	Sizes    []string `json:"sizes,omitempty"`    // Sizes lists sizes, for example "48x48" or "any".
	Theme    string   `json:"theme,omitempty"`    // Theme is "light" or "dark"; optional.
}
