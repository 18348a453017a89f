package security_test

import (
	"testing"

	"github.com/dougu-go/dougu/security"
)

func TestFindSecret(t *testing.T) {
	var r *security.Redactor
	for line, want := range map[string]string{
		"token := strings.TrimSpace(text)":            "",
		"password: string;":                           "",
		"if (password == null) return":                "",
		`apiKey = os.Getenv("API_KEY_2")`:             "",
		`password = "${DB_PASSWORD}"`:                 "",
		`password = "your-password-1"`:                "",
		`"api_key": "hunter2hunter2"`:                 "hunter2hunter2",
		"DB_PASSWORD=s3cr3tPassw0rd":                  "s3cr3tPassw0rd",
		"aws AKIAIOSFODNN7ABCDEFG here":               "AKIAIOSFODNN7ABCDEFG",
		"aws AKIAIOSFODNN7EXAMPLE here":               "",
		"https://bob:hunter2@db.test/x":               "hunter2",
		"x = 1; ghp_0123456789abcdefghij0123456789ab": "ghp_0123456789abcdefghij0123456789ab",
		"-----BEGIN RSA PRIVATE KEY-----":             "-----BEGIN RSA PRIVATE KEY-----",
		"":                                            "",
	} {
		start, end := r.FindSecret(line)
		if got := line[start:end]; got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
