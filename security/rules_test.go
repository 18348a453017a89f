package security_test

import (
	"testing"

	"github.com/dougu-go/dougu/security"
)

func TestDefaultBlocked_Files(t *testing.T) {
	blocked := map[string]bool{
		".env": true, "api/.env.production": true, ".env.example": false, ".envrc": false, "id_rsa": true, "id_ed25519": true,
		"id_ed25519.pub": false, "server.key": true, "keys.go": false, ".npmrc": true, "home/.netrc": true, "terraform.tfstate": true,
		".docker/config.json": true, "config.json": false, ".kube/config": true, ".git/config": false, ".git-credentials": true, "main.go": false,
	}
	for name, want := range blocked {
		if got := security.Match(security.DefaultBlocked(), name); got != want {
			t.Errorf("%q is blocked: %v, want %v", name, got, want)
		}
	}
	for _, list := range [][]string{security.DefaultBlocked(), security.DefaultProtected()} {
		for _, source := range list {
			if !security.Valid(source) {
				t.Errorf("%q is malformed", source)
			}
		}
	}
}

func TestRootOptions_ExtendedRules(t *testing.T) {
	o := quick
	o.Blocked = append(security.DefaultBlocked(), "/private/**", "!.env.test")
	o.Protected = []string{}
	r := open(t, o, layout(t, map[string]string{".env.test": "fine", ".env": "no", "private/x": "no", ".git/config": "old"}))
	if got := read(t, r, ".env.test"); got != "fine" {
		t.Errorf("read %q", got)
	}
	for _, name := range []string{".env", "private/x"} {
		if _, err := r.Open(t.Context(), name); asError(t, err).Reason != security.BlockedPattern {
			t.Errorf("open %q: %v", name, err)
		}
	}
	if _, err := r.Write(t.Context(), ".git/config", []byte("new"), security.WriteOptions{Overwrite: true}); err != nil {
		t.Errorf("nothing is protected, but %v", err)
	}
	if _, err := r.Write(t.Context(), ".dougu-backup/x", []byte("new"), security.WriteOptions{CreateDirs: true}); asError(t, err).Reason != security.ProtectedFile {
		t.Errorf("backups are always protected, but %v", err)
	}
}
