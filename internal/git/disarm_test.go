package git_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/git"
)

func TestWithoutPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"https://bob:hunter2@example.com/x":              "https://example.com/x",
		"fatal: 'https://token@example.com/x' not found": "fatal: 'https://example.com/x' not found",
		"ssh://git@example.com/x":                        "ssh://git@example.com/x",
		"ssh://git:word@example.com/x http://a@b":        "ssh://git@example.com/x http://b",
		"https://example.com/a@b":                        "https://example.com/a@b",
		"://@://":                                        "://@://",
		"git@example.com:x":                              "git@example.com:x",
	} {
		if got := git.WithoutPasswords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What the repository's configuration sets is overruled, and told.
func TestDisarm(t *testing.T) {
	w := newTree(t, "a.txt")
	for key, value := range map[string]string{"filter.x.clean": "false", "http.proxy": "http://x", "remote.o.vcs": "y", "user.name": "Local", "core.sshCommand": "z"} {
		w.git("config", key, value)
	}
	r := w.open(".")
	s, err := r.Disarm(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(s.Off)
	slices.Sort(s.Refused)
	if !slices.Equal(s.Off, []string{"core.sshcommand", "filter.x.clean"}) || !slices.Equal(s.Filters, []string{"x"}) || !slices.Equal(s.Refused, []string{"http.proxy", "remote.o.vcs"}) || s.Unnamable != "" {
		t.Errorf("%+v", s)
	}
	out, err := r.Run(t.Context(), git.Call{Args: []string{"config", "--get", "filter.x.clean"}})
	if err != nil || string(out) != "\n" {
		t.Errorf("the filter is %q, %v", out, err)
	}
	_, err = r.Run(t.Context(), git.Call{Args: []string{"ls-remote", "https://127.0.0.1:1/x"}})
	if failed, ok := errors.AsType[*git.Failure](err); !ok || failed.Code == 0 {
		t.Errorf("another machine is spoken to: %v", err)
	}
	w.git("config", "filter.a=b.clean", "x")
	if s, err = r.Disarm(t.Context()); err != nil || s.Unnamable == "" {
		t.Errorf("%+v, %v", s, err)
	}
}
