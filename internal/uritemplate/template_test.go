package uritemplate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/uritemplate"
)

func parse(t *testing.T, text string) *uritemplate.Template {
	t.Helper()
	tmpl, err := uritemplate.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tmpl
}

// TestExpand checks the examples of RFC 6570 §1.2 and §3.2, without associative arrays.
func TestExpand(t *testing.T) {
	values := map[string][]string{
		"count": {"one", "two", "three"}, "dom": {"example", "com"}, "dub": {"me/too"}, "hello": {"Hello World!"},
		"half": {"50%"}, "var": {"value"}, "who": {"fred"}, "base": {"http://example.com/home/"}, "path": {"/foo/bar"},
		"list": {"red", "green", "blue"}, "v": {"6"}, "x": {"1024"}, "y": {"768"}, "empty": {""}, "undef": {},
	}
	for text, want := range map[string]string{
		"{var}": "value", "{hello}": "Hello%20World%21", "{half}": "50%25", "O{empty}X": "OX", "O{undef}X": "OX",
		"{x,y}": "1024,768", "{x,hello,y}": "1024,Hello%20World%21,768", "?{x,empty}": "?1024,", "?{x,undef}": "?1024", "?{undef,y}": "?768",
		"{var:3}": "val", "{var:30}": "value", "{list}": "red,green,blue", "{list*}": "red,green,blue",
		"{+var}": "value", "{+hello}": "Hello%20World!", "{+half}": "50%25", "{base}index": "http%3A%2F%2Fexample.com%2Fhome%2Findex",
		"{+base}index": "http://example.com/home/index", "O{+empty}X": "OX", "O{+undef}X": "OX", "{+path}/here": "/foo/bar/here",
		"here?ref={+path}": "here?ref=/foo/bar", "up{+path}{var}/here": "up/foo/barvalue/here", "{+x,hello,y}": "1024,Hello%20World!,768",
		"{+path:6}/here": "/foo/b/here", "{+list*}": "red,green,blue",
		"{#var}": "#value", "{#hello}": "#Hello%20World!", "foo{#empty}": "foo#", "foo{#undef}": "foo", "{#path,x}/here": "#/foo/bar,1024/here", "{#list}": "#red,green,blue",
		"{.who}": ".fred", "{.who,who}": ".fred.fred", "{.half,who}": ".50%25.fred", "www{.dom*}": "www.example.com", "X{.var}": "X.value", "X{.empty}": "X.", "X{.undef}": "X", "X{.list}": "X.red,green,blue",
		"{/who}": "/fred", "{/half,who}": "/50%25/fred", "{/who,dub}": "/fred/me%2Ftoo", "{/var,empty}": "/value/", "{/var,undef}": "/value", "{/var:1,var}": "/v/value", "{/list*}": "/red/green/blue", "{/list*,path:4}": "/red/green/blue/%2Ffoo",
		"{;who}": ";who=fred", "{;half}": ";half=50%25", "{;empty}": ";empty", "{;v,empty,who}": ";v=6;empty;who=fred", "{;v,bar,who}": ";v=6;who=fred", "{;x,y,undef}": ";x=1024;y=768", "{;hello:5}": ";hello=Hello", "{;list}": ";list=red,green,blue", "{;list*}": ";list=red;list=green;list=blue",
		"{?who}": "?who=fred", "{?x,y}": "?x=1024&y=768", "{?x,y,empty}": "?x=1024&y=768&empty=", "{?x,y,undef}": "?x=1024&y=768", "{?var:3}": "?var=val", "{?list}": "?list=red,green,blue", "{?list*}": "?list=red&list=green&list=blue",
		"?fixed=yes{&x}": "?fixed=yes&x=1024", "{&x,y,empty}": "&x=1024&y=768&empty=", "{&list*}": "&list=red&list=green&list=blue",
		"/caf\u00e9/it's%20so": "/caf%C3%A9/it's%20so",
	} {
		if got := parse(t, text).Expand(values); got != want {
			t.Errorf("%s expands to %s, want %s", text, got, want)
		}
	}
	if got := parse(t, "{a}").Expand(map[string][]string{"a": {"\xff"}}); got != "%EF%BF%BD" {
		t.Errorf("bytes that are not text expand to %s", got)
	}
}

func TestParse_Invalid(t *testing.T) {
	for text, want := range map[string]string{
		"{a":                       "not closed",
		"a}":                       "not opened",
		"{a{b}}":                   "not a name",
		"{}":                       "is empty",
		"{=a}":                     "reserved",
		"{a,}":                     "not a name",
		"{+}":                      "not a name",
		"{a b}":                    "not a name",
		"{a..b}":                   "not a name",
		"{%4}":                     "not a name",
		"{a:0}":                    "not a number",
		"{a:+1}":                   "not a number",
		"{a:10000}":                "not a number",
		"a b":                      "percent-encoded",
		"a%2":                      "hexadecimal",
		"a\xff":                    "UTF-8",
		strings.Repeat("x", 2049):  "2049 bytes",
		strings.Repeat("{a}/", 65): "64 variables",
	} {
		if _, err := uritemplate.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

func TestTemplate_VariablesAndLiterals(t *testing.T) {
	tmpl := parse(t, "db://{+%41.b}/x{/list*}")
	if got := tmpl.Variables(); !slices.Equal(got, []uritemplate.Variable{{Name: "%41.b"}, {Name: "list", List: true}}) || tmpl.Literals() != 7 || tmpl.String() != "db://{+%41.b}/x{/list*}" {
		t.Errorf("%v, %d literal bytes", got, tmpl.Literals())
	}
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		template, uri string
		want          string // as name=value|value, sorted, separated by spaces; "no" for none
	}{
		{"a:{x}", "a:1", "x=1"},
		{"a:{x}", "b:1", "no"},
		{"a:{x}", "a:", "no"},
		{"a:{x}", "a:1/2", "no"},
		{"a:{x}", "a:1?", "no"},
		{"a:{x}", "a:1#", "no"},
		{"a:{x}", "a:1%2F2", "x=1/2"},
		{"a:{x}", "a:1\n", "x=1\n"},
		{"a:{x}", "a:it's,h\u00e9re@", "x=it's,h\u00e9re@"},
		{"a:{x}", "a:%00", "no"},
		{"a:{x}", "a:\x00", "no"},
		{"a:{x}", "a:%ff", "no"},
		{"a:{x}", "a:50%", "no"},
		{"a:{x}", "a:%c3%A9", "x=\u00e9"},
		{"caf\u00e9:{x}", "caf\u00e9:1", "x=1"},
		{"caf\u00e9:{x}", "caf%c3%a9:1", "x=1"},
		{"a:%41{x}", "a:A1", "no"},
		{"a.b:{x}", "axb:1", "no"},
		{"a:{+x}", "a:/1/2?3#4", "x=/1/2?3#4"},
		{"a:{+x}/raw", "a:1/raw/raw", "x=1/raw"},
		{"a:{+x}{?q}", "a:1/2?q=3", "q=3 x=1/2"},
		{"a:{+x}{;q}", "a:1/2;q=3", "q=3 x=1/2"},
		{"a:{#x}", "a:#1", "x=1"},
		{"a:{x,y}", "a:1,2", "x=1 y=2"},
		{"a:{x,y}", "a:1%2C2,3", "x=1,2 y=3"},
		{"a:{x,y}", "a:1", "no"},
		{"a:{x}@{y}", "a:1@2@3", "x=1 y=2@3"},
		{"a:{x}.{y}", "a:1.2.3", "x=1.2 y=3"},
		{"a:x{.x,y}", "a:x.1.2", "x=1 y=2"},
		{"a:{x}C{y}", "a:%2C%C3%A9C1", "x=,\u00e9 y=1"},
		{"a:{/x,y}", "a:/1/2", "x=1 y=2"},
		{"a:{/x}", "a:", "no"},
		{"a:{/x*}", "a:/1/2%2F3/4", "x=1|2/3|4"},
		{"a:{/x*}/end", "a:/1/end/end", "x=1|end"},
		{"a:{/x*,y}", "a:/1/2/3", "x=1|2 y=3"},
		{"a:{x*}", "a:1,2", "x=1|2"},
		{"a:{x*,y}", "a:1,2,3", "x=1|2 y=3"},
		{"a:b{?x,y}", "a:b", ""},
		{"a:b{?x,y}", "a:b?", ""},
		{"a:b{?x,y}", "a:b?y=2&x=1", "x=1 y=2"},
		{"a:b{?x,y}", "a:b?x=&y", "x= y="},
		{"a:b{?x,y}", "a:b?x=1&x=2", "no"},
		{"a:b{?x,y}", "a:b?z=1", "no"},
		{"a:b{?x*}", "a:b?x=1&x=2", "x=1|2"},
		{"a:b{?x}{&y}{#z}", "a:b?x=1&y=2#3", "x=1 y=2 z=3"},
		{"a:b{?x}#c", "a:b?x=1#c", "x=1"},
		{"a:b?c=d{&x}", "a:b?c=d&x=1", "x=1"},
		{"a:b?c=d{&x}", "a:b?c=d", ""},
		{"a:b{;x,y}/c", "a:b;y=2;x/c", "x= y=2"},
		{"a:b", "a:b", ""},
	} {
		m, err := parse(t, tc.template).Matcher()
		if err != nil {
			t.Fatalf("%s: %v", tc.template, err)
		}
		got := "no"
		if values, ok := m.Match(tc.uri); ok {
			var all []string
			for _, name := range slices.Sorted(maps.Keys(values)) {
				all = append(all, name+"="+strings.Join(values[name], "|"))
			}
			got = strings.Join(all, " ")
		}
		if got != tc.want {
			t.Errorf("%s in %s: %q, want %q", tc.uri, tc.template, got, tc.want)
		}
	}
}

func TestMatch_Unmatchable(t *testing.T) {
	for text, want := range map[string]string{
		"a:{x}{y}":     "no text before {y}",
		"a:{x}{+y}":    "no text before {+y}",
		"a:{+x}{y}":    "no text before {y}",
		"a:{;x}{y}":    "no text before {y}",
		"a:{x}/{x}":    "occurs twice",
		"a:{?x}{&x}":   "occurs twice",
		"a:{x:3}":      "only the beginning",
		"a:{+x*}":      "ambiguous",
		"a:{#x*}":      "ambiguous",
		"a:{.x*}":      "ambiguous",
		"a:{?x}/b":     "follows a query",
		"a:{?x}{/y}":   "follows a query",
		"a:{?x}{y}":    "follows a query",
		"a:{?x}{?y}":   "follows a query",
		"a:{&x}&b=c":   "follows a query",
		"a:{?x:2,y}":   "only the beginning",
		"a:{/x*,y,x}":  "occurs twice",
		"a:{?x}{&y*:}": "not a n",
	} {
		tmpl, err := uritemplate.Parse(text)
		if err == nil {
			_, err = tmpl.Matcher()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
