package cursorcli

import (
	"strings"
	"testing"
)

// Shells complete the values of settings and profiles.
func TestCompletion_SettingsAndProfiles(t *testing.T) {
	for _, tc := range []struct{ words, want string }{
		{"-logging-level w", "warn"},
		{"-log-level=e", "-log-level=error"},
		{"-profile cursorcli-", "cursorcli-editor cursorcli-strict"},
		{"-logging-outputs cur", "cursor-output-panel"},
		{"config -server-n", "-server-name"},
	} {
		var out strings.Builder
		app := newApp(func() []string { return nil }, Options{Sandbox: helper})
		app.Stdout, app.Stderr = &out, &out
		if code := app.Run(t.Context(), append([]string{"__complete"}, strings.Fields(tc.words)...)); code != 0 {
			t.Errorf("%s: exit code %d", tc.words, code)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			text, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, text)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", tc.words, got, tc.want)
		}
	}
}
