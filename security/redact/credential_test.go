package redact_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/redact"
)

// Sentences about secrets hold none and stay as they are.
func TestRedact_Sentences(t *testing.T) {
	var r *redact.Redactor
	for _, sentence := range []string{
		"the token is missing",
		"password: must not be empty",
		"password: it must not be empty",
		"token: not found in the environment",
		"secret: no value is set",
		"apiKey: required",
		"api key: is required by the provider",
		"the password is wrong: try again",
		"invalid token: the signature does not match",
		"access token: expired",
		"authorization: the server refuses the client",
		"Authorization: missing",
		"authorization failed: no header was sent",
		"bearer authentication is required",
		"Bearer tokens are checked first",
		"basic authentication is not supported",
		"reading the token: open /home/ada/.config/token: no such file or directory",
		"read the password: permission denied",
		"fetching the token: connection refused",
		"exchange the token: context deadline exceeded",
		"there is no token: set security.authentication.tokenSecret",
		"GITHUB_TOKEN: the variable is not set",
		"secret: invalid length, 32 bytes are needed",
		"private key: cannot be parsed",
		"decode the private key: unexpected end of input",
		"the cookie: none was sent",
		"credentials: none",
		"passphrase: too short",
		"it asks for a token, and has no token",
		"a key is no secret, and a keyboard has many keys",
		"token: unknown, so the request is refused",
		"oauth token: the issuer does not answer",
		"unexpected token: '}' at line 3",
		"the secret: cannot be read",
		"the secret and the password are kept in the keyring",
	} {
		if got := r.Redact(sentence); got != sentence {
			t.Errorf("%q becomes %q", sentence, got)
		}
	}
}

// Secrets are hidden, whatever stands around them.
func TestRedact_Secrets(t *testing.T) {
	body := strings.Repeat("aB3", 14)
	var r *redact.Redactor
	for text, secret := range map[string]string{
		"password: hunter2":                                   "hunter2",
		"password: correct horse battery staple":              "correct",
		"password: required9":                                 "required9",
		"password=missing":                                    "missing",
		"PGPASSWORD=empty psql":                               "empty",
		`{"password": "missing"}`:                             "missing",
		"password: 'not found'":                               "not found",
		"password: the-Eagle-has-landed":                      "Eagle",
		"password: no":                                        "password: no",
		"token: abcdefghijklmnop":                             "abcdefghijklmnop",
		"the token: s3cr3t":                                   "s3cr3t",
		"secret: Tr0ub4dor&3":                                 "Tr0ub4dor",
		"client_secret: is7f9a8b6c":                           "is7f9a8b6c",
		"apiKey: " + body:                                     body,
		"Authorization: Bearer " + body:                       body,
		"Authorization: Basic dXNlcjpwYXNz":                   "dXNlcjpwYXNz",
		"authorization: Digest username=ada":                  "ada",
		"Authorization: missing" + body:                       body,
		"sent Bearer abcdefgh1 along":                         "abcdefgh1",
		"the token is ghp_" + body:                            body,
		"token: not " + "ghp_" + body:                         body,
		"password: the sk-proj-" + body + " key":              body,
		"secret: invalid glpat-" + body:                       body,
		"X-Api-Key: abc123":                                   "abc123",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfi":  "wJalr",
		"cookie: sid=31d4d96e407aad42":                        "31d4d96e407aad42",
		"Authorization: ApiKey abcDEF123456secret":            "abcDEF123456secret",
		"Authorization: Bearer  \tabcdefgh12":                 "abcdefgh12",
		`curl -H "Authorization: SSWS 00aB" https://x`:        "00aB",
		`Authorization: Digest username="a", response="6629"`: "6629",
		"Cookie: theme=dark; sid=31d4d96e":                    "31d4d96e",
		`{\"password\":\"hunter2\",\"a\":1}`:                  "hunter2",
		"postgres://me:p@ssw0rd@host/db":                      "ssw0rd",
		"KEY_PASSWORD=-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----\n": "b3BlbnNzaC1r",
		"private_key: -----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKC\n":                                        "MIIEpAIBAAKC",
		"pwd: letmein":                "letmein",
		"postgres://ada:missing@db/x": "missing",
		"passphrase: open sesame":     "open",
		"password: permission":        "permission",
		"token: the":                  "token: the",
	} {
		if got := r.Redact(text); strings.Contains(got, secret) {
			t.Errorf("%q shows its secret: %q", text, got)
		}
	}
}

func TestRedactor_FindSecret(t *testing.T) {
	var r *redact.Redactor
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

func TestRedactor_SecretVariable(t *testing.T) {
	var r *redact.Redactor
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
