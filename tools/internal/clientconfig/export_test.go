package clientconfig

import "bytes"

// Edited is what a file's content becomes.
func Edited(content []byte, c Client, name string, s Server) ([]byte, error) {
	after, _, err := edited(content, c, User, name, s)
	return after, err
}

// Masked is what is shown of a file's content.
func Masked(content []byte, c Client, name string) string { return masked(content, c, name, "") }

// Withdrawn is what a file's content becomes when one entry is taken back.
func Withdrawn(t interface{ Fatalf(string, ...any) }, content []byte, c Client, name string, s Server, former []byte) []byte {
	after, err := withdrawn(content, c, name, s, former)
	if err != nil {
		t.Fatalf("%q, before which it was %q: %v", content, former, err)
	}
	if len(bytes.TrimSpace(after)) > 0 {
		if _, err := parse(after); err != nil {
			t.Fatalf("%q becomes %q: %v", content, after, err)
		}
	}
	return after
}
