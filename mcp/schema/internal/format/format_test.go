package format_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/dougu-go/dougu/mcp/schema/internal/format"
)

var samples = map[string][]string{
	"date-time": {
		"2026-08-21T10:00:00Z", "2026-08-21t10:00:00z", "2026-08-21T10:00:00.5+02:00", "2026-08-21T23:59:60Z", "2026-08-21T10:00:60Z", "2026-08-21T24:00:00Z",
		"2026-08-21T10:60:00Z", "2026-02-30T10:00:00Z", "2026-08-21 10:00:00Z", "2026-08-21T10:00:00", "2026-08-21T10:0a:00Z", "2026-08-21T10-00:00Z", "",
		"2026-08-21T01:29:60+01:30", "2026-08-21",
	},
	"date": {
		"2026-08-21", "2024-02-29", "2026-02-29", "2000-02-29", "1900-02-29", "0000-01-01", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "2026-4-3",
		"2026/01/01", "26-01-01", "2026-01-0a", "20a6-01-01", "2026-0a-01", "",
	},
	"time": {
		"10:00:00Z", "10:00:00z", "10:00:00", "10:00:00.123Z", "10:00:00.Z", "10:00:00.5", "10:00:61Z", "23:59:60Z", "23:59:60+00:00", "15:59:60-08:00", "15:59:60-09:00",
		"00:29:60+00:30", "00:28:60+00:30", "10:00:00+24:00", "10:00:00*01:00", "10:00:00+0100", "10:00:00Zx", "1:00:00Z", "10:00:0aZ", "10.00:00Z", "",
	},
	"duration": {
		"PT1M", "P1W", "P1Y2M3D", "P1YT1S", "PT1H2M3S", "P1Y2M3DT4H5M6S", "P12W", "PT36H", "1m", "P", "PT", "P1", "P1YT", "PT1D", "P1H", "P1Y1D", "PT1H1S", "P1D1Y", "P1W1D",
		"PW", "P1YW", "P-1D", "P1.5D", "P1Y1Y", "T1H", "",
	},
	"period": {
		"2026-08-21T10:00:00Z/P1D", "P1D/2026-08-21T10:00:00Z", "2026-08-21T10:00:00Z/2026-08-22T10:00:00Z", "P1D/P1D", "2026-08-21T10:00:00Z", "/", "2026-08-21T10:00:00Z/", "",
	},
	"uuid": {
		"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-42661417400F", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g",
		"123e4567-e89b-12d3-a456-4266141740000", "123e4567_e89b-12d3-a456-426614174000", "",
	},
	"email": {
		"a@b.c", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@[IPv6:127.0.0.1]", "a@[", "a@[]", "a", "@b", "a@", "a b@c", `"a b"@c`, `"a\"b"@c`, `"a"b"@c`, `"a\"@c`, `"a@c`, "a.b@c", "a..b@c", ".a@c", "a.@c", "é@c", "a,b@c", "a+b!#$%&'*/=?^_`{|}~-@c", "a@b_c", strings.Repeat("a", 64) + "@b",
		strings.Repeat("a", 65) + "@b", strings.Repeat("a", 255), "",
	},
	"hostname": {
		"a.b", "a.b.", "-a", "a-", "a..b", "a-b.c", "1.2", "a_b", "é", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a", strings.Repeat("a.", 126) + "a", ".", "",
	},
	"ipv4":          {"127.0.0.1", "255.255.255.255", "256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "::1", "a.b.c.d", ""},
	"ip-address":    {"127.0.0.1", "1.2.3"},
	"ipv6":          {"::1", "fe80::1%eth0", "2001:db8::1", "1.2.3.4", "::ffff:1.2.3.4", ":::", "1:2:3:4:5:6:7:8:9", ""},
	"uri":           {"http://a/b", "/a", "data:text/plain,x", "http://[::1]:80/", "http://[::x]/", "http://::1/", "http://a:b", "://", ""},
	"iri":           {"http://é/é", "é"},
	"uri-reference": {"http://a/b", "/a", "a", `\a`, "%zz", ""},
	"uriref":        {"/a"},
	"iri-reference": {"é"},
	"uri-template":  {"http://a/{b}", "/{a}/{b}", "/{a", "/a}", "/{{a}}", "/{a/b}", "%zz", ""},
	"json-pointer":  {"", "/", "/a/b", "/~0~1", "a", "/~", "/~2", "/~/0", "#/a"},
	"relative-json-pointer": {
		"0", "1/a", "0#", "12/~1", "00", "01", "/a", "-1", "1a", "",
	},
	"regex": {"^a+$", "a(", "(?=a)", ""},
}

func TestCheck_AgreesWithReference(t *testing.T) {
	t.Parallel()
	for name, valid := range jsonschema.Formats {
		ours := format.Named(name)
		if ours == nil || len(samples[name]) == 0 {
			t.Errorf("format %s: not known, or without samples", name)
			continue
		}
		for _, s := range samples[name] {
			if got, want := ours(s), valid(s); got != want {
				t.Errorf("%s of %q: got %v, the reference says %v", name, s, got, want)
			}
		}
	}
	if format.Named("made-up") != nil {
		t.Error("a format that nobody knows is checked")
	}
}

// Texts that the reference accepts although they violate the format.
func TestCheck_StricterThanReference(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{"ipv4": "+1.2.3.4", "hostname": "a.-b", "time": "+1:00:00Z", "regex": strings.Repeat("a", 5000)} {
		if format.Named(name)(s) {
			t.Errorf("%s of %.20q was accepted", name, s)
		}
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	for name := range samples {
		if m := format.Meaning(name); !strings.HasPrefix(m, "a ") && !strings.HasPrefix(m, "an ") {
			t.Errorf("%s is %q", name, m)
		}
	}
}

func FuzzAcceptedByTheReferenceToo(f *testing.F) {
	for name, all := range samples {
		for _, s := range all {
			f.Add(name, s)
		}
	}
	f.Fuzz(func(t *testing.T, name, s string) {
		ours, valid := format.Named(name), jsonschema.Formats[name]
		if (ours == nil) != (valid == nil) {
			t.Fatalf("format %q is known to one only", name)
		}
		if ours != nil && ours(s) && !valid(s) {
			t.Fatalf("%s of %q: the reference refuses it", name, s)
		}
	})
}
