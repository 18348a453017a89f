package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/trust"
)

func request(file, key, value string) config.Request {
	return config.Request{File: file, Key: key, Value: value}
}

// configHome is an environment with a new directory for settings.
func configHome(t *testing.T) func(string) string {
	dir := t.TempDir()
	return func(name string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[name] }
}

func TestStore_ApprovalIsForOneValueOfOneFile(t *testing.T) {
	home, project := configHome(t), t.TempDir()
	file := filepath.Join(project, "settings.yaml")
	s := trust.New("program", home)
	if s.Approved(file, "key", `"a"`) {
		t.Error("an empty store approves")
	}
	if err := s.Approve(t.Context(), request(file, "key", `"a"`)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		store            *trust.Store
		file, key, value string
		want             bool
	}{
		"the same":        {s, file, "key", `"a"`, true},
		"a later process": {trust.New("program", home), file, "key", `"a"`, true},
		"another value":   {s, file, "key", `"b"`, false},
		"another key":     {s, file, "key2", `"a"`, false},
		"another file":    {s, filepath.Join(t.TempDir(), "settings.yaml"), "key", `"a"`, false},
		"another program": {trust.New("other", home), file, "key", `"a"`, false},
		"no home":         {trust.New("program", func(string) string { return "" }), file, "key", `"a"`, false},
	} {
		if got := test.store.Approved(test.file, test.key, test.value); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	info, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("the mode of the file is %v", info.Mode())
	}
}

// A link to an approved file is another file: the same value means something else in its directory.
func TestStore_ApprovalIsForOneDirectory(t *testing.T) {
	home, project := configHome(t), t.TempDir()
	below := filepath.Join(project, "below")
	file, link := filepath.Join(below, "settings.yaml"), filepath.Join(project, "settings.yaml")
	if err := errors.Join(os.Mkdir(below, 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(file, link), os.Symlink(below, filepath.Join(project, "same"))); err != nil {
		t.Skip("there are no links: ", err)
	}
	s := trust.New("program", home)
	if err := s.Approve(t.Context(), request(file, "key", "1")); err != nil {
		t.Fatal(err)
	}
	if s.Approved(link, "key", "1") {
		t.Error("a link to the file is approved")
	}
	if !s.Approved(filepath.Join(project, "same", "settings.yaml"), "key", "1") {
		t.Error("the file is not approved by way of a link to its directory")
	}
}

func TestStore_Revoke(t *testing.T) {
	home := configHome(t)
	s, other := trust.New("program", home), trust.New("other", home)
	if err := s.Approve(t.Context(), request("/p/a", "x", "1"), request("/p/a", "y", "2"), request("/p/b", "x", "1")); err != nil {
		t.Fatal(err)
	}
	if err := other.Approve(t.Context(), request("/p/a", "x", "1")); err != nil {
		t.Fatal(err)
	}
	n, err := s.Revoke(t.Context(), "/p/a")
	if n != 2 || err != nil {
		t.Errorf("%d approvals are revoked, %v", n, err)
	}
	if s.Approved("/p/a", "x", "1") || !s.Approved("/p/b", "x", "1") || !other.Approved("/p/a", "x", "1") {
		t.Error("the wrong approvals are left")
	}
}

func TestStore_DamagedFileApprovesNothingAndStays(t *testing.T) {
	for name, text := range map[string]string{"no JSON": `{"approved`, "later version": `{"version": 2}`, "empty": ""} {
		t.Run(name, func(t *testing.T) {
			s := trust.New("program", configHome(t))
			if err := os.MkdirAll(filepath.Dir(s.Path()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.Path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if s.Approved("/p/a", "x", "1") {
				t.Error("it approves")
			}
			if err := s.Approve(t.Context(), request("/p/a", "x", "1")); err == nil {
				t.Error("it is overwritten")
			}
			if got, err := os.ReadFile(s.Path()); string(got) != text {
				t.Errorf("the file has %q, %v", got, err)
			}
		})
	}
}

func TestStore_ChangesAtTheSameTime(t *testing.T) {
	home := configHome(t)
	const n = 8
	var all group.Group
	for i := range n {
		all.Go(func() {
			if err := trust.New("program", home).Approve(t.Context(), request("/p", string(rune('a'+i)), "1")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range n {
		if !trust.New("program", home).Approved("/p", string(rune('a'+i)), "1") {
			t.Errorf("the approval %d is lost", i)
		}
	}
}
