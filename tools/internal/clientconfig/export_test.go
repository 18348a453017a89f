package clientconfig

import "bytes"

// Edited returns the content of a file with a server added.
func Edited(content []byte, c Client, name string, s Server) ([]byte, error) {
	after, _, err := c.syntax.edited(content, c, User, name, s)
	return after, err
}

// Masked returns the content of a file for display.
func Masked(content []byte, c Client, name string) string {
	return c.syntax.masked(content, c, name, "")
}

// Withdrawn returns the content of a file with one entry undone.
func Withdrawn(t interface{ Fatalf(string, ...any) }, content []byte, c Client, name string, s Server, former []byte) []byte {
	after, err := c.syntax.withdrawn(content, c, name, s, former)
	if err != nil {
		t.Fatalf("%q, before which it was %q: %v", content, former, err)
	}
	if len(bytes.TrimSpace(after)) > 0 {
		if _, err := c.Entries(after); err != nil {
			t.Fatalf("%q becomes %q: %v", content, after, err)
		}
	}
	return after
}
