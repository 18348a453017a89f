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

func TestSecretVariable(t *testing.T) {
	var r *security.Redactor
	for variable, want := range map[[2]string]bool{
		{"DB_PASS", "x"}: true, {"SSHPASS", "x"}: true, {"MY_PAT", "x"}: true, {"ANTHROPIC_KEY", "x"}: true, {"CREDS", "{}"}: true, {"SENTRY_DSN", "x"}: true,
		{"SLACK_WEBHOOK", "x"}: true, {"OPENAI_API_KEY", "x"}: true, {"stripe", "sk_live_0123456789abcdefghijABCD"}: true, {"CI_JOB", "glpat-0123456789abcdefghij"}: true,
		{"GCP", "AIzaSyA0123456789abcdefghijklmnopqrstuv"}: true, {"X", "Server=db;Password=hunter2hunter2"}: true,
		{"PATH", "/usr/bin:/bin"}: false, {"KEYBOARD", "us"}: false, {"COMPASS", "x"}: false, {"PATTERN", "a*"}: false, {"LS_COLORS", "rs=0:di=01;34:ln=01;36"}: false,
		{"MONKEY", "x"}: false, {"AWS_REGION", "eu-1"}: false, {"GOFLAGS", "-mod=mod"}: false, {"MAX_TOKENS", "9"}: false,
	} {
		if got := r.SecretVariable(variable[0], variable[1]); got != want {
			t.Errorf("%s=%s: %v, want %v", variable[0], variable[1], got, want)
		}
	}
}
