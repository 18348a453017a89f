package redact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/redact"
)

// web is a JSON Web Token of no value.
const web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl_-x"

func TestRedactor_SecretsInText(t *testing.T) {
	body := strings.Repeat("aB3", 14)
	tests := []struct{ text, want string }{
		{"nothing to hide", "nothing to hide"},
		{"", ""},
		{"Authorization: Bearer " + body, "Authorization: [redacted]"},
		{"authorization=Basic dXNlcjpwYXNz", "authorization=[redacted]"},
		{"curl -H 'Authorization: Bearer abc12345'", "curl -H 'Authorization: [redacted]'"},
		{"sent Bearer abcdefgh1 along", "sent Bearer [redacted] along"},
		{"sent Basic dXNlcjpwYXNz along", "sent Basic [redacted] along"},
		{"Basic authentication and bearer certificates", "Basic authentication and bearer certificates"},
		{"token " + web + " end", "token [redacted] end"},
		{"eyJ.eyJ.eyJ", "eyJ.eyJ.eyJ"},
		{"AKIAIOSFODNN7EXAMPLE", "[redacted]"},
		{"key AIza" + body, "key [redacted]"},
		{"ghp_" + body + ",next", "[redacted],next"},
		{"(github_pat_" + body + ")", "([redacted])"},
		{"glpat-" + body, "[redacted]"},
		{"xoxb-1234567890-abc", "[redacted]"},
		{"sk-proj-" + body, "[redacted]"},
		{"sk-ant-api03-" + body, "[redacted]"},
		{"npm_" + body, "[redacted]"},
		{"risk-taking is a task-force matter: desk-" + body, "risk-taking is a task-force matter: desk-" + body},
		{"ghp_short", "ghp_short"},
		{"postgres://admin:s3cret@db.example/x", "postgres://admin:[redacted]@db.example/x"},
		{"https://" + body + "@github.com/x", "https://[redacted]@github.com/x"},
		{"https://user@example.com/x", "https://user@example.com/x"},
		{"https://example.com/a:b@c", "https://example.com/a:b@c"},
		{"http://host:8080/x", "http://host:8080/x"},
		{"password=hunter2&user=ada", "password=[redacted]&user=ada"},
		{"DB_PASSWORD = hunter2", "DB_PASSWORD = [redacted]"},
		{`{"apiKey": "abc", "n": 1}`, `{"apiKey": "[redacted]", "n": 1}`},
		{`{"apiKey": "a\"bc", "n": 1}`, `{"apiKey": "[redacted]", "n": 1}`},
		{`client_secret: 'abc def'`, `client_secret: '[redacted]'`},
		{`secret: "unclosed`, `secret: "[redacted]`},
		{`secret: ""`, `secret: ""`},
		{"secret:", "secret:"},
		{"secret: ", "secret: "},
		{"--token=abc --x", "--token=[redacted] --x"},
		{"X-Api-Key: abc", "X-Api-Key: [redacted]"},
		{"maxTokens=100 author: ada", "maxTokens=100 author: ada"},
		{"a :: b = c", "a :: b = c"},
		{"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "[redacted]"},
		{"-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----", "[redacted]"},
		{"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"},
		{"-----BEGIN", "-----BEGIN"},
		{"日本語 password=ひみつ 終", "日本語 password=[redacted] 終"},
	}
	var r *redact.Redactor
	for _, tt := range tests {
		if got := r.Redact(tt.text); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestRedactor_SecretNames(t *testing.T) {
	r := redact.New(redact.Options{Keys: []string{"Blood-Type", ""}})
	for name, want := range map[string]bool{
		"password": true, "userPassword": true, "PASSWD": true, "token": true, "access_token": true, "csrf-token": true, "apiKey": true,
		"X-API-Key": true, "Authorization": true, "client_secret": true, "Set-Cookie": true, "AWS_SECRET_ACCESS_KEY": true, "private.key": true,
		"blood_type": true, "myBloodType2": true,
		"tokens": false, "maxTokens": false, "tokenUsage": false, "author": false, "key": false, "path": false, "": false, "keyboard": false,
	} {
		if got := r.SecretKey(name); got != want {
			t.Errorf("%q is secret: %v, want %v", name, got, want)
		}
	}
}

func TestRedactor_SecretsInJSON(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct{ text, want string }{
		{`{"path":"a","password":"b"}`, `{"password":"[redacted]","path":"a"}`},
		{`{"credentials":{"user":"a","pin":1234,"ok":true,"none":null,"list":["x",""]}}`, `{"credentials":{"list":["[redacted]",""],"none":null,"ok":true,"pin":"[redacted]","user":"[redacted]"}}`},
		{`{"big":12345678901234567890,"small":0.1}`, `{"big":12345678901234567890,"small":0.1}`},
		{`["<a&b>","Bearer abcdefgh1"]`, `["<a&b>","Bearer [redacted]"]`},
		{`"` + long + `"`, `"` + strings.Repeat("x", 256) + `… [300 bytes, sha256 08c9e20ef76b3ae7]"`},
		{`{"broken":`, `"{\"broken\":"`},
		{`{} trailing`, `"{} trailing"`},
		{`null`, `null`},
	}
	var r *redact.Redactor
	for _, tt := range tests {
		got := string(r.JSON([]byte(tt.text)))
		if strings.HasPrefix(tt.text, `"xxx`) { // the digest is the one of this text, whatever it is
			got, tt.want = got[:280], tt.want[:280]
		}
		if got != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestRedactor_LongValues cuts a text in the middle of a secret.
func TestRedactor_LongValues(t *testing.T) {
	r := redact.New(redact.Options{MaxValue: 20})
	text := "key is ghp_" + strings.Repeat("a", 40) + " and so on"
	if got := r.Text(text); !strings.HasPrefix(got, "key is [redacted]") || strings.Contains(got, "ghp_") || !strings.Contains(got, "[61 bytes, sha256 ") {
		t.Errorf("%q becomes %q", text, got)
	}
	if a, b := r.Shorten(strings.Repeat("é", 15)+"a"), r.Shorten(strings.Repeat("é", 15)+"b"); a == b || !strings.HasPrefix(a, strings.Repeat("é", 10)+"…") {
		t.Errorf("%q and %q", a, b)
	}
	if got := r.Shorten("short"); got != "short" {
		t.Errorf("a short value becomes %q", got)
	}
	if got := r.Text("short"); got != "short" {
		t.Errorf("a short value becomes %q", got)
	}
}

// FuzzRedactor checks that nothing that is known to be secret comes through, that JSON stays JSON, and that doing it twice
// changes nothing.
func FuzzRedactor(f *testing.F) {
	for _, seed := range []string{"", "password=", "Bearer ", "://a:b@", `{"a":1}`, "-----BEGIN PRIVATE KEY-----", "eyJ-eyJ-eyJ", `"'=:`, "\xff", "basic =="} {
		f.Add(seed, seed)
	}
	const key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	f.Fuzz(func(t *testing.T, before, after string) {
		var r *redact.Redactor
		if got := r.Redact(before + " " + key + " " + after); strings.Contains(got, key) {
			t.Errorf("%q lets the key through: %q", before, got)
		}
		once := r.Redact(before)
		if twice := r.Redact(once); twice != once {
			t.Errorf("%q becomes %q and then %q", before, once, twice)
		}
		if got := r.JSON([]byte(before)); !json.Valid(got) {
			t.Errorf("%q becomes %q", before, got)
		}
	})
}
