package git

import (
	"context"
	"strings"
)

// Remote returns the URL of a remote such as "origin", without user and password. It is "" if there is no such remote.
func (r *Repository) Remote(ctx context.Context, name string) string {
	out, err := r.run(ctx, timeout, "config", "--get", "remote."+name+".url")
	if err != nil {
		return ""
	}
	url, _, _ := strings.Cut(string(out), "\n")
	return WithoutPasswords(strings.TrimSpace(url))
}

// WithoutPasswords returns a text without the user names in its http URLs, which often are tokens, and without the passwords of
// other URLs.
func WithoutPasswords(text string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			break
		}
		at += len("://")
		head, rest := text[:at], text[at:]
		end := strings.IndexFunc(rest, func(c rune) bool { return c <= ' ' || strings.ContainsRune("/?#\"'<>`", c) })
		if end < 0 {
			end = len(rest)
		}
		out.WriteString(head)
		if user := strings.LastIndexByte(rest[:end], '@'); user >= 0 {
			name, _, _ := strings.Cut(rest[:user], ":")
			if !strings.HasSuffix(strings.ToLower(strings.TrimSuffix(head, "://")), "http") && !strings.HasSuffix(strings.ToLower(strings.TrimSuffix(head, "://")), "https") {
				out.WriteString(name + "@")
			}
			rest, end = rest[user+1:], end-user-1
		}
		out.WriteString(rest[:end])
		text = rest[end:]
	}
	out.WriteString(text)
	return out.String()
}
