package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	reference "github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/mcp/schema"
)

// The formats that are checked without the reference validator agree with it,
// except that IPv4 addresses have no signs in them.
func TestFormats_AgreeWithReference(t *testing.T) {
	t.Parallel()
	for name, samples := range map[string][]string{
		"date-time": {
			"2026-08-21T10:00:00Z", "2026-08-21t10:00:00z", "2026-08-21T10:00:00.5+02:00", "2026-08-21T23:59:60Z", "2026-08-21T10:00:60Z", "2026-08-21T24:00:00Z",
			"2026-08-21T10:60:00Z", "2026-02-30T10:00:00Z", "2026-08-21 10:00:00Z", "2026-08-21T10:00:00", "2026-08-21T10:0a:00Z", "2026-08-21T10-00:00Z", "",
			"2026-08-21T01:29:60+01:30",
		},
		"date":     {"2026-08-21", "2024-02-29", "2026-02-29", "2000-02-29", "1900-02-29", "0000-01-01", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "2026-4-3", "2026/01/01", "26-01-01", "2026-01-0a", ""},
		"uuid":     {"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-42661417400F", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-4266141740000", "123e4567_e89b-12d3-a456-426614174000", ""},
		"ipv4":     {"127.0.0.1", "255.255.255.255", "256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "::1", "a.b.c.d", ""},
		"ipv6":     {"::1", "fe80::1%eth0", "2001:db8::1", "1.2.3.4", "::ffff:1.2.3.4", ":::", "1:2:3:4:5:6:7:8:9", ""},
		"email":    {"a@b.c", "a@[127.0.0.1]", "a", "@b"},
		"uri":      {"http://a/b", "/a", "data:text/plain,x", "://"},
		"hostname": {"a.b", "-a", "a..b", strings.Repeat("a", 64)},
		"regex":    {"^a+$", "a("},
		"duration": {"PT1M", "P1W", "1m"},
		"made-up":  {"anything"},
	} {
		s, err := schema.Compile(fmt.Appendf(nil, `{"type":"string","format":%q}`, name), schema.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range samples {
			want := true
			if valid := reference.Formats[name]; valid != nil {
				want = valid(sample)
			}
			text, err := json.Marshal(sample)
			if err != nil {
				t.Fatal(err)
			}
			err = s.Check(text)
			if (err == nil) != want {
				t.Errorf("%s of %q: got %v, the reference says %v", name, sample, err, want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "must be a") {
				t.Errorf("%s of %q: %v", name, sample, err)
			}
		}
	}
}

func TestFormats_HostileText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"duration": "P" + strings.Repeat("1Y", 1<<20),
		"regex":    strings.Repeat("(a{1000}){1000}", 1000),
		"email":    strings.Repeat("a", 1<<20) + "@b",
		"ipv6":     strings.Repeat(":", 1<<20),
		"period":   strings.Repeat("P1Y/", 1<<18),
	} {
		s, err := schema.Compile(fmt.Appendf(nil, `{"format":%q}`, name), schema.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Check(fmt.Appendf(nil, "%q", text)) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
